"""TOML that a user wrote is read whole, or refused in one line: what nests too deep before Python's
reader sees it."""

from __future__ import annotations

import pytest
from sample_records import ROOT

from files.reading import InputError
from files.toml_file import MOST_BYTES, toml_of

DEEP = {"key": "a." * 20_000 + "a = 1", "header": f"[{'a.' * 20_000}a]", "quoted": "[["
        + 'a . "b".' * 9_000 + "a]]", "list": "a = " + "[" * 9_000, "table": "a = " + "{a=" * 9_000,
        "lines": "x = '''\n'''\na = \"\\\"\" # \"\nb = " + "[\n" * 100}


@pytest.mark.parametrize("name", DEEP)
def test_what_nests_too_deep_is_refused(tmp_path, name):
    file = tmp_path / "x.toml"
    file.write_text(DEEP[name])
    with pytest.raises(InputError,
                       match="x.toml: keys, lists or tables within one another, more than 32 deep"):
        toml_of(file)


def test_what_only_looks_deep_is_read(tmp_path):
    dots = "a.[{" * 100
    file = tmp_path / "x.toml"
    file.write_text(f"# {dots}\na = '{dots}' # {dots}\nb = \"\"\"\n{dots}\"{dots}\n\"\"\"\n"
                    f"c = [{'0.5, ' * 1000}]\n")
    assert len(toml_of(file)[1]) == 3
    for path in sorted((ROOT / "experiments").glob("*.toml")):
        assert toml_of(path)[1]["title"]


@pytest.mark.parametrize(("data", "said"), [(b"\xff", "not valid TOML"), (b"a", "not valid TOML"),
                                            (b"a = " + b"9" * 5000, "not valid TOML"),
                                            (b"#" * (MOST_BYTES + 1), "over 16 MiB")])
def test_what_is_no_toml_or_too_large_is_told_in_one_line(tmp_path, data, said):
    (tmp_path / "x.toml").write_bytes(data)
    with pytest.raises(InputError) as refused:
        toml_of(tmp_path / "x.toml")
    assert said in str(refused.value) and "\n" not in str(refused.value)
