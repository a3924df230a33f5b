"""What is installed, when, and what is said where nothing can be."""

from __future__ import annotations

import os
import shutil
import sys
import time

import pytest
from conftest import NEEDED, OPTIONAL, ROOT


def test_all_there_installs_nothing(gemmlab):
    assert gemmlab("list").returncode == 0
    assert gemmlab.calls("apt-get") == []


def test_root_installs_what_is_missing_and_nothing_else(gemmlab):
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("libfmt-dev\n",
                                                                       "").replace("g++\n", ""))
    done = gemmlab("list")
    assert done.returncode == 0
    update, install = gemmlab.calls("apt-get")
    assert update == "apt-get update"
    assert install.startswith("apt-get install -y ")
    assert install.endswith(" g++ libfmt-dev")
    assert "installing g++ libfmt-dev" in done.stderr


def test_the_second_call_asks_neither_dpkg_nor_apt(gemmlab):
    gemmlab.installed.write_text("")
    gemmlab("check")
    before = (gemmlab.calls("apt-get"), gemmlab.calls("dpkg-query"))
    assert len(before[1]) == 1
    done = gemmlab("check")
    assert (gemmlab.calls("apt-get"), gemmlab.calls("dpkg-query")) == before
    assert done.stderr.replace("gemmlab: compiling what has changed (9 steps)\n", "") == ""


def test_a_changed_list_is_looked_at_again(gemmlab):
    gemmlab("list")
    with (gemmlab.root / "packages.txt").open("a") as packages:
        packages.write("libnew-dev # new\n")
    with gemmlab.archive.open("a") as archive:
        archive.write("libnew-dev\n")
    gemmlab("list")
    assert gemmlab.calls("apt-get install")[-1].endswith(" libnew-dev")


def test_a_command_on_path_needs_no_package(gemmlab):
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("cmake\n", ""))
    assert gemmlab("list").returncode == 0
    assert gemmlab.calls("apt-get") == []


def test_of_alternatives_the_one_in_the_archive_is_taken(gemmlab):
    for name in ("libdnnl2", "libdnnl3", "libdnnl3.6"):
        gemmlab.installed.write_text(gemmlab.installed.read_text().replace(f"{name}\n", ""))
    gemmlab.archive.write_text(gemmlab.archive.read_text().replace("libdnnl2\n", ""))
    gemmlab("list")
    assert gemmlab.calls("apt-get install")[0].endswith(" libdnnl3")


def test_a_reference_library_that_the_archive_lacks_is_left_out_in_one_line(gemmlab):
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("libblis4-openmp\n", ""))
    gemmlab.archive.write_text(gemmlab.archive.read_text().replace("libblis4-openmp\n", ""))
    done = gemmlab("list")
    assert done.returncode == 0
    assert done.stderr.count("libblis4-openmp") == 1
    assert gemmlab.calls("apt-get install") == []
    assert "libblis4" not in gemmlab("list").stderr


def lack(gemmlab, *names: str, archive: bool = True) -> None:
    """None of them is installed; nor are they in the archive, if so asked."""
    for file in (gemmlab.installed, *([gemmlab.archive] if archive else [])):
        file.write_text("".join(f"{name}\n" for name in file.read_text().split()
                                if name not in names))


def a_day_later(gemmlab) -> None:
    for stamp in (gemmlab.root / "build/launcher").glob("absent-*"):
        os.utime(stamp, (time.time() - 90000,) * 2)


def test_a_slow_apt_cache_is_heard_out(gemmlab):
    gemmlab.installed.write_text("")
    done = gemmlab("check", FAKE_SLOW="0.05")
    assert "left out" not in done.stderr
    wanted = {name.partition("|")[0] for name in OPTIONAL} - {"cmake"}  # a fake is on PATH
    assert wanted <= set(gemmlab.calls("apt-get install")[0].split())


