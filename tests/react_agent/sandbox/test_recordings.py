import json
from dataclasses import replace

import pytest

from react_agent.sandbox.recordings import (
    BUNDLED,
    BadRecording,
    Recording,
    find_recording,
    folders,
    now,
    save_recording,
    source_hash,
)

SOURCES = [("Schema.cs", "class A;\r\n"), ("Query.cs", "class Ä;")]


@pytest.fixture
def recording():
    return Recording(
        source_hash=source_hash(SOURCES),
        recorded_at=now(),
        engine={"name": "sqlite", "ef": "10.0.15", "culture": ""},
        compiled={"contexts": [], "entries": []},
        model={"context": "Shop"},
        instances=[{"id": "empty", "tables": {}}],
        calls=[{"id": "c1", "instance": "empty", "class": "Q", "method": "M", "args": []}],
        envelopes=[{"call": "c1", "instance": "empty", "outcome": "rows", "value": {"t": "list", "v": []}}],
    )


async def test_a_recording_comes_back_as_it_was_saved(recording, tmp_path):
    path = await save_recording(recording, tmp_path)
    assert path.name == f"{recording.source_hash}.json"
    assert await find_recording(recording.source_hash, [tmp_path]) == recording


async def test_the_first_place_that_has_one_wins(recording, tmp_path):
    older = replace(recording, recorded_at="2020-01-01T00:00:00+00:00")
    await save_recording(older, tmp_path / "later")
    await save_recording(recording, tmp_path / "first")
    places = [tmp_path / "none", tmp_path / "first", tmp_path / "later"]
    assert await find_recording(recording.source_hash, places) == recording
    assert await find_recording("0" * 64, places) is None


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda data: data[: len(data) // 2], "is no recording"),
        (lambda _: b"[]", "is no recording"),
        (lambda data: data.replace(b'"rows"', b'"none"'), "was changed or cut"),
        (lambda data: data.replace(b'"version": 1', b'"version": 9'), "format version 9, this UOM reads 1"),
    ],
)
async def test_a_damaged_or_foreign_file_is_named_with_the_fix(recording, tmp_path, damage, words):
    path = await save_recording(recording, tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BadRecording, match=rf"{recording.source_hash}\.json .*{words}.*record the source again"):
        await find_recording(recording.source_hash, [tmp_path])


async def test_a_recording_under_another_sources_name_is_refused(recording, tmp_path):
    path = await save_recording(recording, tmp_path)
    path.rename(tmp_path / f"{'a' * 64}.json")
    with pytest.raises(BadRecording, match="another source"):
        await find_recording("a" * 64, [tmp_path])


async def test_saving_again_replaces_and_leaves_no_partial_file(recording, tmp_path):
    await save_recording(recording, tmp_path)
    later = replace(recording, engine={"name": "sqlite", "ef": "10.0.16"})
    path = await save_recording(later, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert json.loads(path.read_text())["recording"]["engine"]["ef"] == "10.0.16"


def test_the_hash_is_of_paths_and_texts_in_any_order():
    assert source_hash(SOURCES) == source_hash(reversed(SOURCES))
    others = [
        [("Schema.cs", "class A;\n"), SOURCES[1]],
        [("S.cs", SOURCES[0][1]), SOURCES[1]],
        [("a", "bc")],
        [("ab", "c")],
    ]
    assert len({source_hash(each) for each in [SOURCES, *others]}) == 5


def test_places_are_the_folder_asked_for_then_the_variable_then_our_own(tmp_path):
    assert folders(tmp_path, {"UOM_RECORDINGS": "/team"})[0] == tmp_path
    assert [str(each) for each in folders(None, {"UOM_RECORDINGS": "/team"})] == ["/team", str(BUNDLED)]
    assert folders(None, {"UOM_RECORDINGS": ""}) == (BUNDLED,)
