"""The recipes of README.md build in a copy of the tree as printed, are right and named.

They need no edit elsewhere.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
import scratch
from checks import PROGRAM
from markdown import ROOT
from scratch import called, must, put_file

from language import using
from records.cases.case_reader import CaseReader
from records.names.naming import display_name

pytestmark = pytest.mark.skipif(
    not PROGRAM.is_file(),
    reason="GEMMLAB_BUILD_FOLDER names no build: ctest -R python.recipes does",
)
KERNELS = {"cpu": "cpu/gemm/mine.cpp", "gpu": "gpu/gemm/mine.cu"}
OWN, WRONG, OPERATION = "mine", "spoilt", "my_operation"
SPOILT = {OWN: WRONG, "float sum = 0": "float sum = 1", '.name = "my': '.name = "my spoilt'}


@pytest.fixture(scope="module", name="tree")
def _tree(tmp_path_factory):
    tree = tmp_path_factory.mktemp("recipes") / "gemmlab"
    scratch.copy_tree(tree)
    for path in KERNELS.values():
        put_file(tree, path)
        put_file(tree, path, SPOILT)
    prepare, _ = scratch.commands_under(tree, scratch.OPERATIONS, "Adding an operation")
    must("bash", "-e", "-c", "\n".join(prepare), cwd=tree)
    scratch.build(tree, "gemmlab_program", "gemmlab_gpu_emulated")
    return tree


def ready(tree):
    """What the launcher takes instead of building and of making .venv."""
    return {
        "GEMMLAB_BUILD": str(tree / "build/cpu"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }


def gemmlab(tree, *words):
    return called("bash", "./gemmlab", *words, cwd=tree, **ready(tree))


@pytest.mark.parametrize("device", KERNELS)
def test_a_kernel_as_printed_is_right_and_a_spoilt_one_is_not(tree, device):
    right, wrong = (gemmlab(tree, "check", f"{device}.{name}") for name in (OWN, WRONG))
    assert right.returncode == 0 and f"{device}.{OWN}" in right.stdout, right.stdout + right.stderr
    assert wrong.returncode == 1 and "FAILED" in wrong.stdout, wrong.stdout + wrong.stderr


def test_an_operation_as_printed_is_checked_and_measured(tree, tmp_path):
    _, calls = scratch.commands_under(tree, scratch.OPERATIONS, "Adding an operation")
    text = "\n".join(calls).replace(f"run {OPERATION}", f"run {OPERATION} --output {tmp_path}")
    must("bash", "-e", "-c", text, cwd=tree, **ready(tree))
    lines = [
        json.loads(line)
        for line in (tmp_path / f"{OPERATION}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    cases = [line for line in lines if line["kind"] == "case" and line["device"] == "cpu"]
    assert cases and {(case["operation"], case["status"]) for case in cases} == {(OPERATION, "ok")}
    assert (tmp_path / "report/report.md").is_file()


def test_the_name_travels_from_the_description_to_the_report(tree, tmp_path):
    definition = tmp_path / "named.toml"
    definition.write_text(
        f"""title = "Named"
question = "Is it called by its name?"
[settings]
max_time_s = 0.1
twins = false
[[group]]
name = "squares"
size = 32
[[group.run]]
implementation = "cpu.{OWN}"
""",
        encoding="utf-8",
    )
    done = gemmlab(tree, "run", str(definition), "--no-report", "--output", str(tmp_path / "out"))
    assert done.returncode == 0, done.stdout + done.stderr
    (case,) = [
        line
        for line in map(
            json.loads, (tmp_path / "out/named.jsonl").read_text(encoding="utf-8").splitlines()
        )
        if line["kind"] == "case"
    ]
    assert (case["name"], case["name_parts"], case["family"]) == ("my loops", ["my loops"], None)
    read = CaseReader().read(case)
    with using("zh"):
        assert display_name(read) == "my loops"
    assert read.name == display_name(read) == "my loops"


def test_lists_hold_the_new_rows(tree):
    made = (tree / "build/cpu/generated/source_hashes.h").read_text(encoding="utf-8")
    ids = {f"{device}.{name}" for device in KERNELS for name in (OWN, WRONG, OPERATION)}
    assert [one for one in ids if f'"{one}"' not in made] == []
    assert (
        must(
            tree / "build/cpu/runner/gemmlab_source_hashes",
            tree,
            tree / "build/cpu/generated/includes.d",
            "--unlisted",
            cwd=tree,
        )
        == ""
    )


def test_tests_of_names_lists_and_language_pass_without_another_edit(tree):
    files = [
        "tests/recipes/test_names.py",
        "tests/records/test_naming.py",
        "tests/language/test_language.py",
    ]
    # of figures and pages of the committed records
    leave = "panel or machines or report or letter or pdf or font"
    must(
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        f"not ({leave})",
        *files,
        cwd=tree,
        GEMMLAB_BUILD_FOLDER=str(tree / "build/cpu"),
    )
    told = must(
        sys.executable,
        "-m",
        "report.untranslated",
        cwd=tree,
        GEMMLAB_PROGRAM=str(tree / "build/cpu/runner/gemmlab"),
        GEMMLAB_ROOT=str(tree),
    )
    assert "\n    my loops\n" in told and "\n    my kernel\n" in told


def test_a_recipe_that_is_gone_or_twice_is_told(tree, tmp_path):
    copy = tmp_path / "tree"
    (copy / "cpu/gemm").mkdir(parents=True)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for wrong in (
        readme.replace("// cpu/gemm/mine.cpp", "// here"),
        readme.replace("`mine` in `cpu/gemm/rows.txt`", "a line"),
    ):
        assert wrong != readme
        (copy / "README.md").write_text(wrong, encoding="utf-8")
        with pytest.raises(
            AssertionError, match=r"README.md has no one block for cpu/gemm/mine.cpp"
        ):
            put_file(copy, KERNELS["cpu"])
    page = (ROOT / scratch.OPERATIONS).read_text(encoding="utf-8")
    (copy / scratch.OPERATIONS).parent.mkdir()
    (copy / scratch.OPERATIONS).write_text(
        page.replace("## Adding an operation", "## Otherwise"), encoding="utf-8"
    )
    with pytest.raises(AssertionError, match="has no ## Adding an operation"):
        scratch.commands_under(copy, scratch.OPERATIONS, "Adding an operation")
