"""What each implementation is called and how it looks: one name and one look, in all figures and tables of all machines.

The colour comes from the family, which is the idea behind an implementation (plain loops, tiles, register tiles, …), the
same for CPU and GPU; libraries are grey. Shade, marker, dashes and hatch come from the implementation and from the
parameter that distinguishes it. Threads, instruction set and scope change neither name nor colour.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from zlib import crc32

from .language import current, recorded, say
from .numbers import counted
from .palette import SHADES

Dashes = str | tuple[int, tuple[float, ...]]
LIBRARY, OTHER = "library", "other"
# In the order of the families: the best of ours has the plainest.
MARKERS = ("s", "D", "^", "v", "o", "P", "X")
LINES: tuple[Dashes, ...] = ((0, (9, 3)), (0, (5, 1.5)), (0, (6, 1.5, 1, 1.5)), (0, (1.2, 1.2)), "-",
                             (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1, 1, 1)))
HATCHES = ("///", "...", "\\\\\\", "xxx", "", "---", "ooo")

# THE list: id without its device -> (family, name). The names of each rows.h in their order; the first
# of a family has its main shade. {…} is a parameter.
_CPU = {
    "serial": ("plain", "serial"), "openmp": ("plain", "OpenMP"), "ikj": ("plain", "ikj"),
    "blocked": ("tiles", "blocked"), "blocked_packed": ("tiles", "blocked, tiles copied"),
    "register_blocked": ("register tiles", "register-blocked"), "register_edges": ("register tiles", "register tiles at edges"),
    "packed_b": ("register tiles", "B packed"), "packed_a": ("register tiles", "A packed, too"),
    "blocked_k": ("overlapped", "k in blocks"), "five_loops": ("overlapped", "five loops"), "prefetched": ("overlapped", "C prefetched"),
    "shared_b": ("overlapped", "B shared"), "shared_terms": ("overlapped", "terms shared"),
    "packed": ("best", "packed"), "eigen": (LIBRARY, "Eigen"),
    "matrix": ("matrix units", "matrix unit"),
    "openblas": (LIBRARY, "OpenBLAS"), "openblas_pypi": (LIBRARY, "OpenBLAS PyPI"), "blis": (LIBRARY, "BLIS"), "onednn": (LIBRARY, "oneDNN"),
    "mkl": (LIBRARY, "MKL"), "mkl_jit": (LIBRARY, "MKL JIT"),
}
_GPU = {
    "naive": ("plain", "naive"), "naive_uncoalesced": ("plain", "naive, uncoalesced"),
    "tiled": ("tiles", "tiled {block}"), "tiled_rolled": ("tiles", "tiled {block}, rolled"),
    "tiled_uncoalesced": ("tiles", "tiled {block}, uncoalesced"),
    "tiled_conflicting": ("tiles", "tiled {block}, conflicting"), "tiled_padded": ("tiles", "tiled {block}, padded"),
    "tiled_spare_column": ("tiles", "tiled {block}, spare column"), "tiled_cumulative": ("tiles", "tiled {block}, cumulative"),
    "tiled_transposed": ("tiles", "tiled {block}, B transposed"), "tiled_strided": ("tiles", "tiled, B strided {row}"),
    "register_tiled_1d": ("register tiles", "register-tiled 1-D"),
    "register_tiled_2d": ("register tiles", "register-tiled 2-D"),
    "vector_loads_4x4": ("register tiles", "vector loads 4×4"), "vector_loads": ("register tiles", "vector loads"),
    "contiguous_columns": ("register tiles", "contiguous columns"), "transposed_a": ("register tiles", "A transposed"),
    "register_tiled": ("register tiles", "register-tiled {tile}"), "double_buffered": ("overlapped", "double-buffered"),
    "double_buffered_two_barriers": ("overlapped", "double-buffered, two barriers"), "cp_async": ("overlapped", "cp.async"),
    "warp_tiled": ("overlapped", "warp-tiled"), "pipelined": ("best", "pipelined"), "tensor": ("matrix units", "tensor"),
    "multi": ("best", "multi"), "multi_tensor": ("matrix units", "multi, tensor"),
    "cublas": (LIBRARY, "cuBLAS"), "cublaslt": (LIBRARY, "cublasLt"), "cublasxt": (LIBRARY, "cuBLASXt"), "cublasmp": (LIBRARY, "cuBLASMp"),
    "cublas_tf32": (LIBRARY, "cuBLAS TF32"),
    "cublas_fp16": (LIBRARY, "cuBLAS FP16"), "cublas_bf16": (LIBRARY, "cuBLAS BF16"),
}
# Of an implementation that is not in the list: the family that the last word of its id tells.
_BY_WORD = {"serial": "plain", "scalar": "plain", "openmp": "tiles", "threads": "tiles", "warp": "tiles", "simd": "register tiles",
            "vector": "register tiles", "split": "overlapped", "spilling": "overlapped", "merge": "best", "tuned": "best"}
_OF_CPU = {f"cpu.{name}" for name in _CPU}
_KNOWN = {f"cpu.{name}": entry for name, entry in _CPU.items()} | {f"gpu.{name}": entry for name, entry in _GPU.items()}

# Libraries of other operations alone.
_LIBRARIES = {"gpu.cusparse": "cuSPARSE"} | {name: entry[1] for name, entry in _KNOWN.items() if entry[0] == LIBRARY}

# Further parameters that distinguish: (id, parameter) -> (the value that goes without saying, how another is said).
_FURTHER = {
    ("cpu.blocked", "block"): ("64", "{value}"), ("cpu.blocked_packed", "block"): ("64", "{value}"),
    ("gpu.tiled_cumulative", "step"): ("unrolled", "{value}"), ("gpu.contiguous_columns", "layout"): ("plain", "{value}"),
    ("gpu.pipelined", "tile"): ("auto", "{value}"), ("gpu.tensor", "instruction"): ("widest", "{value}"),
    ("gpu.tensor", "products"): ("3", "{value} products"), ("gpu.cublas", "math"): ("default", "{value}"),
    ("gpu.multi", "gpus"): ("1", "{value} cards"), ("gpu.multi_tensor", "gpus"): ("1", "{value} cards"),
    ("gpu.multi", "operands"): ("first", "{value}"), ("gpu.multi_tensor", "operands"): ("first", "{value}"),
    ("gpu.multi", "exchange"): ("copies", "{value}"), ("gpu.multi_tensor", "exchange"): ("copies", "{value}"),
    ("gpu.multi", "chunks"): ("4", "{value} chunks"), ("gpu.multi_tensor", "chunks"): ("1", "{value} chunks"),
    ("gpu.multi", "memory_mib"): ("0", "{value} MiB per card"), ("gpu.multi_tensor", "memory_mib"): ("0", "{value} MiB per card"),
    ("gpu.cublasxt", "gpus"): ("1", "{value} cards"), ("gpu.cublasxt", "operands"): ("first", "{value}"),
    ("gpu.cublasxt", "block"): ("4096", "blocks of {value}"),
    ("gpu.cublasmp", "gpus"): ("1", "{value} cards"), ("gpu.cublasmp", "operands"): ("first", "{value}"),
    ("gpu.cublasmp", "workspace"): ("registered", "{value} workspace"),
    ("gpu.cublas_fp16", "operands"): ("converted", "{value}"), ("gpu.cublas_bf16", "operands"): ("converted", "{value}"),
}
_BLOCKS = {"32": 0, "16": 1, "8": 2, "4": 3}  # block size -> shade
_SETS = {"avx2": "AVX2", "avx512": "AVX-512", "neon": "NEON"}
_IGNORED = ("threads", "isa", "kernel")  # in a name only where a label or a neighbour asks for them


@dataclass(frozen=True)
class Look:
    """How an implementation is drawn. `hatch` is for bars, `marker` and `line` for lines over an axis."""

    colour: str  # "#rrggbb"
    marker: str
    line: Dashes
    hatch: str


def known() -> tuple[str, ...]:
    """The ids that have a name of their own, in the order of the two ladders."""
    return tuple(_KNOWN)


def _shown(value: Any) -> str:
    """"8x8" -> "8×8"."""
    return re.sub(r"(?<=\d)x(?=\d)", "×", str(value))


def isa_text(isa: str) -> str:
    """"AVX-512" for "avx512"; the parameter's value where it is none of ours."""
    return _SETS.get(isa) or recorded(str(isa))


