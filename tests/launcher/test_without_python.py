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
# The candidates of $FAKE_VERSIONS: python3 3.11.2-1, ...
APT_CACHE = """#!/bin/bash
while read -r name version; do
  [[ $name != "$2" ]] || printf '%s:\\n  Installed: (none)\\n  Candidate: %s\\n' "$name" "$version"
done <<<"$FAKE_VERSIONS"
"""


@pytest.fixture(name="bare")
def _bare(gemmlab):
    launcher = gemmlab.root / "gemmlab"
    launcher.write_text(launcher.read_text().replace("/usr/bin/python3", "/nowhere/python3"))
    gemmlab.fake("apt-get", APT_GET)
    gemmlab.fake("apt-cache", APT_CACHE)
    gemmlab.environment["FAKE_VERSIONS"] = "python3 3.11.2-1"
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
                                             ("gemmlab: Python 3.11 or later could not be "
                                              f"installed; the whole log: {bare.root}/build/launcher/python.log")]


def test_beside_an_older_one_that_is_the_systems_own_another_is_installed(bare):
    done = bare("list", FAKE_VERSIONS="python3 3.10.6-1~22.04\npython3.11 3.11.0~rc1-1~22.04")
    assert done.returncode == 0, done.stderr
    assert bare.calls("apt-get")[1].endswith(" python3.11-venv")


def test_an_archive_whose_python_is_too_old_is_told_in_one_line_and_nothing_is_installed(bare):
    done = bare("list", FAKE_VERSIONS="python3 3.9.2-3")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", (
        "gemmlab: this system's archive has no Python 3.11 or later; those of Debian 12, Ubuntu "
        "22.04 and later do\n"))
    assert bare.calls("apt-get") == ["apt-get update"]


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
