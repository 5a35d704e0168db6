"""The Java worker names every symbol outside the allowlist, however it is written."""

from typing import Any

import pytest
import pytest_asyncio

from tests.layers.reading import LAYERS, drafted

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

OUTSIDE = {
    "process by builder": (
        'new ProcessBuilder("id").start();',
        {"java.lang.ProcessBuilder", "java.lang.ProcessBuilder.start"},
    ),
    "process by runtime": ('Runtime.getRuntime().exec(new String[] {"id"});', {"java.lang.Runtime.exec"}),
    "process handle": ("ProcessHandle.current().destroy();", {"java.lang.ProcessHandle.current"}),
    "exit": ("System.exit(0);", {"java.lang.System.exit"}),
    "halt": ("Runtime.getRuntime().halt(0);", {"java.lang.Runtime.halt"}),
    "environment": ('System.getenv("HOME");', {"java.lang.System.getenv"}),
    "system property": ('System.setProperty("a", "b");', {"java.lang.System.setProperty"}),
    "boxed property": ('Integer.getInteger("a");', {"java.lang.Integer.getInteger"}),
    "standard output replaced": ("System.setOut(null);", {"java.lang.System.setOut"}),
    "class by name": ('Class.forName("java.lang.Runtime");', {"java.lang.Class.forName"}),
    "reflection": ('"".getClass().getDeclaredMethods();', {"java.lang.Class.getDeclaredMethods"}),
    "reflection by var": (
        'var m = "".getClass().getMethod("length"); m.invoke("");',
        {"java.lang.reflect.Method.invoke"},
    ),
    "class loader": ("Object.class.getClassLoader();", {"java.lang.Class.getClassLoader"}),
    "resource": ('Object.class.getResourceAsStream("/x");', {"java.lang.Class.getResourceAsStream"}),
    "method handles": ("java.lang.invoke.MethodHandles.lookup();", {"java.lang.invoke.MethodHandles.lookup"}),
    "unsafe": ("sun.misc.Unsafe.getUnsafe();", {"sun.misc.Unsafe.getUnsafe"}),
    "native library": ('System.load("/x.so");', {"java.lang.System.load"}),
    "thread": ("new Thread(() -> {}).start();", {"java.lang.Thread.new", "java.lang.Thread.start"}),
    "current thread": ("Thread.currentThread();", {"java.lang.Thread.currentThread"}),
    "executor": ("java.util.concurrent.Executors.newCachedThreadPool();", {"java.util.concurrent.Executors"}),
    "future": (
        "java.util.concurrent.CompletableFuture.runAsync(() -> {});",
        {"java.util.concurrent.CompletableFuture"},
    ),
    "timer": ("new java.util.Timer();", {"java.util.Timer.new"}),
    "parallel stream": ("java.util.List.of(1).parallelStream();", {"java.util.Collection.parallelStream"}),
    "stream made parallel": ("java.util.stream.Stream.of(1).parallel();", {"java.util.stream.BaseStream.parallel"}),
    "wait": ('"".wait();', {"java.lang.Object.wait"}),
    "file": ('new java.io.File("/etc/passwd").delete();', {"java.io.File.new", "java.io.File.delete"}),
    "file stream": ('new java.io.FileInputStream("/etc/passwd");', {"java.io.FileInputStream.new"}),
    "nio file": ('java.nio.file.Files.readString(java.nio.file.Path.of("/x"));', {"java.nio.file.Files.readString"}),
    "file by formatter": ('new java.util.Formatter("/tmp/x");', {"java.util.Formatter.new"}),
    "file by print stream": ('new java.io.PrintStream("/tmp/x");', {"java.io.PrintStream.new"}),
    "standard input": ("System.in.read();", {"java.lang.System.in"}),
    "socket": ('new java.net.Socket("h", 1);', {"java.net.Socket.new"}),
    "url": ('java.net.URI.create("http://h").toURL().openStream();', {"java.net.URI.toURL", "java.net.URL.openStream"}),
    "http": ("java.net.http.HttpClient.newHttpClient();", {"java.net.http.HttpClient.newHttpClient"}),
    "default zone": ("java.util.TimeZone.setDefault(null);", {"java.util.TimeZone.setDefault"}),
    "zone of the machine": ("java.time.ZoneId.systemDefault();", {"java.time.ZoneId.systemDefault"}),
    "default locale": ("java.util.Locale.setDefault(java.util.Locale.ROOT);", {"java.util.Locale.setDefault"}),
    "services": ("java.util.ServiceLoader.load(Runnable.class);", {"java.util.ServiceLoader.load"}),
    "spring reflection": (
        'org.springframework.util.ReflectionUtils.findMethod(String.class, "length");',
        {"org.springframework.util.ReflectionUtils.findMethod"},
    ),
    "spring expression": (
        'new org.springframework.expression.spel.standard.SpelExpressionParser().parseExpression("1");',
        {"org.springframework.expression.spel.standard.SpelExpressionParser.new"},
    ),
    "another context": (
        "new org.springframework.context.annotation.AnnotationConfigApplicationContext();",
        {"org.springframework.context.annotation.AnnotationConfigApplicationContext.new"},
    ),
    "spring resource": (
        'new org.springframework.core.io.FileSystemResource("/etc/passwd").getInputStream();',
        {"org.springframework.core.io.FileSystemResource.new"},
    ),
    "encryption, which starts a process": (
        "com.mongodb.AutoEncryptionSettings.builder();",
        {"com.mongodb.AutoEncryptionSettings.builder"},
    ),
    "another server": (
        "com.mongodb.MongoClientSettings.builder().applyToClusterSettings(c -> c.hosts(java.util.List.of()));",
        {"com.mongodb.connection.ClusterSettings.Builder.hosts"},
    ),
    "the worker itself": ("uom.worker.Worker.main(new String[0]);", {"uom.worker.Worker.main"}),
    "the embedded server": ("new de.bwaldvogel.mongo.MongoServer(null);", {"de.bwaldvogel.mongo.MongoServer.new"}),
    "clock in milliseconds": ("System.currentTimeMillis();", {"java.lang.System.currentTimeMillis"}),
    "clock in nanoseconds": ("System.nanoTime();", {"java.lang.System.nanoTime"}),
    "clock as an instant": ("java.time.Instant.now();", {"java.time.Instant.now"}),
    "clock of a zone": ("java.time.LocalDate.now(java.time.ZoneOffset.UTC);", {"java.time.LocalDate.now"}),
    "clock as a date": ("new java.util.Date();", {"java.util.Date.new"}),
    "clock by reference": (
        "java.util.function.Supplier<java.util.Date> now = java.util.Date::new;",
        {"java.util.Date.new"},
    ),
    "clock made": ("java.time.Clock.systemUTC();", {"java.time.Clock.systemUTC"}),
    "clock of a calendar": (
        "java.time.chrono.IsoChronology.INSTANCE.dateNow();",
        {"java.time.chrono.IsoChronology.dateNow"},
    ),
    "clock of another calendar": ("java.time.chrono.JapaneseDate.now();", {"java.time.chrono.JapaneseDate.now"}),
    "clock of a format": (
        'new java.text.SimpleDateFormat("yy").get2DigitYearStart();',
        {"java.text.SimpleDateFormat.get2DigitYearStart"},
    ),
    "clock in JSON": (
        'org.bson.Document.parse("{at: new Date( )}");',
        {"a text that is no plain constant for org.bson.Document.parse"},
    ),
    "clock in JSON put together": (
        'org.bson.Document.parse("{at: Da".concat("te()}"));',
        {"a text that is no plain constant for org.bson.Document.parse"},
    ),
    "clock in a query text": (
        'new org.springframework.data.mongodb.core.query.BasicQuery("{at: {$gt: ISODate()}}");',
        {"a text that is no plain constant for org.springframework.data.mongodb.core.query.BasicQuery.new"},
    ),
    "clock of the server": (
        '((org.springframework.data.mongodb.core.MongoTemplate) null).executeCommand("{hello: 1}");',
        {"org.springframework.data.mongodb.core.MongoTemplate.executeCommand"},
    ),
    "waiting": ("java.util.concurrent.TimeUnit.DAYS.sleep(1);", {"java.util.concurrent.TimeUnit.sleep"}),
    "chance": ("new java.util.Random().nextInt();", {"java.util.Random.new"}),
    "chance of a thread": (
        "java.util.concurrent.ThreadLocalRandom.current();",
        {"java.util.concurrent.ThreadLocalRandom.current"},
    ),
    "chance of a generator": (
        "java.util.random.RandomGenerator.getDefault();",
        {"java.util.random.RandomGenerator.getDefault"},
    ),
    "chance by Math": ("Math.random();", {"java.lang.Math.random"}),
    "chance of a UUID": ("java.util.UUID.randomUUID();", {"java.util.UUID.randomUUID"}),
    "chance of an id": ("new org.bson.types.ObjectId();", {"org.bson.types.ObjectId.new"}),
    "chance of an order": (
        "java.util.Collections.shuffle(new java.util.ArrayList<>());",
        {"java.util.Collections.shuffle"},
    ),
    "chance of an address": ("System.identityHashCode(1);", {"java.lang.System.identityHashCode"}),
    "expression in a projection": (
        'org.springframework.data.mongodb.core.aggregation.Aggregation.project().andExpression("[0].class", 1);',
        {"org.springframework.data.mongodb.core.aggregation.ProjectionOperation.andExpression"},
    ),
    "expression in a stage": (
        'org.springframework.data.mongodb.MongoExpression.create("?#{1}");',
        {"org.springframework.data.mongodb.MongoExpression.create"},
    ),
    "method reference": ("Runnable r = Runtime.getRuntime()::gc;", {"java.lang.Runtime.gc"}),
    "constructor reference": (
        "java.util.function.Function<Runnable, Thread> f = Thread::new;",
        {"java.lang.Thread.new"},
    ),
}

