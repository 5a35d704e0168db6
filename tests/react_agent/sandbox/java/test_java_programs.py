"""The Java worker answers for any program: one that does not compile, one that does not start, one that misbehaves."""

import pytest

from react_agent.sandbox.job import Worker, WorkerSettings
from react_agent.sandbox.protocol import JobKilled, JobRefused, JobTimedOut, KillReason

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(300), pytest.mark.asyncio(loop_scope="module")]

STRING = {"kind": "scalar", "type": "string"}


async def test_an_error_names_file_line_column_and_code(program):
    with pytest.raises(JobRefused) as refused:
        await program.compile({"src/main/java/app/A.java": "package app;\nclass A {\n    int a = nothing;\n}\n"})
    assert refused.value.stage == "compile"
    (found,) = refused.value.diagnostics
    assert (found.file, found.line, found.column) == ("src/main/java/app/A.java", 3, 13)
    assert found.code == "compiler.err.cant.resolve.location"
    assert "nothing" in found.message


async def test_every_error_of_every_file_is_told(program):
    with pytest.raises(JobRefused) as refused:
        await program.compile({
            "a/A.java": "package a; class A { B b; }",
            "a/C.java": "package a; class C { int x = true; String y = 1; }",
        })
    assert [each.file for each in refused.value.diagnostics] == ["a/A.java", "a/C.java", "a/C.java"]


async def test_warnings_do_not_stop_a_program(program):
    result = await program.compile_code("public static java.util.List call() { return new java.util.ArrayList(); }")
    assert {each["code"] for each in result["warnings"]} == {"compiler.warn.raw.class.use"}


async def test_the_release_is_held_to(program):
    source = {"path": "A.java", "text": "class A { void a(Object o) { if (o instanceof int i) {} } }"}
    with pytest.raises(JobRefused):
        await program.worker.request("compile", {"sources": [source], "release": 21})


async def test_no_java_file_is_refused(program):
    with pytest.raises(JobRefused, match=r"no \.java file among the sources"):
        await program.compile({"pom.xml": "<project/>"})


async def test_a_second_run_sees_no_static_state_of_the_first(program):
    await program.compile_code("static int count; public static int call() { return ++count; }")
    shape = {"kind": "scalar", "type": "int"}
    assert [(await program.call_code(shape))["value"]["v"] for _ in range(2)] == ["1", "1"]


async def test_a_class_with_a_library_name_is_the_one_that_was_checked(program):
    files = {
        "uom/worker/Json.java": """package uom.worker;
public class Json { public static String say() { return "mine"; } }""",
        "app/Code.java": """package app;
public class Code { public static String call() { return uom.worker.Json.say(); } }""",
        "app/App.java": program.configuration,
    }
    assert (await program.compile(files))["forbidden"] == []
    assert (await program.call_code(STRING))["value"]["v"] == "mine"


async def test_a_configuration_with_an_address_of_its_own_does_not_start(program):
    other = program.configuration.replace(
        'environment.getRequiredProperty("spring.data.mongodb.uri")',
        '"mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200"',
    )
    await program.compile({
        "app/App.java": other,
        "app/Code.java": "package app; public class Code { public static void call() {} }",
    })
    with pytest.raises(JobRefused, match=r"must take its address from the property spring\.mongodb\.uri") as refused:
        await program.call_code(STRING)
    assert refused.value.stage == "context"


