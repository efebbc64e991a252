package redgreen;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Loads the classes of the project afresh, some of them in a version of their own; libraries come from the parent. */
final class Project extends URLClassLoader {
    /** What is read of the project's folders once: its classes, and names that it has not (no bytes). */
    private static final Map<String, byte[]> READ = new ConcurrentHashMap<>();
    private static final byte[] NONE = new byte[0];

    private final Map<String, byte[]> versions;

    Project(URL[] own, ClassLoader libraries, Map<String, byte[]> versions) {
        super(own, libraries);
        this.versions = versions;
    }

    @Override protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> c = findLoadedClass(name);
            if (c == null) {
                byte[] bytes = name.startsWith("java.") ? NONE : bytes(name);
                c = bytes.length == 0 ? getParent().loadClass(name) : define(name, bytes);
            }
            if (resolve) {
                resolveClass(c);
            }
            return c;
        }
    }

    private byte[] bytes(String name) throws ClassNotFoundException {
        byte[] known = versions.get(name);
        if (known == null) {
            known = READ.get(name);
        }
        if (known != null) {
            return known;
        }
        URL url = findResource(name.replace('.', '/') + ".class");
        byte[] bytes = NONE;
        if (url != null) {
            try (InputStream in = url.openStream()) {
                bytes = all(in);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
        READ.put(name, bytes);
        return bytes;
    }

    private static byte[] all(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        for (int n = in.read(part); n >= 0; n = in.read(part)) {
            out.write(part, 0, n);
        }
        return out.toByteArray();
    }

    private Class<?> define(String name, byte[] bytes) {
        int dot = name.lastIndexOf('.');
        if (dot > 0 && getPackage(name.substring(0, dot)) == null) {
            try {
                definePackage(name.substring(0, dot), null, null, null, null, null, null, null);
            } catch (IllegalArgumentException e) {
                // another thread was first
            }
        }
        return defineClass(name, bytes, 0, bytes.length, new ProtectionDomain(new CodeSource(place(name), (Certificate[]) null), null, this, null));
    }

    private URL place(String name) {
        String file = name.replace('.', '/') + ".class";
        URL url = findResource(file);
        try {
            String text = url == null ? "" : url.toString();
            return url != null && url.getProtocol().equals("file") ? new URL(text.substring(0, text.length() - file.length())) : null;
        } catch (IOException e) {
            return null;
        }
    }

    @Override public URL getResource(String name) {
        URL own = findResource(name);
        return own == null ? super.getResource(name) : own;
    }

    static Map<String, byte[]> none() {
        return Collections.emptyMap();
    }
}