def test_an_optional_package_that_appears_later_is_installed_a_day_later_and_not_asked_for_before(
        gemmlab):
    lack(gemmlab, "libblis4-openmp")
    gemmlab("check")
    asked = gemmlab.calls("apt-get")
    with gemmlab.archive.open("a") as archive:
        archive.write("libblis4-openmp\n")
    gemmlab("check")
    assert gemmlab.calls("apt-get") == asked
    a_day_later(gemmlab)
    gemmlab("check")
    assert gemmlab.calls("apt-get install")[-1].endswith(" libblis4-openmp")
    a_day_later(gemmlab)
    before = gemmlab.calls("dpkg-query")
    gemmlab("check")  # all is there now
    assert gemmlab.calls("dpkg-query") == before


def test_an_optional_package_that_the_user_added_is_known_a_day_later_without_apt(gemmlab):
    lack(gemmlab, "libblis4-openmp")
    gemmlab("check")
    with gemmlab.installed.open("a") as installed:
        installed.write("libblis4-openmp\n")
    a_day_later(gemmlab)
    asked = gemmlab.calls("apt-get")
    gemmlab("check")
    assert gemmlab.calls("apt-get") == asked


def test_optional_packages_that_apt_cannot_install_do_not_keep_the_needed_ones_away(gemmlab):
    lack(gemmlab, "libblis4-openmp", "libfmt-dev", archive=False)
    gemmlab.fake("apt-get", '#!/bin/bash\necho "apt-get $*" >>"$FAKE_LOG"\n'
                 '[[ " $* " != *" libblis4-openmp "* ]]\n')
    done = gemmlab("check")
    assert done.returncode == 0
    assert gemmlab.calls("apt-get install")[-1].endswith(" libfmt-dev")
    assert "going on without libblis4-openmp" in done.stderr


@pytest.mark.parametrize("command", ["list", "doctor"])
@pytest.mark.parametrize(("uid", "sudo"), [(0, ""), (1000, "sudo ")])
def test_list_and_doctor_are_told_what_is_missing_and_the_command_that_adds_it(gemmlab,
                                                                               command, uid, sudo):
    shows = ('#!/bin/bash\n'
             'printf "<%s>\\n" "${GEMMLAB_MISSING_PACKAGES-none}" "${GEMMLAB_ADD_PACKAGES-none}"\n')
    gemmlab.fake("program", shows, gemmlab.program)
    gemmlab.fake("python3", shows)
    gemmlab.user(uid)
    build = str(gemmlab.finished_build())
    assert gemmlab(command, GEMMLAB_BUILD=build,
                   GEMMLAB_ADD_PACKAGES="stale").stdout.endswith("<none>\n<none>\n")
    lack(gemmlab, "bubblewrap", "libdnnl2", "libdnnl3", "libdnnl3.6", archive=False)
    lack(gemmlab, "libblis4-openmp", "libdnnl2")
    done = gemmlab(command, GEMMLAB_BUILD=build)
    assert done.stdout.endswith("<bubblewrap, libblis4-openmp (not in this system's archive), "
                                f"libdnnl3>\n<{sudo}apt-get update && {sudo}apt-get install "
                                "bubblewrap libdnnl3>\n"), done.stderr
    assert gemmlab.calls("apt-get") == []


def test_without_root_or_sudo_the_exact_command_is_printed(gemmlab):
    gemmlab.user(1000)
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("libfmt-dev\n",
                                                                       "").replace("g++\n", ""))
    done = gemmlab("list")
    assert (done.returncode, done.stdout) == (2, "")
    assert "  sudo apt-get install g++ libfmt-dev\n" in done.stderr
    assert gemmlab.calls("apt-get") == gemmlab.calls("cmake") == []
    assert gemmlab("list").returncode == 2  # nothing remembers it as done


def test_without_root_but_with_all_that_is_needed_it_goes_on(gemmlab):
    gemmlab.user(1000)
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("libblis4-openmp\n", ""))
    done = gemmlab("list")
    assert done.returncode == 0
    assert "sudo apt-get install libblis4-openmp" in done.stderr


def test_sudo_without_a_password_is_used(gemmlab):
    gemmlab.user(1000)
    gemmlab.fake("sudo", '#!/bin/bash\necho "sudo $*" >>"$FAKE_LOG"\n[[ $1 == -n ]] && shift\n'
                 '[[ $1 == true ]] || "$@"\n')
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("libfmt-dev\n", ""))
    assert gemmlab("list").returncode == 0
    assert len(gemmlab.calls("apt-get")) == 2


