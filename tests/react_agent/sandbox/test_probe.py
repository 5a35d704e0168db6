import sys

import pytest

from react_agent.sandbox.isolation import Isolation
from react_agent.sandbox.probe import find_bwrap, find_isolation

linux = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap needs Linux")


@linux
def test_bubblewrap_comes_with_our_package_or_the_system():
    found = find_bwrap()
    assert found is not None
    assert found.name == "bwrap"


@linux
async def test_where_isolation_fails_bubblewraps_own_words_are_the_reason(tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    found = await find_isolation(broken)
    assert not found.available
    assert found.reason == f"{broken} says: bwrap: No permissions to create new namespace"
    assert found.hint


@linux
async def test_a_bubblewrap_that_does_not_start_is_a_reason_too(tmp_path):
    found = await find_isolation(tmp_path / "none")
    assert isinstance(found, Isolation)
    assert not found.available
    assert "none" in found.reason
