"""A bare system: what the launcher does where there is no Python yet."""

from __future__ import annotations

import json
import sys

import pytest

APT_GET = f"""#!/bin/bash
echo "apt-get $*" >>"$FAKE_LOG"
[[ ! -e $FAKE_LOG.offline ]] || {{ echo "E: Unable to locate package"; exit 100; }}
[[ $1 != install ]] || /bin/ln -s {sys.executable} "${{0%/*}}/python3"
"""


@pytest.fixture(name="bare")
def _bare(gemmlab):
    launcher = gemmlab.root / "gemmlab"
    launcher.write_text(launcher.read_text().replace("/usr/bin/python3", "/nowhere/python3"))
    gemmlab.fake("apt-get", APT_GET)
    return gemmlab


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("course", "--help"),
                                   ("run", "quick", "-h")])
def test_help_needs_none(bare, words):
    done = bare(*words)
    assert (done.returncode, done.stderr, bare.log.read_text()) == (0, "", "") and done.stdout


def test_what_is_no_command_is_refused_before_anything_is_installed(bare):
    done = bare("mesure\x1b", "--json")
    assert (done.returncode,
            done.stderr) == (2, "gemmlab: there is no command 'mesure?' (see gemmlab --help)\n")
    assert (f"gemmlab: {json.loads(done.stdout)['error']}\n" == done.stderr
            and bare.log.read_text() == "")


def test_root_gets_it_and_the_command_goes_on(bare):
    done = bare("list")
    assert done.returncode == 0 and "argument <list>" in done.stdout, done.stderr
    assert bare.calls("apt-get")[:2] == [
        "apt-get update",
        "apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=300 python3-venv"]
    assert "gemmlab: installing python3-venv\n" in done.stderr


def test_where_it_cannot_be_had_the_log_is_named(bare):
    bare.log.with_name("calls.offline").touch()
    done = bare("list")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[-2:] == ["E: Unable to locate package",
                                             ("gemmlab: python3-venv could not be installed; the "
                                              f"whole log: {bare.root}/build/launcher/python.log")]


@pytest.mark.parametrize("sudo", [None, "#!/bin/bash\nexit 1\n"])
def test_without_root_or_sudo_the_exact_command_is_printed(bare, sudo):
    bare.user(1000)
    if sudo:
        bare.fake("sudo", sudo)
    done = bare("list")
    assert done.returncode == 2 and done.stderr.endswith(": sudo apt-get update && sudo apt-get "
                                                         "install python3-venv\n")
    assert bare.calls("apt-get") == []


def test_a_finished_program_runs_without(bare):
    done = bare("run", "quick", GEMMLAB_BUILD=str(bare.finished_build()))
    assert done.returncode == 0 and done.stdout.startswith("argument <run>\nargument <quick>\n")
    assert bare.log.read_text() == ""