def test_sudo_that_wants_a_password_is_not_used(gemmlab):
    gemmlab.user(1000)
    gemmlab.fake("sudo", "#!/bin/bash\nexit 1\n")
    gemmlab.installed.write_text("")
    assert gemmlab("list").returncode == 2
    assert gemmlab.calls("apt-get") == []


def test_a_system_without_apt_is_told_what_is_needed(gemmlab):
    for name in ("apt-get", "apt-cache", "dpkg-query"):
        (gemmlab.bin / name).unlink()
    done = gemmlab("list")
    assert done.returncode == 2
    assert "no apt" in done.stderr
    for name in NEEDED:
        assert name in done.stderr.split() or name == "cmake", name  # a fake cmake is on PATH


def test_a_failing_apt_shows_the_end_of_its_log_and_where_it_is(gemmlab):
    gemmlab.fake("apt-get", '#!/bin/bash\n'
                 '[[ $1 == update ]] || { echo "E: no space left"; exit 100; }\n')
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("libfmt-dev\n", ""))
    done = gemmlab("list")
    assert done.returncode == 2
    assert "E: no space left" in done.stderr
    assert str(gemmlab.root / "build/launcher/apt-install.log") in done.stderr


# what pip, uv and apt say of a machine without a network, each before it speaks of something else
OFFLINE = [("WARNING: Retrying (Retry(total=0)) after connection broken by "
            "'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object>: Failed "
            "to establish a new connection: [Errno -3] Temporary failure in name resolution')': "
            "/simple/brotli/\nERROR: No matching distribution found for brotli==1.2.1"),
           ("error: Failed to fetch: `https://pypi.org/simple/brotli/`\n"
            "  Caused by: dns error: failed to lookup address information"),
           ("Err:1 http://deb.debian.org/debian bookworm InRelease\n"
            "  Temporary failure resolving 'deb.debian.org'")]


# pip's, uv's and CMake's words
UNTRUSTED = ["SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate "
             "verify failed: self-signed certificate in certificate chain (_ssl.c:992)'))",
             "  Caused by: invalid peer certificate: UnknownIssuer",
             "SSL certificate problem: unable to get local issuer certificate"]


@pytest.mark.parametrize("said", UNTRUSTED)
def test_a_certificate_that_is_not_trusted_is_told_with_what_names_one(gemmlab, said):
    gemmlab.fake("apt-get", f'#!/bin/bash\n[[ $1 == update ]] || {{ cat <<"END"\n{said}\nEND\n'
                 'exit 100; }\n')
    lack(gemmlab, "libfmt-dev", archive=False)
    assert gemmlab("list").stderr.splitlines()[-1].startswith(
        "gemmlab: apt-install failed: the server's certificate is not trusted; for a proxy's own "
        "set PIP_CERT and SSL_CERT_FILE to its file; the whole log: ")


@pytest.mark.parametrize("said", OFFLINE)
def test_no_network_is_told_as_that(gemmlab, said):
    gemmlab.fake("apt-get", f'#!/bin/bash\n[[ $1 == update ]] || {{ cat <<"END"\n{said}\nEND\n'
                 'exit 100; }\n')
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("libfmt-dev\n", ""))
    done = gemmlab("list")
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert (last == "gemmlab: apt-install failed: no network; the whole log: "
            f"{gemmlab.root / 'build/launcher/apt-install.log'}")
    assert "brotli" not in done.stderr and "InRelease" not in done.stderr


@pytest.mark.parametrize("said", [
    "ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/opt/x'",
    "OSError: [Errno 30] Read-only file system: '/work/.venv'", "E: No space left on device"])
def test_a_folder_that_cannot_be_written_is_told_in_the_line_that_names_it(gemmlab, said):
    gemmlab.fake("apt-get", '#!/bin/bash\n'
                 f'[[ $1 == update ]] || {{ echo "many lines"; echo "{said}"; exit 100; }}\n')
    gemmlab.installed.write_text(gemmlab.installed.read_text().replace("libfmt-dev\n", ""))
    last = gemmlab("list").stderr.splitlines()[-1]
    assert last.startswith(f"gemmlab: apt-install failed: {said}; the whole log: ")


