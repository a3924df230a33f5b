"""What is printed hands a terminal nothing that it obeys, whatever the locale: titles, names of
files, what others wrote."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys

import pytest
from sample_records import DATA, ROOT, needs_command

from files.safe import harmless

ODD = "a\x1b[31m\x9b2J\u202eb\x07\r\u2066\u2028c\udc9b"
SAID = "a\\u001b[31m\\u009b2J\\u202eb\\u0007\\u000d\\u2066\\u2028c\\udc9b"


def python(script: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-c", script, *arguments],
                          capture_output=True, timeout=120, check=False, cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": str(ROOT), **variables})


def obeyed(text: bytes) -> list[str]:
    """What a terminal would obey in it."""
    return [letter for letter in text.decode("utf-8")
            if letter != "\n" and harmless(letter) != letter]


def test_letters_lines_and_tabs_stay():
    assert harmless("é 矩阵 ×·µ\t≥\r\n\u00a0\u200d") == "é 矩阵 ×·µ\t≥\r\n\u00a0\u200d"
    assert harmless(ODD) == SAID


def test_in_json_it_means_the_same():
    assert json.loads(harmless(json.dumps(ODD, ensure_ascii=False))) == ODD


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize("encoding", ["utf-8", "gbk", "latin-1", "ascii"])
def test_both_streams_are_guarded_in_every_locale(locale, encoding):
    script = ("import sys\nfrom commands import terminal_output\nterminal_output.guard()\n"
              f"print({ODD!r} + '矩 µ')\nsys.stderr.write({ODD!r} + '矩 µ\\n')\n"
              f"raise ValueError({ODD!r})")
    done = python(script, LC_ALL=locale, PYTHONIOENCODING=encoding)
    assert done.stdout.decode("utf-8") == f"{SAID}矩 µ\n"
    assert done.stderr.decode("utf-8").startswith(f"{SAID}矩 µ\n") and obeyed(done.stderr) == []


@pytest.mark.parametrize("command", [("compare", "RESULTS", "RESULTS"), ("doctor", "RESULTS"),
                                     ("merge", "RESULTS", "--output", "OUT"),
                                     ("export", "RESULTS", "--output", "OUT", "--format", "csv")])
def test_titles_labels_and_names_of_files_of_others(tmp_path, command):
    needs_command(command[0])
    folder = tmp_path / "odd\x1b[2J\u202e"
    folder.mkdir()
    lines = (DATA / "workstation" / "quick.jsonl").read_text(encoding="utf-8").splitlines()[:-1]
    for place, line in enumerate(lines):
        record = json.loads(line)
        record["reason"] = ODD.encode("utf-8", "replace").decode()
        if record["kind"] == "run":
            record["definition"]["title"] = "t\x9b\u202e"
        lines[place] = json.dumps(record)
    (folder / "x\x9b\u202e.jsonl").write_text("\n".join(lines) + "\nno record \x1b[2J\u202e\n",
                                              encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "report", *(
        {"RESULTS": str(folder), "OUT": str(tmp_path / "out\x9b")}.get(word, word)
        for word in command)], capture_output=True, timeout=120, check=False, cwd=ROOT)
    assert done.returncode in (0, 1), done.stderr
    assert obeyed(done.stdout) == [] and obeyed(done.stderr) == [] and done.stdout


def test_a_line_that_is_drawn_in_place_is_harmless_but_for_its_own_order():
    here, there = pty.openpty()
    script = f"import os\nfrom commands.terminal_output import draw\ndraw({ODD!r})\n"
    subprocess.run([sys.executable, "-c", script], stderr=there, check=True, timeout=60, cwd=ROOT)
    os.close(there)
    drawn = os.read(here, 10_000)
    os.close(here)
    assert drawn == f"\r\x1b[K{SAID}".encode()
