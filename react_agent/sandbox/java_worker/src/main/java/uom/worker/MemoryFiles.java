package uom.worker;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;

/** Where javac reads sources and writes classes: memory. */
final class MemoryFiles extends ForwardingJavaFileManager<StandardJavaFileManager> {

    private final Map<String, ByteArrayOutputStream> written = new LinkedHashMap<>();

    MemoryFiles(StandardJavaFileManager libraries) {
        super(libraries);
    }

    Map<String, byte[]> classes() {
        var classes = new LinkedHashMap<String, byte[]>();
        written.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return classes;
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
            Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
        var bytes = new ByteArrayOutputStream();
        written.put(className, bytes);
        return new SimpleJavaFileObject(URI.create("memory:///" + className.replace('.', '/') + kind.extension), kind) {
            @Override
            public OutputStream openOutputStream() {
                return bytes;
            }
        };
    }

    /** The libraries' manager is shared by all compilations and stays open. */
    @Override
    public void close() {}

    /** A source as the host sent it; its path is how findings name it. */
    static final class Source extends SimpleJavaFileObject {

        private final String path;
        private final String text;

        /** {@code number} keeps apart the addresses of paths that differ only in characters an address cannot hold. */
        Source(int number, String path, String text) {
            super(URI.create("source:///" + number + "/" + path.replaceAll("[^A-Za-z0-9_./$-]", "_")), Kind.SOURCE);
            this.path = path;
            this.text = text;
        }

        String path() {
            return path;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