HEAD = """
package app;
import com.mongodb.client.*;
import org.springframework.context.annotation.*;
import org.springframework.core.env.Environment;
import org.springframework.data.mongodb.*;
import org.springframework.data.mongodb.config.AbstractMongoClientConfiguration;
import org.springframework.data.mongodb.core.*;
"""
BASE_CLASS = (
    HEAD
    + """
@Configuration class App extends AbstractMongoClientConfiguration {
    private final Environment environment;
    App(Environment environment) { this.environment = environment; }
    @Override protected String getDatabaseName() { return "app"; }
    @Override public MongoClient mongoClient() { return MongoClients.create(URI); }
}
"""
)
IN_A_FACTORY = (
    HEAD
    + """
@Configuration class App {
    @Bean MongoDatabaseFactory factory(Environment environment) {
        return new SimpleMongoClientDatabaseFactory(MongoClients.create(URI), "app");
    }
    @Bean MongoTemplate template(MongoDatabaseFactory factory) { return new MongoTemplate(factory); }
}
"""
)
IN_A_TEMPLATE = (
    HEAD
    + """
@Configuration class App {
    @Bean MongoTemplate template(Environment environment) { return new MongoTemplate(MongoClients.create(URI), "app"); }
    @Bean MongoDatabaseFactory factory(MongoTemplate template) { return template.getMongoDatabaseFactory(); }
}
"""
)
CLIENTS = {"base class": BASE_CLASS, "in a factory": IN_A_FACTORY, "in a template": IN_A_TEMPLATE}
THREADS = "package app; public class Code { public static int call() { return Thread.getAllStackTraces().size(); } }"


@pytest.mark.parametrize("made", CLIENTS)
async def test_a_client_that_is_no_bean_is_closed_with_its_context(program, made):
    uri = 'environment.getRequiredProperty("spring.mongodb.uri")'
    await program.compile({"app/App.java": CLIENTS[made].replace("URI", uri), "app/Code.java": THREADS})
    counts = [int((await program.call_code({"kind": "scalar", "type": "int"}))["value"]["v"]) for _ in range(12)]
    assert counts[-1] <= counts[2] + 2, counts


@pytest.mark.parametrize("made", CLIENTS)
async def test_a_client_that_is_no_bean_has_no_address_of_its_own_either(program, made):
    uri = '"mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200"'
    await program.compile({"app/App.java": CLIENTS[made].replace("URI", uri), "app/Code.java": THREADS})
    with pytest.raises(JobRefused, match=r"must take its address from the property spring\.mongodb\.uri"):
        await program.call_code(STRING)


async def test_a_context_that_does_not_start_tells_the_root_cause(program):
    failing = program.configuration.replace('"app");', "null);")
    await program.compile({
        "app/App.java": failing,
        "app/Code.java": "package app; public class Code { public static void call() {} }",
    })
    with pytest.raises(JobRefused, match=r"did not start: .*; caused by java.lang.IllegalArgumentException") as refused:
        await program.call_code(STRING)
    assert refused.value.stage == "context"


async def test_the_environment_of_the_process_is_not_seen(program):
    imports = "import org.springframework.core.env.Environment;"
    await program.compile_code(
        "final Environment e; public Code(Environment e) { this.e = e; }\n"
        'public String call() { return e.getProperty("PATH"); }',
        imports,
    )
    assert (await program.call_code(STRING))["outcome"] == "none"


async def test_prints_go_to_the_log_and_never_into_a_frame(single_use):
    body = r"""
    public static String call() {
        System.out.println("\0\0\0\u0002{}");
        System.err.println("to stderr");
        System.out.print("{\"id\": 2, \"ok\": true, \"result\": {\"envelopes\": []}}");
        System.out.flush();
        return "answer";
    }"""
    await single_use.compile_code(body)
    assert (await single_use.call_code(STRING))["value"]["v"] == "answer"
    assert (await single_use.call_code(STRING))["value"]["v"] == "answer"
    assert "to stderr" in single_use.worker.log


@pytest.mark.parametrize(
    ("thrown", "kind"),
    [
        ('IllegalStateException("Sequence contains more than one element")', "too_many"),
        ('IllegalStateException("not now")', "error"),
        ('java.util.NoSuchElementException("none")', "not_found"),
        ("org.springframework.dao.EmptyResultDataAccessException(1)", "not_found"),
        ("AssertionError()", "error"),
    ],
)
async def test_what_a_program_throws_has_a_kind(program, thrown, kind):
    await program.compile_code(f"public static String call() {{ throw new {thrown}; }}")
    envelope = await program.call_code(STRING)
    assert (envelope["outcome"], envelope["kind"], envelope["exception"]) == ("throws", kind, qualified(thrown))


