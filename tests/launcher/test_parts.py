"""The launcher's own decisions, asked without starting it."""

from __future__ import annotations

import hashlib
import io
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT))

from commands.launch import build, messages, starts
from commands.launch.apt import first_of, names_of
from commands.launch.meant import nearest, steps


@pytest.mark.parametrize(("one", "other", "least"), [
    ("run", "run", 0), ("rn", "run", 1), ("runn", "run", 1), ("ran", "run", 1), ("rnu", "run", 1),
    ("", "run", 3), ("mesure", "merge", 3), ("abcd", "badc", 2), ("--hlep", "--help", 1)])
def test_steps_between_words(one, other, least):
    assert steps(one, other) == steps(other, one) == least


def test_of_two_that_are_as_near_the_first_is_meant_and_of_a_beginning_the_first():
    assert nearest("rat", ["rut", "rot"]) == "rut"
    assert nearest("ver", ["list", "verify", "version"]) == "verify"
    assert nearest("ve", ["verify"]) == nearest("x" * 25, ["x" * 25]) == ""


@pytest.mark.parametrize(("words", "built"), [
    ("doctor", True), ("doctor --json", True), ("doctor x", False), ("profile x", True),
    ("report x", False), ("merge x", False), ("assignment check x", True),
    ("assignment new x", False), ("submit x", True), ("explain x", True), ("library", True),
    ("test", True)])
def test_what_needs_a_build(words, built):
    command, *arguments = words.split()
    assert starts.starts()[command].needs_build(arguments) == built


@pytest.mark.parametrize(("words", "needed"),
                         [("run x", True), ("run x --no-report", False), ("run x --dry-run", False),
                          ("run x --shard 1/2", False), ("run x --shard=1/2", False),
                          ("list", False), ("library", False), ("test", True), ("course", True)])
def test_what_needs_python_packages(words, needed):
    command, *arguments = words.split()
    assert starts.needs_python(command, arguments) == needed


def test_a_hand_in_is_explained_by_the_judge_and_a_kernel_by_its_id_is_not():
    assert starts.taken("explain", ["a b.cu", "--json"]) == ("submit", ["a b.cu", "--json",
                                                                        "--emulate", "--no-timing"])
    assert starts.taken("explain", ["gpu.tiled"]) == ("explain", ["gpu.tiled"])


def test_every_command_of_the_usage_has_a_start_where_nothing_was_taken_off():
    assert set(starts.starts()) == set(starts.commands())


def test_the_launcher_names_no_command_of_a_satellite():
    texts = [(ROOT / "gemmlab").read_text(), (ROOT / "commands/launch/starts.py").read_text(),
             (ROOT / "commands/launch/__main__.py").read_text()]
    for one in starts.satellites().values():
        for name in {*one.commands, *one.starts}:
            assert not any(f'"{name}"' in text or f"'{name}'" in text for text in texts), name


def test_alternatives_of_a_package():
    assert names_of("?a|b", "c") == ["a", "b", "c"]
    assert (first_of("?a|b", ["b", "a"]), first_of("a", ["b"])) == ("a", "")


def test_a_fingerprint_is_of_the_file_and_the_texts(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"one\n")
    assert messages.fingerprint(file) == hashlib.sha256(b"one\n\n").hexdigest()[:16]
    assert messages.fingerprint(file, "a", "") == hashlib.sha256(b"one\n\na\n").hexdigest()[:16]


@pytest.mark.parametrize(("steps_of", "said"),
                         [(5, ""), (6, "gemmlab: compiling all (6 steps)\n"),
                          (40, "gemmlab: compiling all (40 steps; some minutes)\n")])
def test_progress_is_told_where_it_takes_more_than_a_moment_and_all_goes_to_the_log(capsys,
                                                                                    steps_of, said):
    lines = [b"ninja: entering\n",
             *(f"[{step}/{steps_of}] one\n".encode() for step in range(1, steps_of + 1))]
    copy = io.BytesIO()
    build.show_progress("all", lines, copy)
    assert (copy.getvalue(), capsys.readouterr().err) == (b"".join(lines), said)
