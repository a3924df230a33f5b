"""libgemmlab_blas.so before programs that know nothing of it: Debian's own tests of BLAS, and one
of NumPy on a system's BLAS."""

from __future__ import annotations

import glob
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PRODUCTS = ("import numpy as np; r = np.random.default_rng(1); a = r.random((30, 40), 'f'); b = "
            "r.random((50, 40), 'f'); assert abs(a @ b.T - a.astype('d') @ b.T.astype('d')).max() "
            "< 1e-4")

# C = 2·A·Bᵀ + 3·C of bfloat16, row-major and then column-major with a row of A beyond its columns,
# exact in whole numbers; and a call whose lda is too small, where the last argument says so.
OF_BFLOAT16 = """
import ctypes, struct, sys
multiply = ctypes.CDLL(None)[sys.argv[1]]
number, at = ctypes.c_int, ctypes.c_void_p
multiply.argtypes = [*[number] * 6, ctypes.c_float, at, number, at, number, ctypes.c_float, at, number]
multiply.restype = None
M, N, K = 37, 21, 19
def bfloat16(values):
    return [struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values]
for order in (101, 102):
    lda = K if order == 101 else M + 1
    A = [i * 7 % 11 - 5 for i in range(lda * max(M, K))]
    B = [i * 5 % 13 - 6 for i in range(N * K)]
    left = (ctypes.c_uint16 * len(A))(*bfloat16(A))
    right = (ctypes.c_uint16 * len(B))(*bfloat16(B))
    C = (ctypes.c_float * (M * N))(*[1] * (M * N))
    multiply(order, 111, 112, M, N, K, 2, left, lda, right, K if order == 101 else N, 3, C,
             N if order == 101 else M)
    for row in range(M):
        for col in range(N):
            total = sum((A[row * lda + k] * B[col * K + k]) if order == 101 else
                        (A[k * lda + row] * B[k * N + col]) for k in range(K))
            assert C[row * N + col if order == 101 else col * M + row] == 2 * total + 3
if sys.argv[2:]:
    multiply(101, 111, 112, M, N, K, 2, left, K - 1, right, K, 3, C, N)
"""


def folder_of_blas_tests() -> Path:
    found = glob.glob("/usr/lib/*/blas/xblat3s")
    if not found:
        pytest.skip("libblas-test is not installed (Debian, Ubuntu: apt install libblas-test)")
    return Path(found[0]).parent


def preloaded(*command: str | Path, text: str = "", cwd: Path,
              **environment: str) -> subprocess.CompletedProcess[str]:
    library = os.environ.get("GEMMLAB_BLAS_LIBRARY")
    if not library:
        pytest.skip("GEMMLAB_BLAS_LIBRARY is not set: ctest sets it")
    return subprocess.run([str(word) for word in command], input=text, cwd=cwd,
                          capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "LD_PRELOAD": library, "OMP_NUM_THREADS": "2",
                               **environment})


def sgemm_alone(definition: Path) -> str:
    """The other functions would be another library's."""
    lines = definition.read_text(encoding="utf-8").splitlines()
    others = ("ssymm", "strmm", "strsm", "ssyrk", "ssyr2k")
    return "\n".join(line.replace(" T PUT", " F PUT") if line.lower().removeprefix("cblas_")
                     .startswith(others) else line for line in lines) + "\n"


def answered(trace: Path) -> dict[str, int]:
    calls: dict[str, int] = {}
    for line in trace.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        calls[one["by"]] = calls.get(one["by"], 0) + one["calls"]
    return calls


def test_the_fortran_tests_of_blas_pass_and_ours_answered(tmp_path: Path) -> None:
    folder = folder_of_blas_tests()
    trace = tmp_path / "trace.jsonl"
    done = preloaded(folder / "xblat3s", text=sgemm_alone(folder / "sblat3.in"), cwd=tmp_path,
                     GEMMLAB_TRACE=str(trace), LD_LIBRARY_PATH=str(folder))
    told = (tmp_path / "sblat3.out").read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert ("SGEMM  PASSED THE COMPUTATIONAL TESTS" in told
            and "SGEMM  PASSED THE TESTS OF ERROR-EXITS" in told and "FAIL" not in told)
    calls = answered(trace)
    assert calls["cpu.packed"] > 17000 and calls["the next library"] < 40  # the error exits


