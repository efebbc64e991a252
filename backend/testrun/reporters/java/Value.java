package redgreen;

import java.io.Serializable;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A value as data, that can be made again with the classes of any version: what the language has, collections, and objects of the
 * project's own classes by their fields. What is none of these has no such form.
 */
final class Value implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int DEEP = 12;
    private static final int MOST_PARTS = 3000;
    private static final int MOST_FIELDS = 5; // of which another value is tried

    private enum Kind { NULL, LEAF, ENUM, ARRAY, COLLECTION, MAP, OBJECT, BUILDER, OPTIONAL, SAME }

    /** There is no such form. */
    static final class None extends Exception {
        private static final long serialVersionUID = 1;

        None(String what) {
            super(what, null, false, false);
        }
    }

    private final Kind kind;
    private final String type; // a class
    private final Object leaf; // of an enum its name, of what came before its number
    private final List<String> names; // of the fields, with their classes; of an enum all constants
    private final List<Value> parts; // of a map its keys and values in turn

    private Value(Kind kind, String type, Object leaf, List<String> names, List<Value> parts) {
        this.kind = kind;
        this.type = type;
        this.leaf = leaf;
        this.names = names;
        this.parts = parts;
    }

    private Value with(Object other) {
        return new Value(kind, type, other, names, parts);
    }

    private Value with(List<Value> others) {
        return new Value(kind, type, leaf, names, others);
    }

    static Value of(Object o) throws None {
        return new Writer().of(o, 0);
    }

    private static final class Writer {
        private final IdentityHashMap<Object, Integer> known = new IdentityHashMap<>();
        private int left = MOST_PARTS;

        Value of(Object o, int deep) throws None {
            if (o == null) {
                return new Value(Kind.NULL, "", null, null, null);
            }
            Class<?> c = o.getClass();
            if (deep > DEEP || --left < 0) {
                throw new None("it is too large");
            }
            if (o instanceof Enum) {
                List<String> names = new ArrayList<>();
                for (Object one : ((Enum<?>) o).getDeclaringClass().getEnumConstants()) {
                    names.add(((Enum<?>) one).name());
                }
                return new Value(Kind.ENUM, ((Enum<?>) o).getDeclaringClass().getName(), ((Enum<?>) o).name(), names, null);
            }
            if (isLeaf(c)) {
                return new Value(Kind.LEAF, c.getName(), o, null, null);
            }
            if (c == Date.class) {
                return new Value(Kind.LEAF, c.getName(), ((Date) o).clone(), null, null);
            }
            if (c == StringBuilder.class || c == StringBuffer.class) {
                return new Value(Kind.BUILDER, c.getName(), o.toString(), null, null);
            }
            if (known.containsKey(o)) {
                return new Value(Kind.SAME, "", known.get(o), null, null);
            }
            known.put(o, known.size());
            List<Object> inner = new ArrayList<>();
            if (c.isArray()) {
                for (int i = 0; i < Array.getLength(o) && i <= MOST_PARTS; i++) {
                    inner.add(Array.get(o, i));
                }
                return new Value(Kind.ARRAY, c.getComponentType().getName(), null, null, all(inner, deep));
            }
            if (o instanceof Optional) {
                ((Optional<?>) o).ifPresent(inner::add);
                return new Value(Kind.OPTIONAL, c.getName(), null, null, all(inner, deep));
            }
            if (c.getName().startsWith("java.util.") && o instanceof Collection && !sorts(o)) {
                inner.addAll((Collection<?>) o);
                return new Value(Kind.COLLECTION, c.getName(), null, null, all(inner, deep));
            }
            if (c.getName().startsWith("java.util.") && o instanceof Map && !sorts(o)) {
                for (Map.Entry<?, ?> e : ((Map<?, ?>) o).entrySet()) {
                    inner.add(e.getKey());
                    inner.add(e.getValue());
                }
                return new Value(Kind.MAP, c.getName(), null, null, all(inner, deep));
            }
            if (!(c.getClassLoader() instanceof Project) || c.isSynthetic() || c.isAnonymousClass() || c.getName().contains("/")) {
                throw new None(c.getName());
            }
            List<String> names = new ArrayList<>();
            for (Class<?> of = c; of != Object.class; of = of.getSuperclass()) {
                if (isRecord(c) && of != c) {
                    break;
                }
                for (Field f : of.getDeclaredFields()) {
                    if (!Modifier.isStatic(f.getModifiers())) {
                        if (!(of.getClassLoader() instanceof Project)) {
                            throw new None(of.getName());
                        }
                        names.add(of.getName() + "#" + f.getName());
                        inner.add(get(f, o));
                    }
                }
            }
            return new Value(Kind.OBJECT, c.getName(), null, names, all(inner, deep));
        }

        private List<Value> all(List<Object> inner, int deep) throws None {
            List<Value> out = new ArrayList<>();
            for (Object o : inner) {
                out.add(of(o, deep + 1));
            }
            return out;
        }
    }

    private static boolean isLeaf(Class<?> c) {
        return c == String.class || c == Boolean.class || c == Character.class || c == BigInteger.class || c == BigDecimal.class || c.getName().startsWith("java.time.") && Serializable.class.isAssignableFrom(c)
            || Number.class.isAssignableFrom(c) && c.getName().startsWith("java.lang.") || c == java.util.UUID.class || c == java.util.Locale.class;
    }

    /** Whether it has an order of its own, which cannot be written down. */
    private static boolean sorts(Object o) {
        return o instanceof SortedSet && ((SortedSet<?>) o).comparator() != null || o instanceof SortedMap && ((SortedMap<?, ?>) o).comparator() != null
            || o instanceof PriorityQueue && ((PriorityQueue<?>) o).comparator() != null;
    }

    private static boolean isRecord(Class<?> c) {
        return c.getSuperclass() != null && c.getSuperclass().getName().equals("java.lang.Record");
    }

    private static Object get(Field f, Object o) throws None {
        try {
            f.setAccessible(true);
            return f.get(o);
        } catch (ReflectiveOperationException | RuntimeException e) {
            throw new None(f.toString());
        }
    }

    /** Makes it again with the classes of a loader. */
    Object made(ClassLoader loader) throws ReflectiveOperationException {
        return new Maker(loader).made(this);
    }

    private static final class Maker {
        private final ClassLoader loader;
        private final List<Object> known = new ArrayList<>();

        Maker(ClassLoader loader) {
            this.loader = loader;
        }

        Object made(Value v) throws ReflectiveOperationException {
            int at = known.size();
            switch (v.kind) {
                case NULL:
                    return null;
                case LEAF:
                    return v.leaf instanceof Date ? ((Date) v.leaf).clone() : v.leaf;
                case ENUM:
                    for (Object o : type(v.type).getEnumConstants()) {
                        if (((Enum<?>) o).name().equals(v.leaf)) {
                            return o;
                        }
                    }
                    throw new ClassNotFoundException(v.type);
                case BUILDER:
                    return v.type.endsWith("Builder") ? (Object) new StringBuilder((String) v.leaf) : new StringBuffer((String) v.leaf);
                case SAME:
                    return known.get((Integer) v.leaf);
                case ARRAY:
                    Object array = Array.newInstance(type(v.type), v.parts.size());
                    known.add(array);
                    for (int i = 0; i < v.parts.size(); i++) {
                        Array.set(array, i, made(v.parts.get(i)));
                    }
                    return array;
                case OPTIONAL:
                    known.add(null);
                    return v.parts.isEmpty() ? Optional.empty() : Optional.ofNullable(made(v.parts.get(0)));
                case COLLECTION:
                    return collection(v, at);
                case MAP:
                    return map(v, at);
                default:
                    return object(v, at);
            }
        }

        private Object collection(Value v, int at) throws ReflectiveOperationException {
            Collection<Object> c = v.type.endsWith(".LinkedList") ? new LinkedList<>() : v.type.endsWith(".ArrayDeque") ? new ArrayDeque<>() : v.type.endsWith(".PriorityQueue") ? new PriorityQueue<>()
                : v.type.endsWith(".TreeSet") ? new TreeSet<>() : v.type.endsWith(".HashSet") ? new HashSet<>() : v.type.contains("Set") ? new LinkedHashSet<>() : new ArrayList<>();
            known.add(c);
            for (Value part : v.parts) {
                c.add(made(part));
            }
            Object out = v.type.equals("java.util.Arrays$ArrayList") ? Arrays.asList(c.toArray()) : !fixed(v.type) ? c
                : c instanceof Set ? Collections.unmodifiableSet((Set<?>) c) : Collections.unmodifiableList((List<?>) c);
            known.set(at, out);
            return out;
        }

        private Object map(Value v, int at) throws ReflectiveOperationException {
            Map<Object, Object> m = v.type.endsWith(".TreeMap") ? new TreeMap<>() : v.type.endsWith(".HashMap") ? new HashMap<>() : new LinkedHashMap<>();
            known.add(m);
            for (int i = 0; i + 1 < v.parts.size(); i += 2) {
                m.put(made(v.parts.get(i)), made(v.parts.get(i + 1)));
            }
            Object out = fixed(v.type) ? Collections.unmodifiableMap(m) : m;
            known.set(at, out);
            return out;
        }

        private static boolean fixed(String type) {
            return type.contains("Immutable") || type.contains("Unmodifiable") || type.contains("Singleton") || type.contains("Empty");
        }

        private Object object(Value v, int at) throws ReflectiveOperationException {
            Class<?> c = type(v.type);
            if (isRecord(c)) {
                return record(v, c, at);
            }
            Class<?> unsafe = Class.forName("sun.misc.Unsafe");
            Field the = unsafe.getDeclaredField("theUnsafe");
            the.setAccessible(true);
            Object o = unsafe.getMethod("allocateInstance", Class.class).invoke(the.get(null), c);
            known.add(o);
            for (int i = 0; i < v.parts.size(); i++) {
                field(v.names.get(i)).set(o, made(v.parts.get(i)));
            }
            return o;
        }

        private Object record(Value v, Class<?> c, int at) throws ReflectiveOperationException {
            known.add(null);
            Class<?>[] types = new Class<?>[v.parts.size()];
            Object[] args = new Object[types.length];
            for (int i = 0; i < types.length; i++) {
                types[i] = field(v.names.get(i)).getType();
                args[i] = made(v.parts.get(i));
            }
            Constructor<?> make = c.getDeclaredConstructor(types);
            make.setAccessible(true);
            Object o = make.newInstance(args);
            known.set(at, o);
            return o;
        }

        private Field field(String name) throws ReflectiveOperationException {
            Field f = type(name.substring(0, name.indexOf('#'))).getDeclaredField(name.substring(name.indexOf('#') + 1));
            f.setAccessible(true);
            return f;
        }

        private Class<?> type(String name) throws ClassNotFoundException {
            for (Class<?> c : new Class<?>[] {boolean.class, char.class, byte.class, short.class, int.class, long.class, float.class, double.class}) {
                if (c.getName().equals(name)) {
                    return c;
                }
            }
            return Class.forName(name, true, loader);
        }
    }

    /** A text that is the same for the same. */
    @Override public String toString() {
        List<String> inner = new ArrayList<>();
        for (int i = 0; parts != null && i < parts.size(); i++) {
            if (kind == Kind.MAP) {
                inner.add(parts.get(i) + "=" + parts.get(++i));
            } else {
                inner.add((kind == Kind.OBJECT ? names.get(i).substring(names.get(i).indexOf('#') + 1) + "=" : "") + parts.get(i));
            }
        }
        if (type.endsWith(".HashMap") || type.endsWith(".HashSet") || type.startsWith("java.util.ImmutableCollections") && type.matches(".*(Set|Map).*")) {
            Collections.sort(inner);
        }
        String all = String.join(", ", inner);
        switch (kind) {
            case NULL: return "null";
            case LEAF: return leaf(leaf);
            case ENUM: return String.valueOf(leaf);
            case BUILDER: return simple() + " " + leaf(leaf);
            case SAME: return "…";
            case OPTIONAL: return parts.isEmpty() ? "no value" : "a value " + all;
            case OBJECT: return simple() + "{" + all + "}";
            case MAP: return "{" + all + "}";
            default: return type.contains("Set") ? "{" + all + "}" : "[" + all + "]";
        }
    }

    private String simple() {
        return type.substring(Math.max(type.lastIndexOf('.'), type.lastIndexOf('$')) + 1);
    }

    private static String leaf(Object o) {
        if (o instanceof Double || o instanceof Float) {
            double d = ((Number) o).doubleValue();
            return Double.isNaN(d) || Double.isInfinite(d) ? String.valueOf(d) : String.valueOf(new BigDecimal(d).round(new MathContext(o instanceof Float ? 6 : 12)).doubleValue() + 0.0);
        }
        if (!(o instanceof String || o instanceof Character)) {
            return String.valueOf(o);
        }
        StringBuilder b = new StringBuilder();
        char quote = o instanceof String ? '"' : '\'';
        for (char c : String.valueOf(o).toCharArray()) {
            b.append(c == quote || c == '\\' ? "\\" + c : c == '\n' ? "\\n" : c == '\t' ? "\\t" : c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return quote + b.toString() + quote;
    }

    /** Values a little off this one. */
    List<Value> off(Random some) {
        List<Value> out = new ArrayList<>();
        switch (kind) {
            case LEAF:
            case BUILDER:
                for (Object other : leaves(leaf, some)) {
                    out.add(with(other));
                }
                break;
            case ENUM:
                int at = names.indexOf(leaf);
                for (int i = 1; i <= 2 && i < names.size(); i++) {
                    out.add(with(names.get((at + i) % names.size())));
                }
                break;
            case ARRAY:
            case COLLECTION:
                if (!parts.isEmpty() && !shares()) {
                    collections(some, out);
                }
                break;
            case MAP:
                if (!parts.isEmpty() && !shares()) {
                    int i = 2 * some.nextInt(parts.size() / 2);
                    List<Value> fewer = new ArrayList<>(parts);
                    fewer.subList(i, i + 2).clear();
                    out.add(with(fewer));
                    others(i + 1, some, 2, out);
                }
                break;
            case OBJECT:
                for (int i = 0; i < parts.size() && i < MOST_FIELDS; i++) {
                    if (!shares() || parts.get(i).kind == Kind.LEAF) {
                        others(i, some, 2, out);
                    }
                }
                break;
            case OPTIONAL:
                if (!parts.isEmpty()) {
                    out.add(with(Collections.emptyList()));
                }
                break;
            default:
        }
        return out;
    }

    /** Whether something comes twice in it: numbers of what came before would not hold for another value. */
    private boolean shares() {
        if (kind == Kind.SAME) {
            return true;
        }
        for (int i = 0; parts != null && i < parts.size(); i++) {
            if (parts.get(i).shares()) {
                return true;
            }
        }
        return false;
    }

    private void others(int i, Random some, int most, List<Value> out) {
        List<Value> off = parts.get(i).off(some);
        for (Value other : off.subList(0, Math.min(most, off.size()))) {
            out.add(with(put(parts, i, other)));
        }
    }

    private static <T> List<T> put(List<T> all, int i, T one) {
        List<T> out = new ArrayList<>(all);
        out.set(i, one);
        return out;
    }

    private void collections(Random some, List<Value> out) {
        int n = parts.size();
        int i = some.nextInt(n);
        int j = some.nextInt(n);
        out.add(with(new ArrayList<>(parts.subList(1, n))));
        out.add(with(new ArrayList<>(parts.subList(0, n - 1))));
        others(i, some, 3, out);
        if (type.contains("Set")) {
            return;
        }
        List<Value> back = new ArrayList<>(parts);
        Collections.reverse(back);
        out.add(with(back));
        List<Value> twice = new ArrayList<>(parts);
        twice.addAll(parts);
        out.add(with(twice));
        List<Value> again = new ArrayList<>(parts);
        again.add(i, parts.get(i));
        out.add(with(again));
        out.add(with(put(put(parts, i, parts.get(j)), j, parts.get(i))));
    }

    private static List<Object> leaves(Object o, Random some) {
        List<Object> out = new ArrayList<>();
        if (o instanceof Boolean) {
            out.add(!(Boolean) o);
        } else if (o instanceof String && !((String) o).isEmpty()) {
            String s = (String) o;
            int i = some.nextInt(s.length());
            int j = some.nextInt(s.length());
            out.addAll(Arrays.asList(s.substring(1), s.substring(0, s.length() - 1), new StringBuilder(s).reverse().toString(), s + s, s.substring(0, i) + s.charAt(i) + s.substring(i),
                s.substring(0, i) + s.charAt(j) + s.substring(i + 1)));
        } else if (o instanceof Character) {
            char c = (Character) o;
            out.addAll(Arrays.asList((char) (c + 1), (char) (c - 1), Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c)));
        } else if (o instanceof Integer) {
            int n = (Integer) o;
            out.addAll(Arrays.asList(n + 1, n - 1, 0, -n));
        } else if (o instanceof Long) {
            long n = (Long) o;
            out.addAll(Arrays.asList(n + 1, n - 1, 0L, -n));
        } else if (o instanceof Short) {
            short n = (Short) o;
            out.addAll(Arrays.asList((short) (n + 1), (short) (n - 1), (short) 0, (short) -n));
        } else if (o instanceof Byte) {
            byte n = (Byte) o;
            out.addAll(Arrays.asList((byte) (n + 1), (byte) (n - 1), (byte) 0, (byte) -n));
        } else if (o instanceof Double) {
            double n = (Double) o;
            out.addAll(Arrays.asList(n + 1, n - 1, 0.0, 0 - n));
        } else if (o instanceof Float) {
            float n = (Float) o;
            out.addAll(Arrays.asList(n + 1, n - 1, 0f, 0 - n));
        } else if (o instanceof BigInteger) {
            BigInteger n = (BigInteger) o;
            out.addAll(Arrays.asList(n.add(BigInteger.ONE), n.subtract(BigInteger.ONE), BigInteger.ZERO, n.negate()));
        } else if (o instanceof BigDecimal) {
            BigDecimal n = (BigDecimal) o;
            out.addAll(Arrays.asList(n.add(BigDecimal.ONE), n.subtract(BigDecimal.ONE), BigDecimal.ZERO, n.negate()));
        } else if (o instanceof Date) {
            for (long by : new long[] {86_400_000, -86_400_000, 1000, -1000}) {
                out.add(new Date(((Date) o).getTime() + by));
            }
        } else if (o instanceof java.time.LocalDate) {
            out.addAll(Arrays.asList(((java.time.LocalDate) o).plusDays(1), ((java.time.LocalDate) o).minusDays(1), ((java.time.LocalDate) o).plusMonths(1)));
        } else if (o instanceof java.time.LocalDateTime) {
            out.addAll(Arrays.asList(((java.time.LocalDateTime) o).plusDays(1), ((java.time.LocalDateTime) o).minusDays(1), ((java.time.LocalDateTime) o).plusSeconds(1)));
        } else if (o instanceof java.time.Duration) {
            out.addAll(Arrays.asList(((java.time.Duration) o).plusSeconds(1), ((java.time.Duration) o).minusSeconds(1), ((java.time.Duration) o).negated()));
        } else if (o instanceof java.time.Instant) {
            out.addAll(Arrays.asList(((java.time.Instant) o).plusSeconds(1), ((java.time.Instant) o).minusSeconds(1)));
        }
        return out;
    }
}
