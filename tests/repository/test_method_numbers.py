"""The numbers of docs/method.md that the code has as constants are those of the code."""

import re

import pytest
from sample_records import ROOT

from analysis.answer import over_hosts
from records.cases import case, clocks, cores, hosts, ratios

METHOD = " ".join((ROOT / "docs" / "method.md").read_text(encoding="utf-8").split())


def constant(path, name):
    """Of a C++ file: a number, 1 << n or a quotient by 2."""
    text = " ".join((ROOT / path).read_text(encoding="utf-8").split())
    value = re.search(rf"\b{name} = ([^;]+);", text)[1]
    shifted = re.fullmatch(r"1(?:ull)? << (\d+)", value)
    half = re.fullmatch(r"(\w+) / 2", value)
    return (2 ** int(shifted[1]) if shifted else constant(path, half[1]) / 2 if half
            else float(value))


def raised(power):
    return "2" + str(power).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))


VERIFY, SAMPLING = "core/verification/verify.h", "core/timing/sampling"
TOLD = {
    "(by more than {:.0f} %), the first number is the range": 100 * (over_hosts.APART - 1),
    "disturbed for more than {:.0f} % of its timed seconds": 100 * case.MOST_DISTURBED,
    "fewer than {} samples. Captions": ratios.LEAST_PAIRS,
    "trusted single-core FMA rates differ by more than {:.0f} %": 100 * (hosts.APART - 1),
    "rates on all cores differ by less than {:.0f} %": 100 * (hosts.SUPPORT - 1),
    "Under {} of their number they are called threads": cores.HALVED,
    "cores' worth)\"), from {} on cores": cores.WHOLE,
    "reaches {} times on either side": ratios.UNSURE,
    "what lies {} times apart": ratios.UNSURE,
    "ratio lies beyond 1 ± {:.0f} %": 100 * (ratios.NEAR - 1),
    "lies more than {:.0f} % off": 100 * ratios.ACCORD,
    "(more than {:.0f} % where both were timed to the end": 100 * ratios.ACCORD_TOGETHER,
    "lowest clock lies under {} of its median clock": clocks.DIPPED,
    "|C − R| ≤ {:.0f}·u·(|A||B|)": constant(VERIFY, "kEtaBound"),
    f"From {{:.0f}} up to {raised(18)} it is reduced": constant(VERIFY, "kEtaBound"),
    "and {:,.0f} sampled elements": constant(VERIFY, "kSampledElements"),
    "sets that fill the last-level cache {} times": {4: "four"}[
        constant("core/inputs/input_sets.cpp", "kTimesTheCache")],
    "calls under {:.0f} ms as replayed graphs": 1e3 * constant(f"{SAMPLING}.cpp", "kGraphBelow_s"),
    "Calls under {:.0f} ms are timed in batches": 1e3 * constant(f"{SAMPLING}.cpp", "kBatchBelow_s"),
    "too long for that ({:.0f} ms)": 1e3 * constant(f"{SAMPLING}.h", "kWakeBelow_s"),
    "together add {} to 0.6 of": constant(f"{SAMPLING}.cpp", "kShareForOthers"),
    "Where {} in a row were unbound": {3: "three"}[
        constant("core/timing/subject_sampling.cpp", "kTriesToBind")],
    "twice the time within {:.0f} %": 100 * constant("cpu/device/rate.cpp", "kTolerance"),
    "a reason in more than {:.0f} % of its readings":
        100 * constant("core/backend.h", "kStrayShare"),
    "fell under {} of the highest": 1 - constant("core/records/observed_conditions.cpp", "kDip")}


@pytest.mark.parametrize(("form", "value"), TOLD.items())
def test_the_method_tells_the_number_of_the_code(form, value):
    assert form.format(value) in METHOD


def test_powers_of_two_are_those_of_the_code():
    assert constant(VERIFY, "kEtaReduced") == 2**18 and constant(VERIFY, "kFullCheckLimit") == 2**33
    assert f"up to {raised(18)} it" in METHOD and f"For M·N·K over {raised(33)}" in METHOD


def test_a_number_that_the_code_has_otherwise_is_found():
    """Planted: the 10 % that the page told where the code had 5 %."""
    form, value = next(iter(TOLD.items()))
    assert form.format(value) not in METHOD.replace("by more than 5 %), the", "by more than 10 %), the")
