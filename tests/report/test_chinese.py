"""A Chinese report of the committed records is Chinese: what is left in Latin letters are names, units and code."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from report.__main__ import main
from report.drawn import Drawn
from report.language import patterns, recorded, using

RECORDS = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"
# What stays as it is in Chinese, too. Each is a name, a unit, a word of the trade that Chinese texts write so, or a command.
NAMES = ["BLAS", "BLIS", "BabelStream", "Bell", "Debian", "Dongarra", "Eigen", "GNU", "Garland", "Geijn", "Gustafson", "Haswell", "Intel", "PyPI", "SUMMA", "SkylakeX", "Watts", "haswell", "LaTeX", "Linux", "MKL", "Merrill", "NCCL", "NVIDIA", "OpenBLAS", "OpenMP", "Platinum", "Processor", "PyTorch", "Release", "STREAM", "Tesla", "UTC", "Ubuntu", "JIT", "Xeon", "cp.async", "cuBLAS", "cuSPARSE", "cuBLASMp", "cuBLASXt", "cublasLt", "cudaMalloc", "cudaMemcpyAsync", "docker", "doctor", "gemmlab", "ikj", "kvm", "mma", "ncu", "nvcc", "oneDNN", "openmp", "van", "de"]
UNITS = ["FLOP", "GB", "GFLOP", "GiB", "KiB", "MB", "MHz", "MiB", "barrier", "byte", "load", "min", "ms", "ns", "per", "step", "us"]
TRADE = ["CPU", "CSV", "CUDA", "DRAM", "FFMA", "FMA", "GPU", "LDS", "MIO", "NAME", "NVML", "PDF", "PNG", "PTX", "SM", "addps", "alpha", "axpy", "bank", "batch", "beta", "dispatch", "dot", "dram", "eta", "ffma", "gemm", "gemv", "graph", "long", "lda", "ldb", "ldc", "mulps", "nnz", "omp", "scoreboard", "spmv", "triad", "stall", "throttle", "warp", "wavefront"]
CODE = ["Bt", "apt", "block", "col", "install", "libmkl-rt", "multiverse", "non-free", "run"]
EXPERIMENTS = {path.stem for path in (ROOT / "experiments").glob("*.toml")}
ALLOWED = {*NAMES, *UNITS, *TRADE, *CODE, *EXPERIMENTS}


@pytest.fixture(scope="module", name="page")
def _page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zh")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("report.pages.FORMS", ("md",))
        patch.setattr("plots.FORMATS", ("svg",))
        patch.setattr("plots.draw", lambda view, folder, stem: Drawn(stem, view.full_title, ""))
        patch.setattr("report.published.draw_published", lambda chart, folder, stem: Drawn(stem, chart.title, ""))
        assert main(["build", str(RECORDS), "--output", str(folder), "--language", "zh"]) == 0
    return (folder / "report.md").read_text(encoding="utf-8")


def words_of(text: str) -> set[str]:
    """The Latin words of a page in Markdown, without code, addresses, what holds a digit or "_", flags, ids of implementations
    and files, the names that other people's reports give their own kernels, and the records' own names."""
    text = re.sub(r"```.*?```|`[^`]*`|\]\([^)]*\)", " ", text, flags=re.DOTALL).replace("\\", "")
    theirs = re.compile(r"\*\*表 \d+ .*对照 ")
    kept, skipping = [], False
    for line in text.splitlines():
        skipping = bool(theirs.match(line)) or (skipping and not line.startswith("**表") and not line.startswith("#"))
        if not skipping and not line.startswith("![") and "与发表值相差" not in line:
            kept.append(line)
    names = (r"[\w.@/+-]*[\d_][\w.@/+=-]*", r"(?<!\w)-\w[\w=-]*", r"\b(?:cpu|gpu)\.\w+", r"\S+\.(?:csv|py|so|toml)\b",
             r"(?:data|/sys)/\S+", "cuda-[a-z-]+", "&lt;")
    text = re.sub("|".join(names), " ", "\n".join(kept), flags=re.ASCII)
    return set(re.findall(r"[A-Za-z][A-Za-z.'’-]*[A-Za-z]", text))


def test_what_is_left_in_latin_letters_are_names_units_and_code(page):
    assert words_of(page) - ALLOWED == set()


def test_an_english_label_group_reason_or_warning_would_be_found(page):
    for planted in ("Largest：在 16384", "1. naive, coalesced", "已跳过 – predicted to take", "- gpu_peers: the clock was held"):
        assert words_of(f"{page}\n{planted}") - words_of(page)


@pytest.mark.parametrize(("english", "chinese"), [
    ("ikj, all cores, 3 % slower", "ikj，全部核心，慢 3 %"), ("v7 double buffered, two barriers", "v7 双缓冲，两次屏障"),
    ("predicted to take 12.5 s a call, over the limit of 4 s a point", "预计每次调用需 12.5 s，超过每点 4 s 的上限"),
    ("no answer within the time limit (warm-up)", "在时限内没有结果（预热）"), ("a text that nobody knows", "a text that nobody knows"),
    ("variant loads", "variant loads")])
def test_a_pattern_puts_what_a_record_says_into_chinese_with_its_values(english, chinese):
    with using("zh"):
        assert recorded(english) == chinese
    assert recorded(english) == english


def test_every_pattern_fills_in_what_it_takes_out():
    for pattern, form in patterns("zh"):
        assert set(pattern.groupindex) == set(re.findall(r"\{(\w+)\}", form)), pattern.pattern