def test_the_c_tests_of_blas_pass(tmp_path: Path) -> None:
    folder = folder_of_blas_tests()
    done = preloaded(folder / "xscblat3", text=sgemm_alone(folder / "sin3"), cwd=tmp_path,
                     LD_LIBRARY_PATH=str(folder))
    assert done.returncode == 0, done.stderr
    for order in ("COLUMN-MAJOR", "ROW-MAJOR   "):
        assert f"cblas_sgemm  PASSED THE {order} COMPUTATIONAL TESTS" in done.stdout
    assert "FAIL" not in done.stdout


def test_numpy_on_a_system_blas_is_answered_with_a_line_for_each_shape(tmp_path: Path) -> None:
    # pip's NumPy has a BLAS of its own, whose functions have other names
    python = Path("/usr/bin/python3")
    if subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False,
                      env={"PATH": "/usr/bin"}).returncode != 0:
        pytest.skip("python3-numpy is not installed (Debian, Ubuntu: apt install python3-numpy)")
    done = preloaded(python, "-c", PRODUCTS, cwd=tmp_path, GEMMLAB_TRACE="1")
    assert done.returncode == 0, done.stderr
    assert ("gemmlab: cblas_sgemm M=30 N=50 K=40, B transposed: 1 call by cpu.packed, "
            in done.stderr)
    off = preloaded(python, "-c", PRODUCTS, cwd=tmp_path, GEMMLAB_TRACE="1", GEMMLAB_BLAS="off")
    assert off.returncode == 0 and "1 call by the next library, " in off.stderr


def test_a_setting_that_cannot_be_ends_the_program_with_one_line(tmp_path: Path) -> None:
    folder = folder_of_blas_tests()
    done = preloaded(folder / "xblat3s", text=sgemm_alone(folder / "sblat3.in"), cwd=tmp_path,
                     GEMMLAB_BLAS="cpu.magic")
    assert done.returncode == 2
    assert done.stderr == ("gemmlab: GEMMLAB_BLAS=cpu.magic: there is no implementation "
                           "'cpu.magic'; allowed: cpu, gpu, off, or an id such as " '"cpu.packed '
                           'threads=1"\n')


@pytest.mark.parametrize("function", ["cblas_gemm_bf16bf16f32", "cblas_sbgemm"])
def test_products_of_bfloat16_are_answered_and_their_trace_is_measured(tmp_path: Path,
                                                                       function: str) -> None:
    trace = tmp_path / "bf.jsonl"
    done = preloaded(sys.executable, "-c", OF_BFLOAT16, function, cwd=tmp_path,
                     GEMMLAB_TRACE=str(trace), GEMMLAB_BLAS="cpu")
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    assert [(one["function"], one["type"], one["result"], one["bias"], one["by"][:4])
            for one in lines] == [(function, "bfloat16", "float32", False, "cpu.")] * 2
    program = Path(os.environ["GEMMLAB_BUILT"]) / "runner" / "gemmlab"
    told = subprocess.run([program, "run", "--from-trace", trace, "--dry-run", "--verbose", "--output",
                           tmp_path / "out"], capture_output=True, text=True, check=False, timeout=120)
    assert told.returncode == 0, told.stderr
    assert ("CPU 37x21x19, B transposed, alpha = 2, beta = 3, bfloat16 to float32 (1 call)"
            in told.stdout and "result float32, transpose_b yes, type bfloat16" in told.stdout)


def test_products_of_bfloat16_that_cannot_be_are_passed_on(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (tmp_path / "next.c").write_text("#include <unistd.h>\n"
                                     'void cblas_sbgemm(void) { _exit(write(1, "reached", 7)); }\n',
                                     encoding="utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "next.so", "next.c"], cwd=tmp_path, check=True)
    library = os.environ.get("GEMMLAB_BLAS_LIBRARY", "")
    for more, blas in ((["wrong"], "cpu"), ([], "off"), ([], "cpu.packed")):
        done = preloaded(sys.executable, "-c", OF_BFLOAT16, "cblas_sbgemm", *more, cwd=tmp_path,
                         GEMMLAB_BLAS=blas, LD_PRELOAD=f"{library}:{tmp_path / 'next.so'}")
        assert (done.returncode, done.stdout) == (7, "reached"), done.stderr