def _library_of(implementation: str) -> str:
    """The library behind an operation of it: "cpu.eigen" of "cpu.eigen_spmv"; else the id itself."""
    library = implementation.partition("_")[0]
    return library if implementation not in _KNOWN and library in _LIBRARIES else implementation


def _fallback(implementation: str, parameters: dict[str, Any]) -> str:
    """A student's or a plug-in's: its own name with its parameters, "my kernel, block 16"; a library's: the library's."""
    name = _LIBRARIES.get(_library_of(implementation)) or implementation.split(".", 1)[-1].replace("_", " ")
    extra = [f"{key} {_shown(value)}" for key, value in parameters.items() if key not in _IGNORED]
    return ", ".join([name, *extra])


def _distinguishing(implementation: str, parameters: dict[str, Any]) -> list[tuple[str, str]]:
    """The further parameters that have another value than goes without saying, and how each is said."""
    return [(key, text) for (of, key), (silent, text) in _FURTHER.items()
            if of == implementation and str(parameters.get(key, silent)) != silent]


def display_name(implementation: str, parameters: dict[str, Any]) -> str:
    """The one name of an implementation ("gpu.tiled") with its distinguishing parameter ("tiled 32"), in the language in use.

    A parameter that is missing, as in a line over block sizes, is left out: "tiled".
    """
    entry = _KNOWN.get(implementation)
    if entry is None:
        return _fallback(implementation, parameters)
    pattern = entry[1]
    for hole in re.findall(r" ?\{(\w+)\}", pattern):
        if hole not in parameters:
            pattern = re.sub(rf" ?\{{{hole}\}}", "", pattern)
    name = say(pattern, **{key: _shown(value) for key, value in parameters.items()})
    further = [say(text, value=recorded(_shown(parameters[key]).replace("_", " ")))
               for key, text in _distinguishing(implementation, parameters)]
    if not further:
        return name
    bare = len(further) == 1 and further[0].replace("×", "").isdigit()
    return f"{name} {further[0]}" if bare else say(", ").join([name, *further])


