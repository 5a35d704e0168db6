"""Fenced files come out as they went in, whatever they hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_agent.fences import code_fields, fenced, is_safe, replaced, unfenced
from react_agent.model.translation import SourceFile

TEXT = st.text(st.characters(exclude_categories=("Cs",))) | st.lists(
    st.sampled_from(["```", "````java path=b.java", "~~~", "class A {}", "", " ```", "\t"])
).map("\n".join)
NAMES = st.from_regex(r"[a-z]{1,6}(/[A-Za-z]{1,8}){0,3}\.(java|xml|json|txt)", fullmatch=True)


@given(st.dictionaries(NAMES, TEXT, max_size=4))
def test_what_is_fenced_is_unfenced(files):
    given_files = tuple(SourceFile(path=path, text=text) for path, text in files.items())
    found = unfenced(fenced(given_files))
    assert [file.path for file in found] == list(files)
    for file, read in zip(given_files, found, strict=True):
        assert read.text == (file.text if file.text.endswith("\n") else f"{file.text}\n")


@given(TEXT, NAMES)
def test_prose_around_a_file_changes_nothing(text, name):
    block = fenced([SourceFile(path=name, text=text)])
    assert unfenced(f"Here it is:\n\n{block}\n\nI hope it helps.") == unfenced(block)


def test_the_last_file_of_a_path_wins_and_one_without_a_path_is_none():
    text = "```java path=A.java\nold\n```\n```java\nnothing\n```\n```java path=A.java\nnew\n```"
    assert unfenced(text) == (SourceFile(path="A.java", text="new\n"),)


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../up.java", "a/../../b", "C:\\x.java", "\\\\host\\x", "a\\..\\..\\b"]
)
def test_a_path_that_leaves_the_project_is_no_file(path):
    assert not is_safe(path)
    assert unfenced(f"```java path={path}\nx\n```") == ()


def test_files_take_the_place_of_their_own_path():
    old = (SourceFile(path="a", text="1"), SourceFile(path="b", text="1"))
    new = (SourceFile(path="c", text="2"), SourceFile(path="b", text="2"))
    assert [(f.path, f.text) for f in replaced(old, new)] == [("a", "1"), ("b", "2"), ("c", "2")]


def test_query_classes_and_what_they_stand_on_are_told_apart():
    files = (SourceFile(path="src/main/java/a/Q.java", text="q\n"), SourceFile(path="pom.xml", text="p\n"))
    found = code_fields(files, ["a.Q"])
    assert unfenced(found["translated_query_code"]) == files[:1]
    assert unfenced(found["translated_schema_code"]) == files[1:]
