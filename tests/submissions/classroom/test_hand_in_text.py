"""From what a student handed in to the file that is judged: the judge's lines, and what an
assignment does not allow."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import msgspec
import pytest

from submissions.assignments.command import TEMPLATES
from submissions.hand_ins import hand_in, moodle, result, schema, source_words
from submissions.similarity.pairs import pairs_of

TILED = schema.read(TEMPLATES["tiled"])
LOOPS = schema.read(TEMPLATES["cpu_loops"])
KERNEL = ("__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) "
          "{\n  %s\n}")
SHARED = "__shared__ float tile[16];"


def errors(text: str) -> list[tuple[int, str]]:
    """(line, message) of each #error at the end of a full text."""
    lines = text.splitlines()
    return [(int(before.split()[1]), one.removeprefix("#error "))
            for before, one in itertools.pairwise(lines) if one.startswith("#error ")]


def test_a_kernel_alone_gets_a_launch_of_the_fixed_block_and_keeps_its_lines() -> None:
    source = KERNEL % SHARED
    text = hand_in.full_text(TILED, source)
    assert text.startswith(source) and not errors(text)
    assert ("multiply<<<dim3((K - 1) / 16 + 1, (M - 1) / 16 + 1), dim3(16, 16)>>>(A, B, C, M, N, "
            "K);" in text)
    wide = msgspec.structs.replace(TILED, tile=(64, 128))
    assert "dim3((K - 1) / 64 + 1, (M - 1) / 128 + 1), dim3(16, 16)" in hand_in.full_text(wide,
                                                                                          source)


def test_loops_alone_stand_in_solve_under_their_own_line_numbers() -> None:
    text = hand_in.full_text(LOOPS, "\ufeff#pragma GCC unroll 4\nfor (;;) {}")
    assert "{ (void)A;" in text and "\n#line 1\n#pragma GCC unroll 4\nfor (;;) {}\n}\n" in text


@pytest.mark.parametrize(("body", "line", "said"), [
    (f"{SHARED} printf(\"x\");", 2,
     "printf is called; functions allowed in this assignment: __syncthreads, min, max, fmaf"),
    (f"{SHARED} auto f = cudaMalloc; f(nullptr, 0);", 2, "f is called"),
    (f"{SHARED} std::max<int>(1, 2); (cudaFree)(nullptr);", 2, "cudaFree is called"),
    (f"{SHARED}\n  asm(\"\");", 3, "asm is not allowed"),
    (f"{SHARED} a\\\nsm(\"\");", 2, "asm is not allowed"),
    (f"{SHARED}\n#define J(a, b) a##b\n", 3, "the operator ## is not allowed"),
    (f"{SHARED}\n#define dim3 int4\n", 3, "dim3 is a word of the lines that the judge adds"),
    (f"{SHARED}\n#include <cublas_v2.h>\n", 3, "<cublas_v2.h> is included"),
    (f"{SHARED}\n  }}\n", 5, "this } closes nothing"),
    (f"{SHARED}\n  {{", 1, "this { is never closed"),
    ("// __shared__ in a comment does not count", 1, "this assignment asks for __shared__"),
])
def test_what_is_not_allowed_becomes_an_error_at_its_line(body: str, line: int, said: str) -> None:
    found = errors(hand_in.full_text(TILED, KERNEL % body))
    assert any(at == line and said in text for at, text in found), found


@pytest.mark.parametrize("body", [
    f"{SHARED} if (M > 0) {{ __syncthreads(); }} for (int i = 0; i < N; ++i) {{ }} C[0] = "
    "fmaf(1.0f, float(2), (float)(3));",
    f"{SHARED} auto square = [](float x) {{ return x * x; }}; C[0] = square(2); // printf(asm)",
    f"{SHARED} const char* text = \"asm printf(\"; (void)text; static_assert(sizeof(float) == 4);",
    f"{SHARED}\n#define CEIL(a, b) (((a) + (b) - 1) / (b))\n"
    " int tiles = CEIL(N, 16); float start(0); (void)tiles; (void)start;",
])
def test_what_is_allowed_stays_as_it_is(body: str) -> None:
    assert errors(hand_in.full_text(TILED, KERNEL % body)) == []


def test_a_missing_function_is_named() -> None:
    ((line, said),
     *_) = errors(hand_in.full_text(TILED, f"__global__ void product() {{ {SHARED} }}"))
    assert line == 1 and "the __global__ function multiply(A, B, C, M, N, K) is missing" in said


def test_helper_functions_of_the_students_own_may_be_called() -> None:
    helper = "__device__ float4 pick(const float* from) {\n  return float4{};\n}\n"
    assert errors(hand_in.full_text(TILED, helper + KERNEL % f"{SHARED} pick(A);")) == []


def test_no_error_line_can_be_broken_by_what_it_tells() -> None:
    text = hand_in.error_line(3, "a\nb\"c'\\ d\u2028e")
    assert text == "#line 3\n#error abc de\n"


