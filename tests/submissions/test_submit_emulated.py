"""CUDA submissions through the whole judge on a CPU: the verdicts are those that a GPU gives
(test_submit_gpu.py)."""

from __future__ import annotations

import math
import os
import resource
import time
from contextlib import suppress
from pathlib import Path

import pytest
from judged import (
    COLLECTION,
    EXAMPLES,
    GPU_ATTACKS,
    GPU_UNUSUAL,
    QUICK_RULE,
    differences,
    emulated_verdicts,
    handed_in,
    needs_consent,
    start,
    submit,
    verdict_of,
)
from shape_order import shapes_in, strays, strays_in_folder

GPU = COLLECTION / "gpu"
FILES = sorted(GPU.glob("*.cu"))
RIGHT = sorted((EXAMPLES / "gpu").glob("*.cu"))
# Attacks on times are right without them. All of them take minutes: GEMMLAB_ALL_ATTACKS=1.
SOME = {"opens_its_own_copy.cu", "two_streams_joined.cu"}
OTHERS = [file for file in sorted(GPU_ATTACKS.glob("*.cu")) + sorted(GPU_UNUSUAL.glob("*.cu"))
          if file.name in SOME or os.environ.get("GEMMLAB_ALL_ATTACKS")]
HALVES = 2  # judged side by side: nothing is timed


@pytest.fixture(scope="module", autouse=True)
def without_a_gpu() -> None:
    """Where there is one, these would be judged on it."""
    os.environ["CUDA_VISIBLE_DEVICES"] = ""


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory,
           rule: Path) -> tuple[Path, list[str], list[int]]:
    """The collection and the examples: folder, outputs, exit statuses."""
    folder = tmp_path_factory.mktemp("judged")
    everything = FILES + RIGHT
    running = [start(*everything[half::HALVES], "--rule", rule, "--seed", "5", "--output", folder)
               for half in range(HALVES)]
    said = [process.communicate(timeout=2400) for process in running]
    return folder, [out + error for out, error in said], [process.returncode for process in running]


def test_every_submission_gets_the_verdict_and_pattern_that_a_gpu_gives(judged) -> None:
    folder, said, statuses = judged
    assert statuses == [1] * HALVES, "\n".join(said)
    assert not differences(FILES, folder)


def test_every_example_is_right_and_nothing_is_found_in_it(judged) -> None:
    folder, *_ = judged
    for file in RIGHT:
        verdict = verdict_of(folder, file.name)
        assert (verdict["verdict"] == "correct" and not verdict["findings"]
                and not verdict["failures"]), verdict["summary"]
        assert verdict["emulated"] and not verdict["performance"]


def test_every_shape_that_it_writes_is_in_the_order_of_solve(judged) -> None:
    folder, said, _ = judged
    assert not strays_in_folder(folder)
    tried = shapes_in([verdict_of(folder, file.name) for file in FILES + RIGHT])
    assert not strays("".join(said), tried)


def test_a_finding_has_line_kernel_and_sentence(judged) -> None:
    folder, *_ = judged
    text = (GPU / "misses_barrier.cu").read_text(encoding="utf-8").splitlines()
    found = verdict_of(folder, "misses_barrier.cu")["findings"]
    races = [one for one in found if one["kind"] == "race"]
    assert races and len(races) == len(found)
    assert all("tile_" in text[one["line"] - 1] and f"line {one['line']}" in one["explanation"]
               for one in races)
    assert {one["kernel"] for one in races} == {"multiply"}


def test_accesses_are_counted_for_whoever_explains_them(judged) -> None:
    folder, *_ = judged
    verdict = verdict_of(folder, "1_tiled.cu")
    counts = verdict["counts"]
    assert counts["shape"] == {"M": 1024, "N": 1024, "K": 1024}
    (launch,) = counts["launches"]
    assert math.prod(launch["grid"]) * math.prod(launch["block"]) == 1024 * 1024
    lines = (EXAMPLES / "gpu" / "1_tiled.cu").read_text(encoding="utf-8").splitlines()
    stores = [site for site in launch["sites"]
              if site["operation"] == "store" and site["space"] == "global"]
    assert stores and all("C[" in lines[site["line"] - 1] for site in stores)
    vectors = verdict_of(folder, "3_vector_loads.cu")["counts"]["launches"]
    assert all(site["line"] and not site["file"] for one in vectors
               for site in one["sites"]), "a float4 is moved where it is written"
    stored = launch["blocks_run"] * math.prod(launch["block"])
    assert (sum(site["lanes"] for site in stores) == stored
            < 1024 * 1024), "each element of C is stored once, by the blocks that are run"


def test_pages_and_terminal_say_that_it_was_emulated(judged, rule: Path) -> None:
    folder, said, _ = judged
    assert "right.cu: correct by emulation, without a GPU" in "".join(said)
    for page in ("page.html", "page.md"):
        text = (folder / "misses_barrier.cu" / page).read_text(encoding="utf-8")
        assert "checked by emulation, without a GPU" in text
        assert "What the emulator found" in text and "race in multiply, line" in text