def _words(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"[a-z0-9]+", str(text).casefold().replace("×", "x"))}


def name_of(implementation: str, parameters: dict[str, Any], label: str) -> str:
    """The display name, unless the definition's label says something that neither it nor the parameters say: then the label.

    Threads and instruction set that the label names stand behind the display name: "OpenMP, 8 threads", "packed, AVX-512".
    """
    return _name_of(current(), implementation, tuple(parameters.items()), label)


@lru_cache(maxsize=4096)
def _name_of(_: str, implementation: str, items: tuple[tuple[str, Any], ...], label: str) -> str:
    """The name in the language in use, which is part of the key: a hundred thousand points share few names."""
    said, parameters = _words(label), dict(items)
    name = display_name(implementation, parameters)
    if implementation not in _KNOWN:
        return _shown(recorded(label)) if label != implementation else name
    subject = _words(re.sub(r"[._]", " ", implementation)) | _words(" ".join(parameters))
    values = {word for value in parameters.values() for word in _words(value)}
    if said - subject - values - _words(name) or not said & subject or "kernel" in said:
        return _shown(recorded(label))
    behind = [parameter_text(key, parameters[key]) for key, word in (("isa", "isa"), ("threads", "thread"))
              if key in parameters and (word in said or (key == "isa" and _words(parameters[key]) & said))]
    return say(", ").join([name, *behind])


def threads_text(count: Any) -> str:
    """"8 threads"."""
    return counted(count, "thread") if isinstance(count, int) else f"{count} threads"


def parameter_text(name: str, value: Any) -> str:
    """How a fact that tells two of one name apart is said: "8 threads", "AVX2", "scope call"."""
    if name == "threads":
        return threads_text(value)
    return isa_text(value) if name == "isa" else f"{recorded(name)} {recorded(_shown(value))}".strip()


def family_of(implementation: str, library: bool = False) -> str:
    """Whose colour it has: "plain", "tiles", "register tiles", "overlapped", "best", "matrix units", "library" or "other"."""
    entry = _KNOWN.get(implementation)
    return LIBRARY if library else entry[0] if entry else _BY_WORD.get(implementation.rpartition("_")[2], OTHER)


def _place(implementation: str) -> int:
    """Where it stands among those of its family and device; of an unknown one a number that its
    name alone decides, so that `cpu.dot` and `gpu.dot` have one colour."""
    implementation = _library_of(implementation)
    if implementation not in _KNOWN:
        return crc32(implementation.partition(".")[2].encode())
    family, of_cpu = family_of(implementation), implementation in _OF_CPU
    mates = [one for one, (of, _) in _KNOWN.items() if of == family and (one in _OF_CPU) == of_cpu]
    return mates.index(implementation)


def _shade(implementation: str, parameters: dict[str, Any]) -> int:
    block = str(parameters.get("block", ""))
    if implementation == "gpu.tiled" and block in _BLOCKS:
        return _BLOCKS[block]
    if implementation in _OF_CPU and family_of(implementation) in ("tiles", "register tiles", "best"):
        return (_place(implementation) + 2) % 4  # darker than the GPU's of the same idea
    return (_place(implementation) + len(_distinguishing(implementation, parameters))) % 4


def colour_of(implementation: str, parameters: dict[str, Any], library: bool = False) -> str:
    """The colour on a white page, "#rrggbb"; plots/scheme.py has what stands for it on the dark one."""
    return SHADES[family_of(implementation, library)][0][_shade(implementation, parameters)]


def look_of(implementation: str, parameters: dict[str, Any], library: bool = False) -> Look:
    """Colour, marker, dashes and hatch. Where two of a panel share a marker, plots/looks.py gives one of them another."""
    families = list(SHADES)
    at = families.index(family_of(implementation, library)) + _place(implementation) + (implementation in _OF_CPU) * 3
    return Look(colour_of(implementation, parameters, library), MARKERS[at % len(MARKERS)], LINES[at % len(LINES)],
                HATCHES[at % len(HATCHES)])
