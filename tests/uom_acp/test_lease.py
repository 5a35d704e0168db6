import subprocess
import sys
from pathlib import Path

import pytest

from uom_acp.errors import SessionElsewhere
from uom_acp.lease import Lease

HOLD = """
import sys, pathlib
from uom_acp.lease import Lease
held = Lease.take(pathlib.Path(sys.argv[1]), "s")
print("held", flush=True)
sys.stdin.read()
"""


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    lease = Lease.take(tmp_path, "s")
    with pytest.raises(SessionElsewhere, match="process"):
        Lease.take(tmp_path, "s")
    lease.release()
    lease.release()
    Lease.take(tmp_path, "s").release()


def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    program = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(SessionElsewhere, match=str(process.pid)):
            Lease.take(tmp_path, "s")
        process.kill()
        process.wait()
    Lease.take(tmp_path, "s").release()
