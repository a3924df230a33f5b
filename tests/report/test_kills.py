"""A share of the kills of kills.py, which does a hundred: `python tests/report/kills.py`."""

import subprocess
import sys
from pathlib import Path

import kills


def test_no_kill_leaves_a_mixture():
    done = subprocess.run([sys.executable, str(Path(kills.__file__)), "--kills", "16", "--seconds",
                           "20"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_command_that_writes_in_place_is_found(tmp_path, capsys):
    def in_place(arguments):
        (tmp_path / "marker").touch()
        for name in ("old", "new"):
            path = kills.Path("out") / name
            path.parent.mkdir(exist_ok=True)
            path.write_text("x")
            kills.os.replace(path, path.with_suffix(".csv"))

    hit, wrong = kills.kills_of(kills.Writer("in place", (), does=in_place), 20, "1", tmp_path,
                                kills.time.monotonic() + 30)
    assert hit and any("a mixture" in one for one in wrong)
