import asyncio

import pytest

from react_agent.sandbox.artifacts import ArtifactDamaged, ArtifactMissing, ArtifactRef, ArtifactStore


async def test_bytes_come_back_by_their_reference(tmp_path):
    store = ArtifactStore(tmp_path / "store")
    ref = await store.put(b"\x00rows\r\n", "json")
    assert await store.get(ref) == b"\x00rows\r\n"
    assert await store.get(ArtifactRef.from_json(ref.to_json())) == b"\x00rows\r\n"


async def test_the_same_bytes_are_stored_once_by_many_writers(tmp_path):
    store = ArtifactStore(tmp_path)
    refs = await asyncio.gather(*(store.put(b"x" * 100_000, "log") for _ in range(20)))
    assert len(set(refs)) == 1
    assert len([each for each in tmp_path.rglob("*") if each.is_file()]) == 1


async def test_damaged_bytes_are_refused_and_a_new_put_mends_them(tmp_path):
    store = ArtifactStore(tmp_path)
    ref = await store.put(b"rows", "json")
    (path,) = [each for each in tmp_path.rglob("*") if each.is_file()]
    path.write_bytes(b"row")
    with pytest.raises(ArtifactDamaged, match="does not hold what was stored"):
        await store.get(ref)
    await store.put(b"rows", "json")
    assert await store.get(ref) == b"rows"


async def test_an_unknown_reference_is_missing(tmp_path):
    ref = await ArtifactStore(tmp_path / "one").put(b"rows", "json")
    with pytest.raises(ArtifactMissing, match="run the step again"):
        await ArtifactStore(tmp_path / "other").get(ref)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"uri": "artifact:../../etc/passwd", "format": "json", "content_hash": "../../etc/passwd"},
        {"uri": "file:///etc/passwd", "format": "json", "content_hash": "0" * 64},
    ],
)
def test_what_is_no_reference_is_refused(value):
    with pytest.raises(ValueError, match="not an artefact reference"):
        ArtifactRef.from_json(value)


async def test_a_format_is_a_file_ending(tmp_path):
    with pytest.raises(ValueError, match="file ending"):
        await ArtifactStore(tmp_path).put(b"", "../x")
