"""An assignment's TOML: what is read, and what is said of a mistake."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from files.reading import InputError
from submissions.assignments import packing
from submissions.assignments.command import TEMPLATES, new
from submissions.hand_ins import schema

TILED = TEMPLATES["tiled"]


@pytest.mark.parametrize("name", sorted(TEMPLATES))
def test_every_template_can_be_read_and_tells_the_task_in_both_languages(name: str) -> None:
    read = schema.read(TEMPLATES[name])
    assert read.name == name and read.title.en and read.title.zh
    assert "C = A·B" in read.text.en and "矩阵乘法" in read.text.zh


@pytest.mark.parametrize(("was", "becomes", "said"), [
    ('device = "gpu"', 'device = "tpu"', ["'device' is 'tpu'", "allowed: cpu, gpu"]),
    ("block = [16, 16]", "block = [16]", ["'block' is [16]", "two whole numbers"]),
    ("block = [16, 16]", "block = [64, 64]", ["'block' is [64, 64]", "more than 1024 threads"]),
    ("block = [16, 16]", "", ["'block' is missing"]),
    ('file = "kernel.cu"', 'fil = "kernel.cu"',
     ["there is no key 'fil'", "allowed: name, device, hand_in, file"]),
    ('file = "kernel.cu"', 'file = "kernel.cpp"',
     ["'file' is 'kernel.cpp'", "not of the device gpu"]),
    ('skeleton = "skeleton.cu"', 'skeleton = "none.cu"', ["'skeleton' is 'none.cu'"]),
    ('hand_in = "function"', 'hand_in = "body"', ["'hand_in' is 'body'"]),
    ("at_most = 0.2", 'at_most = "few"', ["'loads.at_most' is 'few'", "a number above 0"]),
    ("allowed_headers = []", 'allowed_headers = "cmath"',
     ["'allowed_headers' is 'cmath'", "a list"]),
    ("[assignment.title]", "[assignment.heading]", ["there is no key 'heading'"]),
    ("[assignment]", "[assignmnt]", ["'name' is missing"]),
    ("random_shapes = 8", "random_shapes = ", ["line 3"]),
])
def test_a_mistake_is_told_with_file_line_key_value_and_what_is_allowed(
        tmp_path: Path, was: str, becomes: str, said: list[str]) -> None:
    folder = tmp_path / "lab"
    shutil.copytree(TILED, folder)
    file = folder / schema.FILE
    text = file.read_text(encoding="utf-8")
    assert was in text
    file.write_text(text.replace(was, becomes), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        schema.read(folder)
    message = str(refused.value)
    assert message.startswith(str(file)) and "\n" not in message
    assert all(part in message for part in said), message
    if becomes.count("=") and "'" in said[0] and "missing" not in said[0]:
        line = next(number for number, text in enumerate(
            file.read_text(encoding="utf-8").splitlines(), 1) if text.startswith(becomes))
        assert message.startswith(f"{file}:{line}: "), message


@pytest.mark.parametrize(("like", "said"), [
    ("tiled", "'hand_in' is 'function', but the judge adds the usual solve, and 'type' asks for "
     "another; allowed: "),
    ("register_tiled", "'loads' is {'at_most': 0.032, 'points': 20}, which counts floats, while "
     "'type' is another; allowed: "),
])
def test_what_needs_the_usual_solve_is_refused_for_another(tmp_path: Path, like: str,
                                                           said: str) -> None:
    new(tmp_path / "lab", like)
    file = tmp_path / "lab" / schema.FILE
    text = file.read_text(encoding="utf-8")
    file.write_text(f'type = "float32"\n{text}', encoding="utf-8")
    schema.read(file)
    file.write_text(f'type = "float16"\n{text}', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        schema.read(file)
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_a_new_assignment_is_read_under_its_folders_name_with_all_its_files_beside_it(
        tmp_path: Path) -> None:
    for like in TEMPLATES:
        folder = tmp_path / f"lab of {like}"
        assert new(folder, like) == 0
        read = schema.read(folder)
        assert read.name == f"lab_of_{like}"
        assert {(folder / read.skeleton).parent, (folder / read.solution).parent} == {folder}
    with pytest.raises(InputError, match="already there"):
        new(folder, "tiled")


def test_students_get_no_solution_and_graders_get_all(tmp_path: Path) -> None:
    import zipfile

    read = schema.read(TEMPLATES["register_tiled"])
    solution = (read.folder / read.solution).read_bytes()
    students, graders = packing.pack(read, tmp_path)
    with zipfile.ZipFile(students) as packed:
        assert sorted(packed.namelist()) == sorted(["README.md", "README.zh.md", "kernel.cu",
                                                    "skeleton.cu", "assignment.toml"])
        assert all(packed.read(name) != solution for name in packed.namelist())
        packed.extractall(tmp_path / "student")
        assert read.text.zh.strip() in packed.read("README.zh.md").decode()
    schema.read(tmp_path / "student")  # a student can run it
    with zipfile.ZipFile(graders) as packed:
        names = packed.namelist()
        assert {"setup.sh", "run_autograder", "autograder.py", "Containerfile",
                "assignment/assignment.toml", "gemmlab/gemmlab",
                "gemmlab/submissions/judge/judge.cpp", "gemmlab/LICENSE"} <= set(names)
        assert packed.read("assignment/solution.cu") == solution
        assert packed.getinfo("run_autograder").external_attr >> 16 & 0o100, "Gradescope runs it"
        assert not [name for name in names if name.startswith("gemmlab/tests")
                    or "__pycache__" in name]
        records = [name for name in names if name.startswith("gemmlab/data/results")]
        assert ({entry.date_time for entry in packed.infolist()}
                == {(1980, 1, 1, 0, 0, 0)}), "the same files make the same zip"
        assert (len(records) == 1 and "gemmlab/data/emulated/constants.toml"
                in names), "what a prediction is made of, and no more"
