"""The Java source writer: layout, escapes, imports."""

from hypothesis import given
from hypothesis import strategies as st

from react_agent.spring.java import WIDTH, Imports, call, chain, flat, javadoc, lay_out, source, text


def test_what_fits_stays_on_one_line() -> None:
    assert lay_out(chain(call("where", '"a"'), call("is", "b"))) == 'where("a").is(b)'


def test_what_does_not_fit_puts_each_argument_on_its_line() -> None:
    long = call("newAggregation", call("match", "a" * 50), call("unwind", "b" * 50), call("skip", "c" * 50))

    assert lay_out(long, "    ").split("\n") == [
        "newAggregation(",
        f"            match({'a' * 50}),",
        f"            unwind({'b' * 50}),",
        f"            skip({'c' * 50}))",
    ]


def test_as_stays_with_what_it_names() -> None:
    links = [link for n in range(6) for link in (call("and", f'"field{n}.name"'), call("as", f'"name{n}"'))]
    lines = lay_out(chain(call("project"), *links), "        ").split("\n")

    assert lines[1].strip() == '.and("field0.name").as("name0")'
    assert all(len(line) <= WIDTH for line in lines)


@given(st.lists(st.text("ab", min_size=1, max_size=30), max_size=12), st.integers(0, 5))
def test_layout_changes_only_blanks(words: list[str], depth: int) -> None:
    code = call("leaf", *words)
    for _ in range(depth):
        code = chain(call("node", code, "x"), call("next", *words), call("as", '"y"'))

    assert "".join(lay_out(code, "    ").split()) == "".join(flat(code).split())


def test_strings_are_escaped_for_java() -> None:
    assert text('a"\\\n\t\u0001é') == '"a\\"\\\\\\n\\t\\u0001é"'


def test_a_comment_cannot_be_closed_by_its_text() -> None:
    assert javadoc("ends */ here") == ["/** ends *&#47; here */"]
    assert javadoc("") == []


def test_a_second_class_of_the_same_name_is_written_in_full() -> None:
    imports = Imports(package="a", reserved=frozenset({"List"}))

    assert imports.use("org.bson.Document") == "Document"
    assert imports.use("b.Document") == "b.Document"
    assert imports.use("java.util.List") == "java.util.List"
    assert imports.use("a.Own") == "Own"


def test_only_what_the_body_names_is_imported() -> None:
    imports = Imports(package="a")
    imports.use("java.util.Set")
    body = [f"{imports.use('java.util.List')} x;", f"{imports.use('java.lang.Integer')} y;"]

    assert source("a", imports, body) == "package a;\n\nimport java.util.List;\n\nList x;\nInteger y;\n"
