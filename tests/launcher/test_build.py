"""When CMake is called, and with what; a finished build is used as it is."""

from __future__ import annotations

import time

import pytest
from conftest import ROOT


def configured(gemmlab) -> list[str]:
    return [call for call in gemmlab.calls("cmake") if "--preset" in call]


def test_configures_once_and_builds_each_time(gemmlab):
    for _ in range(3):
        assert gemmlab("list").returncode == 0
    assert len(configured(gemmlab)) == 1
    assert "--preset cpu" in configured(gemmlab)[0]
    assert len(gemmlab.calls("cmake --build")) == 3


def test_changed_presets_configure_again(gemmlab):
    gemmlab("list")
    with (gemmlab.root / "CMakePresets.json").open("a") as presets:
        presets.write("\n")
    gemmlab("list")
    assert len(configured(gemmlab)) == 2


def test_a_moved_checkout_configures_again(gemmlab):
    gemmlab("list")
    gemmlab.root = gemmlab.root.rename(gemmlab.root.parent / "moved")
    gemmlab("list")
    assert len(configured(gemmlab)) == 2


def test_commands_build_the_program_and_test_builds_all(gemmlab):
    gemmlab("list")
    assert gemmlab.calls("cmake --build")[-1].endswith("--target gemmlab_program")
    gemmlab.fake("ctest", "#!/bin/bash\n")
    gemmlab("test")
    assert gemmlab.calls("cmake --build")[-1].endswith("--target all")


def test_cuda_on_takes_the_cuda_preset(gemmlab):
    gemmlab.fake("nvcc", "#!/bin/bash\n")
    assert gemmlab("list", GEMMLAB_CUDA="ON").returncode == 0
    assert "--preset cuda" in configured(gemmlab)[0]


def test_an_unknown_cuda_choice_is_refused(gemmlab):
    done = gemmlab("list", GEMMLAB_CUDA="yes")
    assert done.returncode == 2
    assert done.stderr == "gemmlab: GEMMLAB_CUDA is 'yes'; it may be AUTO, ON or OFF\n"


def test_a_failing_build_shows_the_end_of_its_log_and_where_it_is(gemmlab):
    done = gemmlab("list", FAKE_BUILD_FAILS="1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "FAILED: kernel.o" in done.stderr
    assert str(gemmlab.root / "build/launcher/build.log") in done.stderr


# the second, cut short, as CMake 3.31 says it of an archive that it cannot fetch
REFUSED = {
    "CMake Error at CMakeLists.txt:5 (message):\n  /usr/bin/c++ is GNU 10.2.1; gemmlab needs\n  g++ 11 "
    "or later\n\n\n-- Configuring incomplete, errors occurred!\n":
        "/usr/bin/c++ is GNU 10.2.1; gemmlab needs g++ 11 or later",
    "error: downloading 'https://an.archive/v3.tar.gz' failed\nCould not resolve host: an.archive\n"
    "CMake Error at FetchContent.cmake:1918 (message):\n  Build step for tomlplusplus failed: 1\n":
        "https://an.archive/v3.tar.gz could not be fetched; an unpacked copy does: "
        "FETCHCONTENT_SOURCE_DIR_TOMLPLUSPLUS=FOLDER"}


@pytest.mark.parametrize("said", REFUSED)
def test_what_cmake_refuses_is_told_in_one_line(gemmlab, said):
    gemmlab.fake("cmake", '#!/bin/bash\n[[ $1 != --version ]] || { echo cmake version 3.25.1; exit; '
                 f'}}\ncat <<"END"\n{said}END\nexit 1\n')
    done = gemmlab("list")
    assert done.returncode == 2
    assert done.stderr.splitlines()[1:] == [
        f"gemmlab: configure failed: {REFUSED[said]}; the whole log: "
        f"{gemmlab.root / 'build/launcher/configure.log'}"]


def test_a_second_call_waits_for_the_first_to_build(gemmlab, tmp_path):
    may_end = tmp_path / "may end"
    with gemmlab.start("list", FAKE_BUILD_UNTIL=str(may_end)) as first:
        while not gemmlab.calls("cmake --build"):
            assert first.poll() is None
            time.sleep(0.02)
        with gemmlab.start("list") as second:
            assert "waiting for another gemmlab" in second.stderr.readline()
            assert len(gemmlab.calls("cmake --build")) == 1
            may_end.touch()
            second.communicate(timeout=60)
        first.communicate(timeout=60)
    assert (first.returncode, second.returncode) == (0, 0)
    assert len(gemmlab.calls("cmake --build")) == 2


def test_a_folder_without_the_program_is_no_finished_build(gemmlab, tmp_path):
    done = gemmlab("list", GEMMLAB_BUILD=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"gemmlab: GEMMLAB_BUILD is '{tmp_path}', but there is no program "
                           f"{tmp_path}/runner/gemmlab\n")


@pytest.mark.parametrize("code", [0, 1, 2, 130])
def test_a_finished_build_gets_the_arguments_and_its_exit_code_counts(gemmlab, code):
    gemmlab.installed.write_text("")
    done = gemmlab("run", "a b", "--no-report", GEMMLAB_BUILD=str(gemmlab.finished_build()),
                   FAKE_EXIT=str(code))
    assert done.returncode == code
    assert done.stdout.splitlines()[:3] == ["argument <run>", "argument <a b>",
                                            "argument <--no-report>"]
    assert f"root <{gemmlab.root}>" in done.stdout
    assert gemmlab.log.read_text() == ""  # installed and built nothing
    assert not (gemmlab.root / "build").exists()


def test_a_finished_build_that_is_interrupted_gives_the_signal(gemmlab):
    done = gemmlab("run", "quick", "--no-report", GEMMLAB_BUILD=str(gemmlab.finished_build()),
                   FAKE_EXIT="INT")
    assert done.returncode == -2  # a shell shows it as 130


def test_a_finished_build_without_python_packages_still_runs(gemmlab):
    gemmlab.fake("python3", "#!/bin/bash\nexit 1\n")
    build = str(gemmlab.finished_build())
    done = gemmlab("run", "quick", GEMMLAB_BUILD=build, GEMMLAB_PYTHON="stale")
    assert (done.returncode, "python <>" in done.stdout) == (0, True)
    done = gemmlab("report", GEMMLAB_BUILD=build)
    assert done.returncode == 2
    assert done.stderr.startswith("gemmlab: report needs the Python packages of requirements.txt")


def test_a_finished_build_takes_the_python_that_has_the_packages(gemmlab):
    gemmlab.fake("python3", "#!/bin/bash\nexit 0\n")
    assert "python <python3>" in gemmlab("run", "quick",
                                         GEMMLAB_BUILD=str(gemmlab.finished_build())).stdout


def test_no_committed_script_names_an_absolute_path_of_a_machine():
    for name in ("gemmlab", ".ci/run", ".ci/format", "CMakePresets.json", "packages.txt"):
        text = (ROOT / name).read_text()
        assert "/home/" not in text and "/root/" not in text, name