DECLARATIONS = {
    "static import": (
        "import static java.lang.System.exit;",
        "static void call() { exit(0); }",
        "java.lang.System.exit",
    ),
    "inherited": (
        "",
        "static class L extends ClassLoader { Class<?> c(byte[] b) { return defineClass(null, b, 0, 1); } }",
        "java.lang.ClassLoader.defineClass",
    ),
    "subclass of a thread": ("", "static class T extends Thread {}", "java.lang.Thread"),
    "field type": ("", "java.io.File file;", "java.io.File"),
    "type argument": ("import java.util.List;", "List<Process> all;", "java.lang.Process"),
    "caught type": (
        "",
        "void a() { try { } catch (java.util.ServiceConfigurationError e) { } }",
        "java.util.ServiceConfigurationError",
    ),
    "native method": ("", "native void a();", "native a"),
    "array of": ("", "Thread[] all;", "java.lang.Thread"),
    "expression in @Value": (
        "import org.springframework.beans.factory.annotation.Value;",
        '@Value("#{T(java.lang.Runtime).getRuntime().availableProcessors()}") int n;',
        "expression in @org.springframework.beans.factory.annotation.Value",
    ),
    "expression put together": (
        "import org.springframework.beans.factory.annotation.Value;",
        'static final String HALF = "#"; @Value(HALF + "{1 + 1}") int n;',
        "expression in @org.springframework.beans.factory.annotation.Value",
    ),
    "expression by a placeholder's default": (
        "import org.springframework.beans.factory.annotation.Value;",
        '@Value("${a:#}{1 + 1}") int n;',
        "expression in @org.springframework.beans.factory.annotation.Value",
    ),
    "expression in a query": (
        "import org.springframework.data.mongodb.repository.Query;",
        'interface R { @Query("{ a: ?#{T(java.lang.Runtime)} }") Object a(); }',
        "expression in @org.springframework.data.mongodb.repository.Query",
    ),
    "expression in a nested annotation": (
        "import org.springframework.data.mongodb.core.index.*;",
        '@CompoundIndexes(@CompoundIndex(def = "#{1}")) static class E {}',
        "expression in @org.springframework.data.mongodb.core.index.CompoundIndex",
    ),
    "expression without a sign": (
        "import org.springframework.context.event.EventListener;",
        '@EventListener(condition = "T(java.nio.file.Files) != null") void on(Object event) {}',
        "@org.springframework.context.event.EventListener",
    ),
    "expression on a mapped field": (
        "import org.springframework.beans.factory.annotation.Value;",
        '@Value("T(java.lang.Runtime)") Object runtime;',
        "expression in @org.springframework.beans.factory.annotation.Value",
    ),
    "expression spelt by an escape": (
        "import org.springframework.data.mongodb.repository.Query;",
        r"""interface R { @Query("{ a: '?\\u0023{1}' }") Object a(); }""",
        "expression in @org.springframework.data.mongodb.repository.Query",
    ),
    "expression in an aggregation": (
        "import org.springframework.data.mongodb.repository.Aggregation;",
        'interface R { @Aggregation({ "{ $match: {} }", "{ $match: { a: :#{1} } }" }) Object a(); }',
        "expression in @org.springframework.data.mongodb.repository.Aggregation",
    ),
    "expression as a collection": (
        "import org.springframework.data.mongodb.core.mapping.Document;",
        '@Document("#{T(java.lang.Runtime)}") static class E {}',
        "expression in @org.springframework.data.mongodb.core.mapping.Document",
    ),
    "expression on a type": (
        "import java.lang.annotation.*;",
        '@Target(ElementType.TYPE_USE) @interface Own { String value(); } java.util.List<@Own("#{1}") String> all;',
        "expression in @app.S{at}.Own",
    ),
    "expression behind a name of one's own": (
        "import org.springframework.context.event.EventListener;",
        '@EventListener(condition = "1 == 1") @interface Own {} @Own void on(Object event) {}',
        "@org.springframework.context.event.EventListener",
    ),
    "expression in an annotation of one's own": (
        "",
        '@interface Own { String value(); } @Own("#{1}") int a;',
        "expression in @app.S{at}.Own",
    ),
    "text that is computed": (
        "import org.springframework.data.mongodb.core.mapping.Document;",
        '@Document(true ? "a" : "b") static class E {}',
        "computed text in @org.springframework.data.mongodb.core.mapping.Document",
    ),
    "schedule": (
        "import org.springframework.scheduling.annotation.Scheduled;",
        "@Scheduled(fixedDelay = 1) void run() {}",
        "@org.springframework.scheduling.annotation.Scheduled",
    ),
    "other thread": (
        "import org.springframework.scheduling.annotation.Async;",
        "@Async void run() {}",
        "@org.springframework.scheduling.annotation.Async",
    ),
    "condition": (
        "import org.springframework.context.annotation.Conditional;",
        "@Conditional({}) static class E {}",
        "@org.springframework.context.annotation.Conditional",
    ),
    "cache": (
        "import org.springframework.cache.annotation.Cacheable;",
        '@Cacheable(cacheNames = "a", key = "T(java.lang.Runtime)") Object run() { return 1; }',
        "@org.springframework.cache.annotation.Cacheable",
    ),
    "file of properties": (
        "import org.springframework.context.annotation.PropertySource;",
        '@PropertySource("file:/etc/passwd") static class E {}',
        "@org.springframework.context.annotation.PropertySource",
    ),
    "file of queries": (
        "import org.springframework.data.mongodb.repository.config.EnableMongoRepositories;",
        '@EnableMongoRepositories(namedQueriesLocation = "file:/etc/passwd") static class E {}',
        "@org.springframework.data.mongodb.repository.config.EnableMongoRepositories.namedQueriesLocation",
    ),
    "auditing, which reads the clock": (
        "import org.springframework.data.mongodb.config.EnableMongoAuditing;",
        "@EnableMongoAuditing static class E {}",
        "@org.springframework.data.mongodb.config.EnableMongoAuditing",
    ),
    "context by a hook": (
        "import org.springframework.context.*;",
        "abstract static class A implements ApplicationContextAware {}",
        "org.springframework.context.ApplicationContextAware",
    ),
    "context by a listener": (
        "import org.springframework.context.*;",
        "abstract static class A implements ApplicationListener<ApplicationEvent> {}",
        "org.springframework.context.ApplicationListener",
    ),
    "clock by a subclass": ("", "static class Now extends java.util.Date {}", "java.util.Date.new"),
    "clock in a query": (
        "import org.springframework.data.mongodb.repository.Query;",
        'interface R { @Query("{ at: { $gt: new Date() } }") Object a(); }',
        "clock or chance in @org.springframework.data.mongodb.repository.Query",
    ),
    "file of beans": (
        "import org.springframework.context.annotation.ImportResource;",
        '@ImportResource("file:/tmp/x.xml") static class C {}',
        "org.springframework.context.annotation.ImportResource",
    ),
}


