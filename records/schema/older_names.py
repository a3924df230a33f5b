"""The names and families of implementations for OLDER RECORDS ONLY, which do not say them.

Those are of before 27 November 2026. A new implementation needs no row here: its description in
C++ has its name and its family, and its records say both. Nothing in this table changes any more,
but where a text of older results is to read better.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LIBRARY = "library"

# Id without its device -> (family, name with {parameters}), in the order of the ladders of then:
# the first of a family has its main shade.
CPU = {
    "serial": ("plain", "serial"),
    "openmp": ("plain", "OpenMP"),
    "ikj": ("plain", "ikj"),
    "blocked": ("tiles", "blocked"),
    "blocked_packed": ("tiles", "blocked, tiles copied"),
    "register_blocked": ("register tiles", "register-blocked"),
    "register_edges": ("register tiles", "register tiles at edges"),
    "packed_b": ("register tiles", "B packed"),
    "packed_a": ("register tiles", "A packed, too"),
    "blocked_k": ("overlapped", "k in blocks"),
    "five_loops": ("overlapped", "five loops"),
    "prefetched": ("overlapped", "C prefetched"),
    "shared_b": ("overlapped", "B shared"),
    "shared_terms": ("overlapped", "terms shared"),
    "packed": ("best", "packed"),
    "eigen": (LIBRARY, "Eigen"),
    "matrix": ("matrix units", "matrix unit"),
    "openblas": (LIBRARY, "OpenBLAS"),
    "openblas_pypi": (LIBRARY, "OpenBLAS PyPI"),
    "blis": (LIBRARY, "BLIS"),
    "onednn": (LIBRARY, "oneDNN"),
    "mkl": (LIBRARY, "MKL"),
    "mkl_jit": (LIBRARY, "MKL JIT"),
    "access": ("", "access, {width} bytes"),
    "chase": ("", "chase, {pages} pages"),
}
GPU = {
    "naive": ("plain", "naive"),
    "naive_uncoalesced": ("plain", "naive, uncoalesced"),
    "tiled": ("tiles", "tiled {block}"),
    "tiled_rolled": ("tiles", "tiled {block}, rolled"),
    "tiled_uncoalesced": ("tiles", "tiled {block}, uncoalesced"),
    "tiled_conflicting": ("tiles", "tiled {block}, conflicting"),
    "tiled_padded": ("tiles", "tiled {block}, padded"),
    "tiled_spare_column": ("tiles", "tiled {block}, spare column"),
    "tiled_cumulative": ("tiles", "tiled {block}, cumulative"),
    "tiled_transposed": ("tiles", "tiled {block}, B transposed"),
    "tiled_strided": ("tiles", "tiled, B strided {row}"),
    "register_tiled_1d": ("register tiles", "register-tiled 1-D"),
    "register_tiled_2d": ("register tiles", "register-tiled 2-D"),
    "vector_loads_4x4": ("register tiles", "vector loads 4×4"),
    "vector_loads": ("register tiles", "vector loads"),
    "contiguous_columns": ("register tiles", "contiguous columns"),
    "transposed_a": ("register tiles", "A transposed"),
    "register_tiled": ("register tiles", "register-tiled {tile}"),
    "double_buffered": ("overlapped", "double-buffered"),
    "double_buffered_two_barriers": ("overlapped", "double-buffered, two barriers"),
    "cp_async": ("overlapped", "cp.async"),
    "warp_tiled": ("overlapped", "warp-tiled"),
    "pipelined": ("best", "pipelined"),
    "tensor": ("matrix units", "tensor"),
    "multi": ("best", "multi"),
    "multi_tensor": ("matrix units", "multi, tensor"),
    "cublas": (LIBRARY, "cuBLAS"),
    "cublaslt": (LIBRARY, "cublasLt"),
    "cublasxt": (LIBRARY, "cuBLASXt"),
    "cublasmp": (LIBRARY, "cuBLASMp"),
    "cublas_tf32": (LIBRARY, "cuBLAS TF32"),
    "cublas_fp16": (LIBRARY, "cuBLAS FP16"),
    "cublas_bf16": (LIBRARY, "cuBLAS BF16"),
    "cusparse": (LIBRARY, "cuSPARSE"),
    "access": ("", "access, {width} bytes"),
    "chase": ("", "chase, {path}"),
    "lanes": ("", "lanes, {path}"),
}
# Of what is in neither: the family that the last word of its id tells.
_BY_WORD = {
    "serial": "plain",
    "scalar": "plain",
    "openmp": "tiles",
    "warp": "tiles",
    "simd": "register tiles",
    "split": "overlapped",
    "spilling": "overlapped",
    "merge": "best",
    "tuned": "best",
}
# (id, parameter) -> (the value that goes without saying, how another is told).
_TOLD = {
    ("cpu.blocked", "block"): ("64", " {block}"),
    ("cpu.blocked_packed", "block"): ("64", " {block}"),
    ("gpu.tiled_cumulative", "step"): ("unrolled", ", {step}"),
    ("gpu.contiguous_columns", "layout"): ("plain", ", {layout}"),
    ("gpu.pipelined", "tile"): ("auto", " {tile}"),
    ("gpu.tensor", "instruction"): ("widest", ", {instruction}"),
    ("gpu.tensor", "products"): ("3", ", {products} products"),
    ("gpu.cublas", "math"): ("default", ", {math}"),
    ("gpu.multi", "gpus"): ("1", ", {gpus} cards"),
    ("gpu.multi_tensor", "gpus"): ("1", ", {gpus} cards"),
    ("gpu.multi", "operands"): ("first", ", {operands}"),
    ("gpu.multi_tensor", "operands"): ("first", ", {operands}"),
    ("gpu.multi", "exchange"): ("copies", ", {exchange}"),
    ("gpu.multi_tensor", "exchange"): ("copies", ", {exchange}"),
    ("gpu.multi", "chunks"): ("4", ", {chunks} chunks"),
    ("gpu.multi_tensor", "chunks"): ("1", ", {chunks} chunks"),
    ("gpu.multi", "memory_mib"): ("0", ", {memory_mib} MiB per card"),
    ("gpu.multi_tensor", "memory_mib"): ("0", ", {memory_mib} MiB per card"),
    ("gpu.cublasxt", "gpus"): ("1", ", {gpus} cards"),
    ("gpu.cublasxt", "operands"): ("first", ", {operands}"),
    ("gpu.cublasxt", "block"): ("4096", ", blocks of {block}"),
    ("gpu.cublasmp", "gpus"): ("1", ", {gpus} cards"),
    ("gpu.cublasmp", "operands"): ("first", ", {operands}"),
    ("gpu.cublasmp", "workspace"): ("registered", ", {workspace} workspace"),
    ("gpu.cublas_fp16", "operands"): ("converted", ", {operands}"),
    ("gpu.cublas_bf16", "operands"): ("converted", ", {operands}"),
    ("gpu.access", "path"): ("l1", ", path {path}"),
    ("gpu.access", "blocks_per_sm"): ("0", ", {blocks_per_sm} blocks per SM"),
    ("gpu.access_spilling", "blocks_per_sm"): ("0", ", {blocks_per_sm} blocks per SM"),
    ("gpu.pipelined_batched", "tile"): ("auto", ", tile {tile}"),
    ("gpu.tensor_batched", "instruction"): ("widest", ", {instruction}"),
    ("gpu.spmv_adaptive", "lanes"): ("0", ", {lanes} lanes per row"),
    ("gpu.spmv_merge", "items"): ("15", ", {items} items per thread"),
    ("gpu.spmv_merge", "block_threads"): ("128", ", {block_threads} threads per block"),
    ("gpu.cusparse_spmv", "algorithm"): ("csr1", ", {algorithm}"),
    ("gpu.cusparse_spmv", "preprocess"): ("none", ", preprocessed {preprocess}"),
}
CIRCUMSTANCES = ("threads", "isa", "kernel")  # where and with what it ran, not what it does


def _entry(implementation: str) -> tuple[str, str] | None:
    """(family, name); of a library's other operation, "cpu.mkl_gemv", the library's.

    None where it is not known.
    """
    device, _, method = implementation.partition(".")
    names = {"cpu": CPU, "gpu": GPU}.get(device, {})
    library = names.get(method.partition("_")[0])
    return names.get(method) or (library if library and library[0] == LIBRARY else None)


def family_of(implementation: str) -> str:
    """ "tiles"; empty where nothing tells it."""
    entry = _entry(implementation)
    return entry[0] if entry else _BY_WORD.get(implementation.rpartition("_")[2], "")


def name_parts(implementation: str, parameters: Mapping[str, Any]) -> tuple[str, ...]:
    """As records have them: ("multi", ", {gpus} cards").

    Of what is not known, a student's kernel say, the id and all parameters.
    """
    told = [
        text
        for (of, name), (silent, text) in _TOLD.items()
        if of == implementation and str(parameters.get(name, silent)) != silent
    ]
    entry = _entry(implementation)
    if entry:
        return entry[1], *told
    name = (
        implementation.split(".", 1)[-1]
        .replace("_", " ")
        .replace("openmp", "OpenMP")
        .replace("simd", "SIMD")
    )
    known = any(of == implementation for of, _ in _TOLD)
    return name, *(
        told if known else [f", {key} {{{key}}}" for key in parameters if key not in CIRCUMSTANCES]
    )