def qualified(thrown: str) -> str:
    name = thrown.partition("(")[0]
    return name if "." in name else f"java.lang.{name}"


async def test_endless_recursion_is_an_outcome(program):
    await program.compile_code(
        'static int deep(int n) { return deep(n + 1) + 1; } public static String call() { return "" + deep(0); }'
    )
    envelope = await program.call_code(STRING)
    assert (envelope["outcome"], envelope["exception"], envelope["kind"]) == (
        "throws",
        "java.lang.StackOverflowError",
        "error",
    )


async def test_an_exit_is_the_end_of_the_worker(single_use):
    await single_use.compile_code("public static void call() { System.exit(7); }")
    with pytest.raises(JobKilled, match="exit code 7") as killed:
        await single_use.call_code(STRING)
    assert killed.value.reason == KillReason.DIED


async def test_a_full_heap_is_the_end_of_the_worker(single_use):
    await single_use.compile_code(
        "public static void call() {\n"
        "    var all = new java.util.ArrayList<byte[]>(); while (true) all.add(new byte[1 << 24]);\n"
        "}"
    )
    with pytest.raises(JobKilled):
        await single_use.call_code(STRING)
    assert "OutOfMemoryError" in single_use.worker.log


async def test_an_endless_loop_is_ended_in_time(single_use):
    await single_use.compile_code("public static void call() { while (true) Thread.onSpinWait(); }")
    call = {"id": "1", "instance": "empty", "class": "app.Code", "method": "call", "args": [], "shape": STRING}
    payload = {"configuration": "app.App", "instances": [{"id": "empty", "collections": {}}], "calls": [call]}
    with pytest.raises(JobTimedOut):
        await single_use.worker.request("run", payload, timeout=1)


async def test_many_rows_fit_a_frame_and_too_many_are_refused(single_use):
    await single_use.compile_code(
        'public static Object call(int n, int length) { return java.util.Collections.nCopies(n, "x".repeat(length)); }'
    )
    shape = {"kind": "list", "element": STRING}
    short = {"t": "int", "v": "10"}
    many = await single_use.call_code(shape, n={"t": "int", "v": "50000"}, length=short)
    assert many["row_count"] == 50_000
    with pytest.raises(JobRefused, match="larger than a frame may be"):
        await single_use.call_code(shape, n={"t": "int", "v": "80"}, length={"t": "int", "v": "1000000"})
    again = await single_use.call_code(shape, n={"t": "int", "v": "1"}, length=short)
    assert again["row_count"] == 1


async def test_the_worker_ends_well_when_its_input_closes(single_use):
    single_use.worker._writer.close()
    assert await single_use.worker._program.wait() == 0


async def test_it_works_apart_from_the_machine(jvm, isolation, lending):
    worker = await Worker.start(jvm, WorkerSettings(inet=True), bwrap=isolation.bwrap)
    try:
        worker.watch()
        sources = [{"path": path, "text": text} for path, text in lending.items()]
        await worker.request("compile", {"sources": sources, "release": 21})
        members = [{"_id": {"$numberInt": "1"}, "card": "c-1"}]
        owner = "org.example.lending.query.LendingQueries"
        call = {
            "id": "1",
            "instance": "one",
            "class": owner,
            "method": "cards",
            "args": [],
            "shape": {"kind": "list", "element": STRING},
        }
        instances = [{"id": "one", "collections": {"members": members}}]
        configuration = "org.example.lending.LendingConfiguration"
        result = await worker.request("run", {"configuration": configuration, "instances": instances, "calls": [call]})
        assert result["envelopes"][0]["value"]["v"] == [{"t": "string", "v": "c-1"}]
    finally:
        await worker.end()
