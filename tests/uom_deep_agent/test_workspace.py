import os
from pathlib import Path

import pytest

from uom_deep_agent.workspace import LocalFiles, OutsideWorkspace


def contents(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir()}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text("secret")
    return folder


@pytest.mark.parametrize(
    "path", ["/../outside/secret", "/a/../../outside/secret", "/link/secret", "/file", "/new/../../x"]
)
async def test_no_path_leaves_the_workspace(workspace: Path, outside: Path, path: str) -> None:
    (workspace / "link").symlink_to(outside)
    (workspace / "file").symlink_to(outside / "secret")
    files = LocalFiles(workspace)
    with pytest.raises(OutsideWorkspace):
        await files.read_bytes(path)
    with pytest.raises(OutsideWorkspace):
        await files.write_bytes(path, b"x")
    assert contents(outside) == {"secret": b"secret"}


async def test_deleting_a_link_leaves_what_it_points_to(workspace: Path, outside: Path) -> None:
    (workspace / "link").symlink_to(outside)
    await LocalFiles(workspace).delete("/link")
    assert (outside / "secret").exists()
    with pytest.raises(OutsideWorkspace):
        await LocalFiles(workspace).delete("/")
    with pytest.raises(FileNotFoundError):
        await LocalFiles(workspace).delete("/none")


async def test_bytes_are_written_as_they_are_into_new_folders(workspace: Path) -> None:
    data = bytes(range(256)) * 10
    await LocalFiles(workspace).write_bytes("/a b/č/x.bin", data)
    assert (workspace / "a b/č/x.bin").read_bytes() == data
    assert await LocalFiles(workspace).read_bytes("/a b/č/x.bin") == data


async def test_written_file_keeps_its_mode_and_leaves_no_other_file(workspace: Path) -> None:
    script = workspace / "run.sh"
    script.write_bytes(b"old")
    script.chmod(0o755)
    os.link(script, workspace / "other name")
    await LocalFiles(workspace).write_bytes("/run.sh", b"new")
    assert script.stat().st_mode & 0o777 == 0o755
    assert contents(workspace) == {"other name": b"old", "run.sh": b"new"}


async def test_link_inside_the_workspace_is_written_through(workspace: Path) -> None:
    (workspace / "real").write_bytes(b"old")
    (workspace / "link").symlink_to("real")
    await LocalFiles(workspace).write_bytes("/link", b"new")
    assert (workspace / "link").is_symlink()
    assert (workspace / "real").read_bytes() == b"new"


async def test_folder_is_no_file(workspace: Path) -> None:
    (workspace / "d").mkdir()
    with pytest.raises(IsADirectoryError):
        await LocalFiles(workspace).write_bytes("/d", b"x")
    with pytest.raises(IsADirectoryError):
        await LocalFiles(workspace).read_bytes("/d")
