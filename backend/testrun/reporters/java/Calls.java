package redgreen;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.BaseStream;

/** With what the tests call the units, and what comes of calls with inputs a little off those. */
public final class Calls implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int MOST_EACH = 6; // calls that one test adds
    private static final int MOST_SEEN = 2000; // calls of one test that are looked at
    private static final int MOST_CALLS = 200;
    private static final int MOST_GREEN = 120; // of them of passing tests
    private static final int MOST_INPUTS = 120;
    private static final int MOST_ITEMS = 1000; // of an iterator
    private static final int LONG = 3000; // characters of a call
    private static final int SHOWN = 160;

    private static transient volatile Calls on; // that takes what is called

    /** One call of a unit. */
    static final class Call implements Serializable {
        private static final long serialVersionUID = 1;

        final int unit;
        final Value self; // null: it has none
        final List<Value> args;
        final boolean green; // a passing test's, or near that

        Call(int unit, Value self, List<Value> args, boolean green) {
            this.unit = unit;
            this.self = self;
            this.args = args;
            this.green = green;
        }
    }

    final List<String> files;
    final List<Units.Unit> units;
    final List<Call> inputs = new ArrayList<>();
    private final transient List<Call> calls = new ArrayList<>();
    private final transient Set<Integer> changed; // by any version
    private final transient Set<Integer> reached = new HashSet<>();
    private transient boolean green;
    private transient int seen;
    private transient int told;
    private transient int greens;

    Calls(java.util.Collection<String> files, List<Units.Unit> units, Set<Integer> changed) {
        this.files = new ArrayList<>(files);
        this.units = new ArrayList<>(units);
        this.changed = changed;
    }

    /** What a unit tells where it begins. */
    public static void note(int unit, Object self, Object[] args) {
        Calls to = on;
        if (to != null) {
            to.take(unit, self, args);
        }
    }

    /** Has units tell these from now on; null, nobody. */
    static void tell(Calls to) {
        on = to;
    }

    synchronized void begin(boolean passing) {
        green = passing;
        seen = 0;
        told = 0;
    }

    private synchronized void take(int unit, Object self, Object[] args) {
        if (reached != null && changed == null) {
            reached.add(unit);
            return;
        }
        if (told >= MOST_EACH || ++seen > MOST_SEEN || calls.size() >= MOST_CALLS || green && greens >= MOST_GREEN || inside(unit)) {
            return;
        }
        try {
            List<Value> all = new ArrayList<>();
            for (Object a : args) {
                all.add(Value.of(a));
            }
            Call c = new Call(unit, units.get(unit).bound ? Value.of(self) : null, all, green);
            if (written(c).length() <= LONG) {
                told++;
                greens += green ? 1 : 0;
                calls.add(c);
            }
        } catch (Value.None | RuntimeException | StackOverflowError e) {
            // what it is called with cannot be made again
        }
    }

    /** Whether the call comes from the same sources; what is changed is looked at wherever it is called, but for its own calls. */
    private boolean inside(int unit) {
        StackTraceElement[] frames = new Throwable().getStackTrace(); // this, take, note, the unit, who calls it
        if (frames.length < 5) {
            return false;
        }
        String type = frames[4].getClassName();
        String method = frames[4].getMethodName().replaceAll("^lambda\\$(.*)\\$\\d+$", "$1");
        boolean within = false;
        boolean by = false;
        for (int i = 0; i < units.size(); i++) {
            Units.Unit u = units.get(i);
            if (top(u.type).equals(top(type))) {
                within = true;
                by |= changed.contains(i) && u.type.equals(type) && u.name.equals(method);
            }
        }
        return within && (by || !changed.contains(unit));
    }

    private static String top(String type) {
        return type.contains("$") ? type.substring(0, type.indexOf('$')) : type;
    }

    /** Makes the inputs a little off those of the calls. */
    void vary() {
        Random some = new Random(1);
        Set<String> known = new HashSet<>();
        for (Call c : calls) {
            known.add(c.unit + " " + written(c));
        }
        for (Call c : calls) {
            List<Call> off = new ArrayList<>();
            for (int i = 0; i < c.args.size(); i++) {
                for (Value other : c.args.get(i).off(some)) {
                    List<Value> args = new ArrayList<>(c.args);
                    args.set(i, other);
                    off.add(new Call(c.unit, c.self, args, c.green));
                }
            }
            for (Value other : c.self == null ? Collections.<Value>emptyList() : c.self.off(some)) {
                off.add(new Call(c.unit, other, c.args, c.green));
            }
            for (Call one : off) {
                if (known.add(one.unit + " " + written(one))) {
                    inputs.add(one);
                }
            }
        }
        Collections.shuffle(inputs, some);
        if (inputs.size() > MOST_INPUTS) {
            inputs.subList(MOST_INPUTS, inputs.size()).clear();
        }
    }

    /** A call as a person writes it. */
    String written(Call c) {
        Units.Unit u = units.get(c.unit);
        String args = c.args.toString();
        String name = u.name.equals("<init>") ? "new " + u.simple() : (u.bound ? String.valueOf(c.self) : u.simple()) + "." + u.name;
        return name + "(" + args.substring(1, args.length() - 1) + ")";
    }

    static String shorten(String text) {
        return text.length() <= SHOWN ? text : text.substring(0, SHOWN - 1) + "…";
    }

    void save(Path file) throws IOException {
        try (ObjectOutputStream out = new ObjectOutputStream(Files.newOutputStream(file))) {
            out.writeObject(this);
        }
    }

    static Calls load(Path file) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(file))) {
            return (Calls) in.readObject();
        }
    }

    /** What came of a call. */
    static final class Fate {
        String is = "?";
        String shown = "";
        boolean touches; // it changes what it was given
        Set<Integer> reached = new HashSet<>();
    }

    /** Makes one call with the classes of a loader. */
    Fate fate(Call c, ClassLoader loader) {
        Fate f = new Fate();
        Calls reaching = new Calls(files, units, null);
        try {
            Units.Unit u = units.get(c.unit);
            Executable e = executable(u, loader);
            Object self = c.self == null ? null : c.self.made(loader);
            Object[] args = new Object[c.args.size()];
            for (int i = 0; i < args.length; i++) {
                args[i] = c.args.get(i).made(loader);
            }
            tell(reaching);
            Object got = items(e instanceof Method ? ((Method) e).invoke(self, args) : ((Constructor<?>) e).newInstance(args));
            tell(null);
            see(f, c, e instanceof Method && ((Method) e).getReturnType() == void.class, got, self, args);
        } catch (InvocationTargetException e) {
            raised(f, e.getCause());
        } catch (ReflectiveOperationException | IllegalArgumentException e) {
            f.shown = "it cannot be called so";
        } catch (Throwable e) {
            raised(f, e);
        } finally {
            tell(null);
        }
        f.reached.addAll(reaching.reached);
        return f;
    }

    private static void raised(Fate f, Throwable e) {
        if (e instanceof StackOverflowError) {
            f.is = "!RecursionError";
            f.shown = "no end of recursion";
        } else if (e.getClass().getName().equals("java.lang.ThreadDeath") || e instanceof Hits.Stopped) {
            f.is = "!hangs";
            f.shown = "no end";
        } else {
            f.is = "!" + e.getClass().getName();
            f.shown = e.getClass().getSimpleName();
        }
    }

    private static void see(Fate f, Call c, boolean nothing, Object got, Object self, Object[] args) {
        try {
            String was = c.args.toString();
            List<Value> after = new ArrayList<>();
            for (Object a : args) {
                after.add(Value.of(a));
            }
            String result = nothing ? "nothing" : String.valueOf(Value.of(got));
            String left = c.self == null ? "" : String.valueOf(Value.of(self));
            String now = after.toString();
            f.touches = !now.equals(was);
            f.is = digest(result + "\n" + now + "\n" + left);
            f.shown = result + (f.touches ? " and changes what it is given to " + now.substring(1, now.length() - 1) : "")
                + (c.self == null || left.equals(c.self.toString()) ? "" : " and leaves " + left);
        } catch (Value.None e) {
            f.shown = "a " + e.getMessage();
        }
    }

    /** What goes on and on, as far as it is looked at. */
    private static Object items(Object got) {
        Iterator<?> all = got instanceof BaseStream ? ((BaseStream<?, ?>) got).iterator() : got instanceof Iterator ? (Iterator<?>) got : null;
        if (all == null) {
            return got;
        }
        List<Object> out = new ArrayList<>();
        while (all.hasNext() && out.size() < MOST_ITEMS) {
            out.add(all.next());
        }
        return out;
    }

    private static Executable executable(Units.Unit u, ClassLoader loader) throws ReflectiveOperationException {
        Class<?> c = Class.forName(u.type, true, loader);
        Executable[] all = u.name.equals("<init>") ? c.getDeclaredConstructors() : c.getDeclaredMethods();
        for (Executable e : all) {
            List<String> types = new ArrayList<>();
            for (Class<?> t : e.getParameterTypes()) {
                types.add(t.getCanonicalName());
            }
            if (!e.isSynthetic() && (e instanceof Constructor || e.getName().equals(u.name)) && types.equals(u.parameters)) {
                e.setAccessible(true);
                return e;
            }
        }
        throw new NoSuchMethodException(u.key);
    }

    private static String digest(String text) {
        try {
            byte[] sum = MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
            StringBuilder b = new StringBuilder();
            for (byte one : Arrays.copyOf(sum, 6)) {
                b.append(String.format("%02x", one));
            }
            return b.toString();
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // each Java has it
        }
    }
}