def source(name: str, body: str, imports: str = "") -> str:
    return f"package app;\n{imports}\nclass {name} {{\n{body}\n}}\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def found(program) -> dict[str, list[dict[str, Any]]]:
    """All samples compiled together: what is forbidden, by the name of its sample."""
    statements = {
        kind: (f"static void call() throws Throwable {{\n{code}\n}}", "") for kind, (code, _) in OUTSIDE.items()
    }
    bodies = statements | {kind: (body, imports) for kind, (imports, body, _) in DECLARATIONS.items()}
    names = {f"app/S{at}.java": kind for at, kind in enumerate(bodies)}
    files = {path: source(path[4:-5], *bodies[kind]) for path, kind in names.items()}
    result = await program.compile(files)
    by_sample: dict[str, list[dict[str, Any]]] = {}
    for use in result["forbidden"]:
        by_sample.setdefault(names[use["file"]], []).append(use)
    return by_sample


@pytest.mark.parametrize("kind", OUTSIDE)
async def test_a_symbol_outside_the_list_is_named_with_its_line(found, kind):
    _, symbols = OUTSIDE[kind]
    assert symbols <= {each["symbol"] for each in found[kind]}
    assert {each["line"] for each in found[kind]} == {5}


@pytest.mark.parametrize("kind", DECLARATIONS)
async def test_a_declaration_hides_nothing(found, kind):
    _, _, symbol = DECLARATIONS[kind]
    at = [*OUTSIDE, *DECLARATIONS].index(kind)
    assert symbol.replace("{at}", str(at)) in {each["symbol"] for each in found[kind]}