def test_words_are_found_behind_splices_and_not_in_texts() -> None:
    found = [token.text for token in source_words.tokens('R"x( asm )x" /* asm */ "asm" cuda\\\n'
                                                  'Malloc \'"\' end // asm \\\n asm')]
    assert "asm" not in found and "cudaMalloc" in found and found[-1] == "end"


def test_links_and_large_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "other.cu").write_text("secret", encoding="utf-8")
    (tmp_path / "link.cu").symlink_to("other.cu")
    os.mkfifo(tmp_path / "pipe.cu")
    (tmp_path / "large.cu").write_bytes(b" " * (hand_in.MOST_BYTES + 1))
    assert hand_in.read(tmp_path / "link.cu") == hand_in.read(tmp_path / "pipe.cu") == (
        "", "what was handed in is not an ordinary file")
    assert hand_in.read(tmp_path / "large.cu") == ("", "what was handed in is larger than 1 MiB")


def test_moodles_download_is_taken_as_it_is(tmp_path: Path) -> None:
    for name, files in {"Ada Lovelace_12_assignsubmission_file_": ["kernel.cu"],
                        "王小明_13_assignsubmission_file": ["a.cu", "kernel.cu"],
                        "Bob_14_assignsubmission_file_": ["notes.txt"],
                        "Eve_15_assignsubmission_file_": ["a.cu", "b.cu"],
                        "Zed_16_assignsubmission_onlinetext_": ["kernel.cu"]}.items():
        for file in files:
            (tmp_path / name / "deeper").mkdir(parents=True, exist_ok=True)
            (tmp_path / name / ("deeper" if name.startswith("Ada")
                                else "") / file).write_text("x", encoding="utf-8")
    assert (moodle.is_download(tmp_path)
            and not moodle.is_download(tmp_path / "Bob_14_assignsubmission_file_"))
    found = {one.student: (one.file and one.file.name, one.missing)
             for one in moodle.handed_in(tmp_path, "kernel.cu")}
    assert found == {"Ada Lovelace_12": ("kernel.cu", ""), "王小明_13": ("kernel.cu", ""),
                     "Bob_14": (None, "no .cpp or .cu file was handed in"),
                     "Eve_15": (None, "several files were handed in: a.cu, b.cu")}
    assert (moodle.participant("Ada Lovelace_12") == ("Ada Lovelace", "12")
            and moodle.participant("kernel_x") == ("kernel_x", ""))


def test_what_is_no_plain_folder_of_moodles_is_left_out_by_name(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kernel.cu").write_text("x", encoding="utf-8")
    download = tmp_path / "download"
    download.mkdir()
    (download / "Ada_11_assignsubmission_file_").symlink_to(elsewhere)
    (download / "Bob_12_assignsubmission_file_").symlink_to("nowhere")
    for name in ("Ev\ne", "Ev e", "Ev\x1be", "Ev\u202ee"):
        (download / f"{name}_13_assignsubmission_file_").mkdir()
        (download / f"{name}_13_assignsubmission_file_" / "kernel.cu").write_text("x",
                                                                                  encoding="utf-8")
    assert moodle.is_download(download)
    found = {one.student: one.missing for one in moodle.handed_in(download, "kernel.cu")}
    assert len(found) == 6, "no two become one"
    assert all(name.isprintable() and moodle.participant(name)[1] for name in found)
    assert found.pop("Ev e_13") == ""
    assert (found["Ada_11"] == found["Bob_12"] == "left out: the folder is a link, which is not "
            "followed")
    assert [why for name, why in found.items()
            if name.startswith("Ev")] == ["left out: the folder's name is no line of text"] * 3


def test_a_download_of_links_alone_is_one(tmp_path: Path) -> None:
    (tmp_path / "Ada_11_assignsubmission_file_").symlink_to(tmp_path)
    assert moodle.is_download(tmp_path)


def test_loads_are_counted_as_floats_of_the_whole_grid() -> None:
    site = {"space": "global", "operation": "load", "lanes": 64, "bytes": 16}
    counts = {"shape": {"M": 8, "N": 8, "K": 8},
              "launches": [{"blocks": 4, "blocks_run": 2, "sites": [
                  site, site | {"space": "shared"}, site | {"operation": "store"}]}]}
    assert result.loads_per_multiplication(counts) == 64 * 4 * 2 / 512
    assert result.loads_per_multiplication({}) is None


def test_what_the_judge_and_the_skeleton_give_is_no_likeness(tmp_path: Path) -> None:
    """One who hands in the skeleton is not like one who solved the task."""
    hand_ins = []
    for name in ("skeleton.cu", "solution.cu"):
        (tmp_path / name).write_text(
            hand_in.full_text(TILED, (TILED.folder / name).read_text(encoding="utf-8")),
            encoding="utf-8")
        hand_ins.append((name, tmp_path / name))
    assert len(pairs_of(hand_ins, [],
                        [TILED.folder / "skeleton.cu"])) == 1, "the judge's lines are the same"
    assert pairs_of(hand_ins, [], [], hand_in.full_skeleton(TILED)) == []
