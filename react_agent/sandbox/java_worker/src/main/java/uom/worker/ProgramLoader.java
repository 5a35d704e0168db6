package uom.worker;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.Map;

/**
 * Load compiled classes from memory.
 *
 * <p>Its own classes come before the parent's: a source that bears the name of a library's class was
 * checked as source, so it must be what runs.
 */
final class ProgramLoader extends ClassLoader {

    private static final String ENDING = ".class";

    private final Map<String, byte[]> classes;

    ProgramLoader(Map<String, byte[]> classes, ClassLoader parent) {
        super("program", parent);
        this.classes = classes;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!classes.containsKey(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            var loaded = findLoadedClass(name);
            return loaded == null ? findClass(name) : loaded;
        }
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        var code = classes.get(name);
        if (code == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, code, 0, code.length);
    }

    /** Spring reads a configuration class as bytes, not only as a class. */
    @Override
    public InputStream getResourceAsStream(String name) {
        var code = code(name);
        return code == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(code);
    }

    @Override
    public URL getResource(String name) {
        var code = code(name);
        return code == null ? super.getResource(name) : url(name, code);
    }

    private byte[] code(String resource) {
        if (!resource.endsWith(ENDING)) {
            return null;
        }
        return classes.get(resource.substring(0, resource.length() - ENDING.length()).replace('/', '.'));
    }

    private static URL url(String name, byte[] code) {
        try {
            return URL.of(URI.create("memory:" + name), new InMemory(code));
        } catch (MalformedURLException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static final class InMemory extends URLStreamHandler {

        private final byte[] code;

        InMemory(byte[] code) {
            this.code = code;
        }

        @Override
        protected URLConnection openConnection(URL url) {
            return new URLConnection(url) {
                @Override
                public void connect() {
                    connected = true;
                }

                @Override
                public InputStream getInputStream() throws IOException {
                    return new ByteArrayInputStream(code);
                }
            };
        }
    }
}