def test_one_file_is_judged_in_a_minute_of_processor_and_under_2_gib(tmp_path: Path,
                                                                     rule: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = start(RIGHT[-2], "--rule", rule, "--output", tmp_path)
    pages = 0
    while running.poll() is None:
        pages = max(pages, sum(_resident_pages(child) for child in _descendants(running.pid)))
        time.sleep(0.05)
    assert running.returncode == 0, running.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60
    assert 0 < pages * os.sysconf("SC_PAGE_SIZE") < 2 << 30


def test_emulation_runs_under_bubblewrap_where_that_works(tmp_path: Path, rule: Path) -> None:
    if needs_consent():
        pytest.skip("bubblewrap does not work here")
    finished = submit(RIGHT[0], GPU / "misses_barrier.cu", "--rule", rule, "--output", tmp_path)
    assert finished.returncode == 1, finished.stdout + finished.stderr
    right, wrong = (verdict_of(tmp_path, name) for name in (RIGHT[0].name, "misses_barrier.cu"))
    for verdict in (right, wrong):
        assert verdict["emulated"]
        assert any("bubblewrap" in one
                   for one in verdict["isolation"]["holds"]), verdict["isolation"]
    assert right["verdict"] == "correct", right["summary"]
    assert {one["kind"]
            for one in wrong["findings"]} == {"race"}, "its report comes out of the sandbox"
    assert all(one["line"] for one in wrong["findings"])


def _descendants(process: int) -> list[int]:
    made = []
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text(encoding="ascii").split()):
                made += [child, *_descendants(child)]
    return made


def _resident_pages(process: int) -> int:
    with suppress(OSError):
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return 0


BAD = """#include <cstdint>
__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {{
  const int row = blockIdx.x * blockDim.x + threadIdx.x, col = blockIdx.y * blockDim.y + threadIdx.y;
  {0}
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
  C[row * K + col] = sum;
}}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {{
  {1}
  multiply<<<dim3((M + 15) / 16, (K + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
}}
"""
HOSTILE = {
    "spins.cu": ("timeout", "volatile int go = 1; while (go) {}", ""),
    "billion_threads.cu": ("timeout", "",
                           "multiply<<<dim3(1 << 20, 1 << 10), 1024>>>(A, B, C, 0, 0, 0);"),
    "reads_device_on_host.cu": ("crashed", "", "if (A[0] > 1e30f) return;"),
    "misaligned.cu": ("crashed", ("if (row + col == 0) *reinterpret_cast<float4*>(C + 1) = "
                                  "make_float4(0, 0, 0, 0);"), ""),
    "shared_unset.cu": ("incorrect",
                        "__shared__ float tile[16]; if (tile[threadIdx.x] == 77.0f) return;", ""),
    "branches_round_a_barrier.cu": ("incorrect", "if (threadIdx.x < 5) __syncthreads();", ""),
}


def test_hostile_kernels_end_with_a_clear_verdict(tmp_path: Path, rule: Path) -> None:
    for name, (_, kernel, host) in HOSTILE.items():
        (tmp_path / name).write_text(BAD.format(kernel, host), encoding="utf-8")
    finished = submit(*sorted(tmp_path.glob("*.cu")), "--rule", rule, "--output", tmp_path / "out")
    got = {name: verdict_of(tmp_path / "out", name) for name in HOSTILE}
    assert {name: one["verdict"] for name, one in got.items()} == {
        name: want for name, (want, *_) in HOSTILE.items()}, finished.stdout + finished.stderr
    for name, one in got.items():
        assert one["failures"][0]["explanation"] and one["failures"][0]["hint"], name


def test_what_needs_the_hardware_is_no_fault_of_the_submissions(tmp_path: Path, rule: Path) -> None:
    text = BAD.format('int lane; asm("tcgen05.what.b32 %0;" : "=r"(lane));', "")
    (tmp_path / "ptx.cu").write_text(text, encoding="utf-8")
    finished = submit(tmp_path / "ptx.cu", "--rule", rule, "--output", tmp_path / "out")
    assert finished.returncode == 2
    said = "ptx.cu, line 4: inline PTX (tcgen05.what.b32) cannot be run without a GPU"
    assert said in finished.stderr
    assert not (tmp_path / "out" / "ptx.cu").exists()


@pytest.mark.parametrize("file", OTHERS, ids=lambda file: file.stem)
def test_attacks_and_unusual_hand_ins_get_their_verdict_without_a_gpu(tmp_path: Path,
                                                                      file: Path) -> None:
    wanted = emulated_verdicts(file)
    (tmp_path / "rule.toml").write_text(
        QUICK_RULE.replace("random_shapes = 4", "random_shapes = 0"), encoding="utf-8")
    submit(handed_in([file], tmp_path / "in"), "--rule", tmp_path / "rule.toml", "--no-timing",
           "--output", tmp_path)
    assert verdict_of(tmp_path, file.name)["verdict"] in wanted
