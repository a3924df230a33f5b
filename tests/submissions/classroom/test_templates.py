"""The templates: shell and Python that parse, a workflow that GitHub would take, files that they
name."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from submissions.assignments import packing
from submissions.formats import FORMATS

TEMPLATES = packing.TEMPLATES
SHELL = [TEMPLATES / "gradescope" / "setup.sh", TEMPLATES / "gradescope" / "run_autograder"]


@pytest.mark.parametrize("file", SHELL, ids=lambda file: file.name)
def test_shell_parses(file: Path) -> None:
    assert file.read_text(encoding="utf-8").startswith("#!/usr/bin/env bash\n")
    subprocess.run(["bash", "-n", file], check=True)


def test_python_parses_and_asks_for_nothing_that_a_runner_lacks() -> None:
    tree = ast.parse((TEMPLATES / "classroom50" / "autograder.py").read_text(encoding="utf-8"))
    imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import)
                for name in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= {"__future__", "os", "shutil", "subprocess", "sys", "tempfile", "pathlib"}


def test_formats_that_templates_ask_for_exist() -> None:
    asked = {name for file in TEMPLATES.rglob("*") if file.is_file()
             for name in re.findall(r'--format"?,? "?(\w+)', file.read_text(encoding="utf-8"))}
    assert asked == set(FORMATS)


def test_the_containerfile_copies_what_the_zip_holds() -> None:
    text = (TEMPLATES / "container" / "Containerfile").read_text(encoding="utf-8")
    instructions = {line.split()[0] for line in text.splitlines() if line and line[0].isupper()}
    assert instructions <= {"ARG", "FROM", "ENV", "COPY", "RUN", "ENTRYPOINT", "CMD"}
    assert re.findall(r"^COPY (\S+)", text, re.MULTILINE) == ["gemmlab",
                                                              "autograder.py", "assignment"]


def test_the_workflow_is_one_that_github_takes() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is missing: pip install -r "
                               "api/python/requirements-test.txt")
    file = TEMPLATES / "github" / "grade.yml"
    # BaseLoader: `on` stays a word
    workflow = yaml.load(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    assert set(workflow) <= {"name", "on", "permissions", "env", "jobs", "defaults", "concurrency"}
    assert set(workflow["on"]) <= {"push", "pull_request", "workflow_dispatch",
                                   "repository_dispatch"}
    for job in workflow["jobs"].values():
        assert set(job) <= {"runs-on", "container", "timeout-minutes", "steps", "needs", "env",
                            "if", "permissions"} and job["runs-on"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert set(step) <= {"name", "id", "if", "uses", "run", "with", "env", "shell",
                                 "working-directory"}
            assert (re.fullmatch(r"[\w.-]+/[\w./-]+@v\d+", step["uses"]) if "uses" in step
                    else subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True))
        # actionlint's table of contexts: only these may stand in a container's image
        assert all(one.split(".")[0] in {"vars", "github", "needs", "strategy", "matrix", "inputs"}
                   for one in re.findall(r"\$\{\{\s*([\w.]+)", job["container"]["image"]))
    assert not re.findall(r"\$\{\{\s*github\.(?:event|head_ref)",
                          file.read_text(encoding="utf-8")), "a student could write a command there"