async def test_what_a_data_layer_needs_is_on_the_list(program):
    imports = """
    import java.math.*; import java.time.*; import java.util.*; import java.util.function.*; import java.util.stream.*;
    import org.bson.Document; import org.bson.types.ObjectId; import org.slf4j.*;
    import org.springframework.beans.factory.annotation.*; import org.springframework.context.annotation.*;
    import org.springframework.beans.factory.InitializingBean; import org.springframework.data.annotation.*;
    import org.springframework.data.domain.*; import org.springframework.data.mongodb.core.mapping.Field;
    import org.springframework.data.mongodb.core.*; import org.springframework.data.mongodb.core.aggregation.*;
    import org.springframework.data.mongodb.core.index.*; import org.springframework.data.mongodb.core.query.*;
    import org.springframework.data.convert.*; import org.springframework.core.convert.converter.Converter;
    import org.springframework.data.support.PageableExecutionUtils; import org.springframework.stereotype.Service;
    import org.springframework.transaction.annotation.Transactional;
    import com.mongodb.client.model.*;
    """
    body = """
    private static final Logger LOG = LoggerFactory.getLogger(Code.class);
    enum Stage { OPEN; static Stage of(int n) { return values()[n]; } }
    sealed interface Shape permits Square, Circle {}
    record Square(int side) implements Shape {}
    record Circle(BigDecimal radius) implements Shape {}
    @ReadingConverter static class FromText implements Converter<String, Stage> {
        @Override public Stage convert(String text) { return Stage.valueOf(text.strip().toUpperCase(Locale.ROOT)); }
    }
    @org.springframework.data.mongodb.core.mapping.Document(collection = "sales_" + "${spring.data.mongodb.database:a}")
    @CompoundIndex(name = "code_at", def = "{'code': 1, 'at': -1}", unique = true)
    record Sale(@Id String id, @Field("c") @Indexed String code, @Version Long version, @Transient int cached) {}
    interface Sold extends org.springframework.data.mongodb.repository.MongoRepository<Sale, String> {
        @org.springframework.data.mongodb.repository.Query("{ code: ?0, at: { $gt: ISODate('2020-01-01') } }")
        List<Sale> since(@org.springframework.data.repository.query.Param("code") String code);
        @org.springframework.data.mongodb.repository.Aggregation({"{ $match: { code: ?0 } }", "{ $count: 'n' }"})
        long n(String code);
    }
    @Service @Lazy static class Sales implements InitializingBean {
        private final MongoTemplate mongo;
        private final Clock clock;
        @Autowired
        Sales(MongoTemplate mongo, @Qualifier("clock") Clock clock, @Value("${spring.mongodb.uri}") String uri) {
            this.mongo = mongo;
            this.clock = clock;
        }
        List<Document> today() {
            var query = new BasicQuery("{ code: { $regex: '^\\\\d' } }");
            query.addCriteria(Criteria.where("at").gte(LocalDate.now(clock)));
            return mongo.find(query, Document.class, "sales");
        }
        @Override public void afterPropertiesSet() {
            mongo.indexOps("sales").createIndex(new Index().on("code", Sort.Direction.ASC).unique());
        }
        @Transactional public Page<Document> page(Pageable pageable) {
            var query = new Query(Criteria.where("a").gte(1).and("b").in(List.of(1, 2))).with(pageable);
            var found = mongo.find(query, Document.class, "sales");
            var all = Query.of(query).limit(-1).skip(-1);
            return PageableExecutionUtils.getPage(found, pageable, () -> mongo.count(all, "sales"));
        }
        List<Document> raw() {
            var chosen = Filters.and(Filters.eq("a", new ObjectId(1, 2)), Filters.gt("b", 1));
            return mongo.getCollection("sales").find(chosen)
                .sort(Sorts.ascending("a")).into(new ArrayList<>());
        }
    }
    static String call(Shape shape, int[] numbers) {
        var text = switch (shape) { case Square(var side) when side > 1 -> "square " + side; default -> "other"; };
        int total = 0;
        for (var number : numbers) { total += numbers.length + Math.floorMod(number, 3); }
        var parity = Collectors.groupingBy((Integer n) -> n % 2, TreeMap::new, Collectors.counting());
        var grouped = IntStream.of(numbers).boxed().collect(parity);
        LOG.debug("{}", grouped);
        System.out.println(text);
        if (total < 0) { throw new IllegalStateException("negative: %d".formatted(total)); }
        return Optional.of(text).map(String::length).map(Object::toString).orElseThrow(NoSuchElementException::new)
            + LocalDate.now(Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)).getClass().getSimpleName()
            + Duration.between(Instant.EPOCH, new Date(1).toInstant()) + UUID.fromString("0-0-0-0-0");
    }
    """
    result = await program.compile_code(body, imports)
    assert result["forbidden"] == []


@pytest.mark.parametrize("layer", LAYERS)
async def test_what_the_rules_write_is_on_the_list(program, layer):
    result = await program.compile({file.path: file.text for file in drafted(layer).translation.files})
    assert result["forbidden"] == []
