"""Calls gemmlab's implementations on PyTorch tensors and compares them with torch.matmul.

    python3 api/example_torch.py [--library build/cuda/api/libgemmlab.so] [--size 4096] [gpu.tiled
    gpu.register_tiled ...]
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import sys
from pathlib import Path

ROUNDS = 11


class Gemmlab:
    """libgemmlab.so through ctypes."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.gemmlab_multiply.argtypes = ([ctypes.c_char_p, ctypes.c_char_p]
                                                   + 3 * [ctypes.c_void_p] + 3 * [ctypes.c_int64])
        self._library.gemmlab_use_stream.argtypes = [ctypes.c_void_p]
        for name in ("gemmlab_error", "gemmlab_id", "gemmlab_unavailable"):
            getattr(self._library, name).restype = ctypes.c_char_p

    def ids(self) -> list[str]:
        """Those that can run here."""
        every = [self._library.gemmlab_id(index) for index in range(self._library.gemmlab_count())]
        return [name.decode() for name in every if self._library.gemmlab_unavailable(name) == b""]

    def use_stream(self, stream: int) -> None:
        self._library.gemmlab_use_stream(stream)

    def multiply(self, implementation: str, a, b, c) -> None:
        """c = a·b: contiguous float32 tensors on the implementation's device, (M, K), (K, N) and
        (M, N)."""
        (m, k), n = a.shape, b.shape[1]
        code = self._library.gemmlab_multiply(implementation.encode(), None, a.data_ptr(),
                                              b.data_ptr(), c.data_ptr(), m, n, k)
        if code != 0:
            raise RuntimeError(self._library.gemmlab_error().decode())


def timed_s(torch, work) -> float:
    """Seconds on the GPU of one call: the median of some, after one to warm up."""
    work()
    samples = []
    for _ in range(ROUNDS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        work()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) * 1e-3)
    return statistics.median(samples)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares gemmlab's GPU implementations with "
                                     "torch.matmul.")
    parser.add_argument("implementations", nargs="*", metavar="ID",
                        help="default: every gpu.* that can run here")
    parser.add_argument("--library", type=Path, default=Path(__file__).resolve().parents[1]
                        / "build/cuda/api/libgemmlab.so")
    parser.add_argument("--size", type=int, default=2048, help="M = N = K (default: 2048)")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("example_torch.py needs PyTorch, which is not installed (https://pytorch.org)",
              file=sys.stderr)
        return 2
    if not torch.cuda.is_available():
        print("example_torch.py needs an NVIDIA GPU that PyTorch can use", file=sys.stderr)
        return 2
    torch.backends.cuda.matmul.allow_tf32 = False
    gemmlab = Gemmlab(options.library)
    gemmlab.use_stream(torch.cuda.current_stream().cuda_stream)
    size = options.size
    a, b = (torch.rand(size, size, device="cuda") * 2 - 1 for _ in range(2))
    exact = a.double() @ b.double()
    rows = {"torch.matmul": lambda c: torch.matmul(a, b, out=c)}
    for name in (options.implementations
                 or [name for name in gemmlab.ids() if name.startswith("gpu.")]):
        rows[name] = lambda c, name=name: gemmlab.multiply(name, a, b, c)
    print(f"{'':24} {'GFLOP/s':>10} {'relative error':>16}")
    for name, work in rows.items():
        c = torch.full((size, size), float("nan"), device="cuda")
        seconds = timed_s(torch, lambda work=work, c=c: work(c))
        error = ((c.double() - exact).norm() / exact.norm()).item()
        print(f"{name:24} {2 * size**3 / seconds * 1e-9:10.0f} {error:16.2e}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