def test_every_package_states_why_it_is_needed():
    for line in (ROOT / "packages.txt").read_text().splitlines():
        assert line.startswith("#") or "#" in line, line


def test_the_python_packages_are_installed_once(gemmlab):
    if not shutil.which("python3"):
        pytest.skip("no python3")
    report = gemmlab.root / "report"
    report.mkdir()
    (report / "__init__.py").write_text("")
    (report / "__main__.py").write_text("import sys\nprint(sys.prefix, sys.argv[1:])\n"
                                        "sys.exit(3)\n")
    # A folder of this name is what `run` leaves where it puts its records.
    elsewhere = gemmlab.root.parent / "records"
    (elsewhere / "report").mkdir(parents=True)
    (elsewhere / "report" / "__init__.py").write_text("raise SystemExit('the wrong report')\n")
    (gemmlab.bin / "python3").symlink_to(sys.executable)
    first = gemmlab("report", "a b", "--output", "c", cwd=elsewhere)
    assert (first.stdout
            == f"{gemmlab.root / '.venv'} ['build', 'a b', '--output', 'c']\n"), first.stderr
    assert first.returncode == 3
    assert gemmlab.calls("cmake") == []  # tables and figures need no compiler
    second = gemmlab("compare", "x", "y", cwd=elsewhere)
    assert second.stdout.endswith("['compare', 'x', 'y']\n")
    assert second.stderr == ""
    assert f"python <{gemmlab.root / '.venv/bin/python'}>" in gemmlab("run", "quick").stdout
    (gemmlab.root / "requirements.txt").write_text("# changed\n")
    assert "fetching the Python packages" in gemmlab("compare", "x", "y", cwd=elsewhere).stderr


def only_faked_pythons(gemmlab) -> str:
    """A PYTHONPATH with which the real system's Python can make no environment."""
    shadow = gemmlab.root.parent / "shadow"
    shadow.mkdir()
    (shadow / "venv.py").write_text("raise ImportError\n")
    return str(shadow)


def test_a_python_without_ensurepip_makes_its_environment_by_the_pip_that_it_has(gemmlab):
    gemmlab.fake("python3", """#!/bin/bash
echo "python3 $*" >>"$FAKE_LOG"
case "$*" in
  *ensurepip*) exit 1 ;;
  '-m venv --clear --without-pip '*) mkdir -p "$5/bin"; printf '#!/bin/bash\\necho "venv $*" >>"$FAKE_LOG"\\n' >"$5/bin/python"; /bin/chmod +x "$5/bin/python" ;;
esac
""")
    assert gemmlab("report", "a", PYTHONPATH=only_faked_pythons(gemmlab)).returncode == 0
    made = gemmlab.root / ".venv"
    assert gemmlab.calls("python3 -m") == [f"python3 -m venv --clear --without-pip {made}",
                                           (f"python3 -m pip --python {made}/bin/python install "
                                            "--quiet --disable-pip-version-check pip")]
    assert gemmlab.calls("apt-get") == []
    assert gemmlab.calls("venv -m pip install")


def test_needed_packages_that_the_archive_lacks_are_told_in_one_line_and_nothing_is_tried(gemmlab):
    lack(gemmlab, "libfmt-dev", "libcli11-dev", "libeigen3-dev")
    with gemmlab.archive.open("a") as archive:
        archive.write("libeigen3-dev\n")
    done = gemmlab("list")
    assert done.returncode == 2
    assert done.stderr.splitlines()[1:] == [
        "gemmlab: this system's archive has no libcli11-dev libfmt-dev; those of Debian 12, Ubuntu "
        "22.04 and later do. If they are here by other means: cmake --preset cpu && cmake --build "
        "--preset cpu, then GEMMLAB_BUILD=build/cpu ./gemmlab …"]
    assert gemmlab.calls("apt-get") == ["apt-get update"]


def test_what_is_left_out_is_told_with_its_purpose(gemmlab):
    lack(gemmlab, "libtomlplusplus-dev")
    done = gemmlab("list")
    assert done.returncode == 0
    assert ("gemmlab: left out: this system's archive has no libtomlplusplus-dev (experiment "
            "definitions; CMake fetches its headers where there are none)\n" in done.stderr)


