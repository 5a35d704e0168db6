package uom.worker;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.source.util.JavacTask;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compile sources in memory and list what they use beyond the allowlist. */
final class Compile {

    private static final JavaCompiler JAVAC = ToolProvider.getSystemJavaCompiler();

    /** Shared, because opening the libraries costs more than compiling a data layer. */
    private static final StandardJavaFileManager LIBRARIES = JAVAC.getStandardFileManager(null, Locale.ROOT, null);

    private final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();

    private Compile() {}

    /** What came out of a compilation that had no error. */
    record Compilation(Program program, List<Finding> warnings, List<Symbols.Use> forbidden) {

        ObjectNode toJson() {
            var json = Json.object();
            var classes = json.putArray("classes");
            program.classes().keySet().forEach(classes::add);
            var notes = json.putArray("warnings");
            warnings.forEach(warning -> notes.add(warning.toJson()));
            var uses = json.putArray("forbidden");
            forbidden.forEach(use -> uses.add(use.toJson()));
            return json;
        }
    }

    /** Read the sources of a request; files that are not Java (a pom, properties) are no matter of javac. */
    static List<MemoryFiles.Source> sources(JsonNode request) {
        var sources = new ArrayList<MemoryFiles.Source>();
        for (var source : Json.need(request, "sources", "compile")) {
            var path = Json.text(source, "path", "compile.sources");
            if (path.endsWith(".java")) {
                sources.add(new MemoryFiles.Source(sources.size(), path, Json.text(source, "text", path)));
            }
        }
        if (sources.isEmpty()) {
            throw new Refusal("compile", "there is no .java file among the sources");
        }
        return sources;
    }

    static Compilation compile(List<MemoryFiles.Source> sources, int release) {
        return new Compile().run(sources, release);
    }

    private Compilation run(List<MemoryFiles.Source> sources, int release) {
        var files = new MemoryFiles(LIBRARIES);
        var task = (JavacTask) JAVAC.getTask(null, files, diagnostics, options(release), null, sources);
        try {
            var units = task.parse();
            task.analyze();
            refuseErrors();
            var forbidden = new Symbols(Trees.instance(task), task.getTypes(), paths(sources)).uses(units);
            task.generate();
            refuseErrors();
            return new Compilation(new Program(files.classes()), findings(false), forbidden);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** javac hands out wrapped sources; their addresses are the same. */
    private static Map<URI, String> paths(List<MemoryFiles.Source> sources) {
        return sources.stream().collect(Collectors.toMap(MemoryFiles.Source::toUri, MemoryFiles.Source::path));
    }

    private static List<String> options(int release) {
        return List.of(
                "-parameters",
                "-proc:none",
                "-Xlint:deprecation,rawtypes,unchecked,removal",
                "--release",
                Integer.toString(release),
                "-classpath",
                System.getProperty("java.class.path"));
    }

    private void refuseErrors() {
        var errors = findings(true);
        if (!errors.isEmpty()) {
            var first = errors.getFirst();
            throw new Refusal(
                    "compile",
                    "%d error%s; the first: %s:%d: %s"
                            .formatted(errors.size(), errors.size() == 1 ? "" : "s", first.file(), first.line(), first.message()),
                    errors,
                    null);
        }
    }

    private List<Finding> findings(boolean errors) {
        return diagnostics.getDiagnostics().stream()
                .filter(diagnostic -> (diagnostic.getKind() == Diagnostic.Kind.ERROR) == errors)
                .map(Compile::finding)
                .toList();
    }

    private static Finding finding(Diagnostic<? extends JavaFileObject> diagnostic) {
        return new Finding(
                diagnostic.getSource() instanceof MemoryFiles.Source source ? source.path() : "",
                Math.max(0, diagnostic.getLineNumber()),
                Math.max(0, diagnostic.getColumnNumber()),
                diagnostic.getCode(),
                diagnostic.getMessage(Locale.ROOT));
    }
}
