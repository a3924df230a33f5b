"""Likeness of hand-ins: what a rewrite changes is not seen, what the task gives everybody does not
count."""

from pathlib import Path

import pytest

from submissions.similarity.page import write
from submissions.similarity.pairs import pairs_of
from submissions.similarity.tokens import tokens_of
from submissions.similarity.winnowing import GUARANTEE, Source, runs_of, winnowed

EXAMPLES = Path(__file__).resolve().parents[3] / "submissions" / "examples"
BLOCKED = (EXAMPLES / "cpu" / "3_blocked.cpp").read_text(encoding="utf-8")
STARTER = EXAMPLES / "cpu" / "starter.cpp"


def kinds(source):
    return [token.kind for token in tokens_of(source)]


def test_names_numbers_comments_and_layout_do_not_count():
    one = 'for (int i = 0; i < 32; ++i) sum += a[i]; // "sum"'
    other = "for(int row=0x0;row<  7u ; ++row)\n  /* for */ total\n+= x[row];"
    assert kinds(one) == kinds(other) and len(kinds(one)) == 21


def test_each_token_knows_its_line():
    assert [(token.kind, token.line)
            for token in tokens_of('#include <x>\nint a; /*\n*/ char\n"b\\"c"\n;')] == [
                ("int", 2), ("name", 2), (";", 2), ("char", 3), ("text", 4), (";", 5)]


@pytest.mark.parametrize("source",
                         ["", "\0\0\xff", '"', "/*", "'", 'R"(', "#", "x" * 100_000, "<" * 1000])
def test_whatever_is_handed_in_can_be_read(source):
    assert isinstance(kinds(source), list)


def test_of_each_window_one_hash_is_kept():
    assert winnowed([]) == set() and winnowed([5]) == {5}
    # the example of the paper, whose window is 4
    hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]
    assert winnowed(hashes, 4) == {17, 8, 39}


def written(folder, **files):
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name, text in files.items():
        (folder / f"{name}.cpp").write_text(text, encoding="utf-8")
        made.append((f"{name}.cpp", folder / f"{name}.cpp"))
    return made


def renamed(source):
    for old, new in (("block", "chunk"), ("row", "zeile"), ("col", "spalte"), ("kBlock", "kSize"),
                     ("inner", "mitte"), ("sum", "s")):
        source = source.replace(old, new)
    return "// my own work\n" + source.replace("  ", "\t").replace("\n\n", "\n")


def other_kernel():
    return (EXAMPLES / "cpu" / "4_register_blocked.cpp").read_text(encoding="utf-8")


def test_a_copy_with_other_names_and_layout_is_found(tmp_path):
    found = pairs_of(written(tmp_path, anna=BLOCKED, ben=renamed(BLOCKED), cleo=other_kernel()),
                     [], [STARTER])
    assert [(pair.one.name, pair.other.name) for pair in found] == [("anna.cpp", "ben.cpp")]
    assert found[0].share > 0.95 and not found[0].earlier


def test_parts_in_another_order_are_found(tmp_path):
    half = BLOCKED.index("extern")
    found = pairs_of(written(tmp_path, anna=BLOCKED, ben=BLOCKED[half:] + BLOCKED[:half]),
                     [], [STARTER])
    assert len(found) == 1 and found[0].share > 0.8


def test_earlier_years_are_looked_at(tmp_path):
    old = tmp_path / "2019" / "someone"
    written(old, theirs=renamed(BLOCKED))
    found = pairs_of(written(tmp_path / "now", anna=BLOCKED), [old / "theirs.cpp"], [STARTER])
    assert len(found) == 1 and found[0].earlier and "2019" in found[0].other.name


def test_what_was_given_does_not_count(tmp_path):
    (tmp_path / "skeleton.cpp").write_text(BLOCKED, encoding="utf-8")
    hand_ins = written(tmp_path / "now", anna=BLOCKED, ben=BLOCKED)
    assert len(pairs_of(hand_ins, [], [])) == 1
    assert pairs_of(hand_ins, [], [tmp_path / "skeleton.cpp"]) == []


def test_what_half_of_a_class_writes_is_the_tasks_own(tmp_path):
    naive = STARTER.read_text(encoding="utf-8")
    class_of = {f"s{number}": naive + f"\nint f{number}(int a) {{ return a {'+' * (number % 2)}+ "
                f"{number}; }}\n" * (number + 1) for number in range(12)}
    assert not [pair for pair in pairs_of(written(tmp_path, **class_of), [], [])
                if pair.share > 0.99 and len(pair.runs) > 8]


def test_short_files_cannot_but_look_alike(tmp_path):
    naive = STARTER.read_text(encoding="utf-8")
    assert pairs_of(written(tmp_path, anna=naive, ben=renamed(naive)), [], [STARTER]) == []


def test_a_shared_stretch_of_the_guaranteed_length_is_always_found():
    shared = " ".join(f"{sign} x" for sign in ("+", "-", "*", "/", "%", "&", "|", "^", "<", ">",
                                               "=", "!")) + " ?"
    for before in range(12):
        one = Source(Path("a"), "a", "{ " * before + shared)
        other = Source(Path("b"), "b", "; " * 40 + shared + " ;" * 9)
        assert len(tokens_of(shared)) >= GUARANTEE and one.fingerprints & other.fingerprints
        assert max(run.length for run in runs_of(one, other)) >= GUARANTEE


def test_links_and_folders_are_passed_over(tmp_path):
    (tmp_path / "link.cpp").symlink_to("/etc/passwd")
    (tmp_path / "folder.cpp").mkdir()
    (tmp_path / "itself.cpp").symlink_to("itself.cpp")
    assert pairs_of([(path.name, path) for path in tmp_path.iterdir()],
                    list(tmp_path.iterdir()), []) == []


def test_the_pages_show_both_sides_and_no_verdict(tmp_path):
    pairs = pairs_of(written(tmp_path / "in", anna=BLOCKED, ben=renamed(BLOCKED) + '\n'
                             '// <script>alert(1)</script> \x1b[2J'), [], [STARTER])
    write(tmp_path / "out", pairs, 2, 0)
    index = (tmp_path / "out" / "similar.html").read_text(encoding="utf-8")
    assert ("look yourself" in index and "This is no verdict" in index
            and 'href="similar/1.html"' in index)
    side = (tmp_path / "out" / "similar" / "1.html").read_text(encoding="utf-8")
    assert "anna.cpp" in side and "ben.cpp" in side and "zeile" in side and 'href="#b1"' in side
    assert "<script>" not in side and "\x1b" not in side
    write(tmp_path / "out", [], 2, 0)
    assert not list((tmp_path / "out" / "similar").iterdir())
    assert "No pair shares" in (tmp_path / "out" / "similar.html").read_text(encoding="utf-8")