# a Python whose venv is one that writes down its calls, and whose pip brings CMake and Ninja
PYTHON_OF_TOOLS = """#!/bin/bash
echo "python3 $*" >>"$FAKE_LOG"
case "$*" in
  '-m venv --clear '*) mkdir -p "$4/bin"; cp "$0" "$4/bin/python" ;;
  *requirements-build.txt)
    [[ -z ${FAKE_OFFLINE-} ]] || { echo "$FAKE_OFFLINE"; exit 1; }
    folder=${0%/*}
    printf '#!/bin/bash\\n[[ $1 != --version ]] || { echo cmake version 3.31.10; exit; }\\n' >"$folder/cmake"
    printf 'echo "cmake of PyPI" >>"$FAKE_LOG"\\nexec "%s" "$@"\\n' "$REAL_CMAKE" >>"$folder/cmake"
    printf '#!/bin/bash\\n' >"$folder/ninja"
    /bin/chmod +x "$folder/cmake" "$folder/ninja" ;;
  '-c import pip') [[ $0 == */.venv/bin/python ]] ;;
esac
"""


@pytest.mark.parametrize("lacks", ["an old CMake", "no Ninja"])
def test_cmake_and_ninja_come_from_pypi_where_the_systems_do_not_do(gemmlab, lacks):
    gemmlab.fake("python3", PYTHON_OF_TOOLS)
    told = "CMake is 3.22.1, and 3.25 or later is needed"
    if lacks == "no Ninja":
        (gemmlab.bin / "ninja").unlink()
        told = "there is no Ninja"
    variables = {"FAKE_CMAKE": "3.22.1" if lacks == "an old CMake" else "3.25.1",
                 "REAL_CMAKE": str(gemmlab.bin / "cmake"),
                 "PYTHONPATH": only_faked_pythons(gemmlab)}
    offline = gemmlab("list", FAKE_OFFLINE="Temporary failure in name resolution", **variables)
    assert offline.returncode == 2
    assert "gemmlab: cmake failed: no network; the whole log: " in offline.stderr
    assert gemmlab.calls("cmake") == []
    done = gemmlab("list", **variables)
    assert done.returncode == 0, done.stderr
    assert f"gemmlab: {told}: fetching CMake and Ninja from PyPI\n" in done.stderr
    assert gemmlab.calls("cmake")[0] == "cmake of PyPI"
    assert "PyPI" not in gemmlab("list", **variables).stderr
    assert len([call for call in gemmlab.calls("python3") if "requirements-build" in call]) == 2


def test_sudo_hands_on_what_is_said_of_a_proxy(gemmlab):
    gemmlab.user(1000)
    gemmlab.fake("sudo", '#!/bin/bash\necho "sudo $*" >>"$FAKE_LOG"\nshift\n'
                 '[[ $1 == true ]] || exec env -i PATH="$PATH" FAKE_LOG="$FAKE_LOG" "$@"\n')
    gemmlab.fake("apt-get", '#!/bin/bash\necho "apt-get by $https_proxy" >>"$FAKE_LOG"\n')
    lack(gemmlab, "libfmt-dev", archive=False)
    gemmlab("list", https_proxy="http://proxy:3128")
    assert gemmlab.calls("apt-get") == ["apt-get by http://proxy:3128"] * 2


@pytest.mark.parametrize("command", ["doctor", "run"])
def test_python_packages_that_cannot_be_fetched_are_told_before_anything_is_built(gemmlab, command):
    gemmlab.fake("python3", PYTHON_OF_TOOLS.replace(
        "case", "[[ $* != *'-m pip install'* ]] || { echo 'dns error'; exit 1; }\ncase", 1))
    told = "gemmlab: pip failed: no network; the whole log: "
    with gemmlab.start(command, PYTHONPATH=only_faked_pythons(gemmlab), FAKE_BUILD_UNTIL=str(
            gemmlab.root.parent / "told")) as process:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if line.startswith(told):
                gemmlab.root.parent.joinpath("told").touch()
    assert any(line.startswith(told) for line in lines), lines
    if command == "run":
        assert process.returncode == 0
        assert ("gemmlab: going on without the Python packages: the points are measured all the "
                "same\n" in lines)
    else:
        assert (process.returncode, gemmlab.calls("cmake")) == (2, [])
