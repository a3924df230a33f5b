"""The rung that `submit --like NAME` names stands beside the submission."""

from __future__ import annotations

import make_verdicts as make

from submissions.pages.command import write_all
from submissions.verdicts import like
from submissions.verdicts.verdict import load


def verdict_of(folder, named, **more):
    made = make.right(**more)
    made["options"]["like"] = named
    make.write(folder, {"one": made})
    return load(folder / "one")


def test_the_page_says_how_it_compares_with_the_rung_that_was_named(tmp_path):
    said = like.sentences(verdict_of(tmp_path, "gpu.tiled block=32", name="mine.cu", device="gpu",
                                     rate=18000.0))
    assert said == [("Beside gpu.tiled block=32, as asked: 2.00 times as fast as it at M = 8192, N "
                     "= 6144, K = 4096.")]
    write_all(tmp_path / "one", None)
    assert said[0] in (tmp_path / "one" / "page.md").read_text(encoding="utf-8")


def test_a_rung_under_its_default_parameter_is_the_same(tmp_path):
    assert "times as fast" in like.sentences(verdict_of(tmp_path, "gpu.tiled", name="mine.cu",
                                                        device="gpu"))[0]


def test_what_cannot_be_compared_is_said(tmp_path):
    assert like.sentences(verdict_of(tmp_path, "gpu.naive")) == [
        "gpu.naive, named by --like, runs on the other device: there is nothing to compare."]
    assert like.sentences(verdict_of(tmp_path, "cpu.packed")) == [
        "cpu.packed, named by --like, was not timed here."]
    assert like.sentences(verdict_of(tmp_path, "")) == []
    assert like.sentences(verdict_of(tmp_path, 7)) == []
