"""Cards, driver and toolkit that do not fit each other are told before anything is built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from commands.launch.card_fit import Card, Driver, Toolkit, misfit

T4, P100, B200 = Card("Tesla T4", (7, 5)), Card("Tesla P100", (6, 0)), Card("NVIDIA B200", (10, 0))
CUDA_13 = Toolkit((13, 0), [(7, 5), (8, 0), (9, 0), (10, 0)])
CUDA_12 = Toolkit((12, 5), [(5, 0), (6, 0), (7, 5), (8, 0), (9, 0)])


@pytest.mark.parametrize("here,tools,says", [
    (Driver((13, 0), [T4]), CUDA_13, ""),
    (Driver((12, 4), [T4]), CUDA_12, ""),  # as on Colab: code of the card's own needs no newer one
    (Driver((12, 8), [B200]), CUDA_12, ""),  # PTX
    (Driver((13, 0)), CUDA_13, ""),  # hidden
    (Driver((12, 4), [T4]), CUDA_13, "the driver knows CUDA 12.4, and nvcc is of 13.0: update"),
    (Driver((13, 0), [T4, P100]), CUDA_13, "Tesla P100 is compute capability 6.0, and nvcc of "
     "CUDA 13.0 compiles for 7.5 and later"),
    (Driver((12, 4), [B200]), CUDA_12, "NVIDIA B200 is compute capability 10.0, for which nvcc of "
     "CUDA 12.5 has no code of its own, and the driver, of 12.4, cannot read"),
    (Driver((12, 4), [T4]), Toolkit((11, 8), [(7, 5)]), "nvcc is of CUDA 11.8; 12.0 or later"),
    (Driver((0, 0), fault="no library"), CUDA_13, "no library")])
def test_what_does_not_fit_has_its_reason_and_what_does_has_none(here, tools, says):
    why = misfit(here, tools)
    assert why.startswith(says) and bool(why) == bool(says)


# A driver with one card: $FAKE_CUDA, and $FAKE_CAPABILITY as "75".
LIBCUDA = """
#include <stdlib.h>
#include <string.h>
static int number(const char* name) { return atoi(getenv(name)); }
int cuInit(unsigned flags) { return flags; }
int cuDriverGetVersion(int* version) { *version = number("FAKE_CUDA"); return 0; }
int cuDeviceGetCount(int* count) { *count = 1; return 0; }
int cuDeviceGet(int* device, int index) { *device = index; return 0; }
int cuDeviceGetName(char* name, int size, int device) { strncpy(name, "Tesla T4", size); return device; }
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  *value = attribute == 75 ? number("FAKE_CAPABILITY") / 10 : number("FAKE_CAPABILITY") % 10;
  return device;
}
"""
NVCC = """#!/bin/bash
[[ $1 != --version ]] || echo "Cuda compilation tools, release 12.5, V12.5.82"
[[ $1 != --list-gpu-arch ]] || printf 'compute_%s\\n' 50 60 75 80 90 90a
"""


@pytest.fixture
def driver(tmp_path: Path) -> dict[str, str]:
    """Variables with which the loader finds one."""
    if not (compiler := shutil.which("gcc")):
        pytest.skip("there is no gcc")
    source, folder = tmp_path / "cuda.c", tmp_path / "driver"
    folder.mkdir()
    source.write_text(LIBCUDA)
    subprocess.run([compiler, "-shared", "-fPIC", source, "-o", folder / "libcuda.so.1"],
                   check=True)
    return {"LD_LIBRARY_PATH": str(folder)}


def told(driver: dict[str, str], nvcc: Path, cuda: str, capability: str) -> list[str]:
    """By the program, of a machine with a card."""
    code = ("import sys; sys.path.insert(0, sys.argv[1])\n"
            "from commands.launch import card_fit\n"
            "card_fit.gpu_is_here = lambda: True\nprint(*card_fit.told(), sep='\\n')")
    return subprocess.run(
        [sys.executable, "-c", code, ROOT], text=True, capture_output=True, check=True,
        env=os.environ | driver | {"CUDACXX": str(nvcc), "FAKE_CUDA": cuda,
                                   "FAKE_CAPABILITY": capability}).stdout.splitlines()


@pytest.mark.parametrize("cuda,capability,second", [
    ("12080", "75", "driver, toolkit and architecture fit"),
    ("12040", "75", "fits where code is compiled for the card itself: an nvcc that is newer than "
     "the driver makes PTX that the driver cannot read. By hand: nvcc -arch=sm_75"),
    ("11080", "75", "does not fit: the driver knows CUDA 11.8, and nvcc is of 12.5: update the "
     "driver, or take a toolkit of the driver's major version (CUDACXX=NVCC)"),
    ("13000", "35", "does not fit: Tesla T4 is compute capability 3.5, and nvcc of CUDA 12.5 "
     "compiles for 5.0 and later: take an older toolkit (CUDACXX=NVCC)")])
def test_the_drivers_library_and_nvcc_are_asked(gemmlab, driver, cuda, capability, second):
    gemmlab.fake("nvcc", NVCC)
    lines = told(driver, gemmlab.bin / "nvcc", cuda, capability)
    assert lines == [f"Tesla T4: compute capability {capability[0]}.{capability[1]}; the driver "
                     f"knows CUDA {int(cuda) // 1000}.{int(cuda) % 1000 // 10}; nvcc: 12.5", second]


def test_a_card_without_a_driver_is_told(gemmlab):
    gemmlab.fake("nvcc", NVCC)
    (without,) = told({"LD_LIBRARY_PATH": ""}, gemmlab.bin / "nvcc", "12050", "75")
    assert without.startswith("does not fit: the driver's library (libcuda.so.1) is not here")


@pytest.mark.parametrize("asked,cuda,preset,line", [
    ("AUTO", "12050", "cuda", ""), ("AUTO", "11080", "cpu", "the GPU side is left out: the driver"),
    ("ON", "11080", "cuda", "the GPU cannot be used: the driver knows CUDA 11.8")])
def test_the_launcher_builds_for_a_card_that_fits_and_says_why_for_none(
        gemmlab, driver, tmp_path, asked, cuda, preset, line):
    gemmlab.fake("nvcc", NVCC)
    (tmp_path / "nvidia0").touch()
    copy = gemmlab.root / "commands/launch/card_fit.py"
    copy.write_text(copy.read_text().replace("/dev/nvidia", f"{tmp_path}/nvidia"))
    done = gemmlab("list", GEMMLAB_CUDA=asked, FAKE_CUDA=cuda, FAKE_CAPABILITY="75", **driver)
    assert done.returncode == 0
    assert any(f"--preset {preset}" in call for call in gemmlab.calls("cmake"))
    assert (line in done.stderr) if line else ("GPU" not in done.stderr)
