"""Each rule of the doctor finds its planted cause, says its numbers, and keeps quiet beside a
healthy look-alike."""

import pytest
from doctor_records import (
    change,
    diagnosed,
    healthy_case,
    healthy_run,
    of,
    results_of,
    times,
    twin_of,
)
from make_data import timed

from report.doctor import EXPERIMENT_RULES, NOTE, PROBLEM, RUN_RULES, findings


def set_wrong(cases, right):
    """Marks the tiled kernel incorrect wherever right(m, n, k) is false."""
    change([case for case in of(cases, "gpu.tiled") if not right(case["m"], case["n"], case["k"])],
           status="incorrect", verify=[{"method": "bound", "verdict": "incorrect"}])


def tiled_at(run, *shapes):
    return [healthy_case(run, "gpu.tiled", {"block": 16}, shape, 9000.0) for shape in shapes]


def shapes_wrong(run, right, wrong):
    cases = tiled_at(run, *right, *wrong)
    change(cases[len(right):], status="incorrect",
           verify=[{"method": "bound", "verdict": "incorrect"}])
    return cases


def first_calls(run, cases, first=0.4, steady=1e-3):
    case = healthy_case(run, "gpu.tiled", {"block": 16}, (512,) * 3, 9000.0, scope="first-call",
                        case_id="first", steady_s=[steady] * 8, of_ceiling=None,
                        first_call_s={"context": [0.75 * first] * 8, "module": [0.25 * first] * 8})
    return [*cases, timed(case, [first] * 8)]


def with_samples(case, *places, times):
    """The case with the samples at these places so many times its median, which stays as it is, or
    nearly."""
    samples = [times * case["median_s"] if place in places else sample
               for place, sample in enumerate(case["samples_s"])]
    case |= timed(case, samples)


def slow_first_sample(cases, factor):
    for case in of(cases, "cpu.openmp"):
        with_samples(case, 0, times=factor)


def on_one_core(run, cases):
    run["host"]["cores"] = 1
    return of(cases, "cpu.openmp", threads=8)


def spread(cases, half):
    for case in cases:
        case |= timed(case, [case["median_s"] * (1 + half * (place - 5) / max(abs(place - 5), 1))
                             for place in range(11)])
        case["stop_reason"] = "limit"


def waited(cases, share, field):
    for case in cases:
        case[field] = share * sum(case["samples_s"])


def from_two_builds(run, cases, source):
    return [*cases, run | {"run_id": "r0", "started_utc": "2026-11-19T10:00:00Z",
                           "program": run["program"] | {"source_sha256": source}},
            cases[0] | {"run_id": "r0", "case_id": "older"}]


def times_at(cases, implementation, size, factor):
    times(of(cases, implementation, m=size), factor)


# rule -> (severity, what plants its cause, what its text must say, a look-alike that is healthy)
PLANTED = {"threads-bring-nothing": (
    PROBLEM, lambda run, cases: times(of(cases, "cpu.openmp", threads=8), 7.6) or times(
        of(cases, "cpu.openmp", threads=16), 14.2),
    ["cpu.openmp on", "times as fast as", "of 20 comparisons"], lambda run, cases: times(
        of(cases, "cpu.openmp", threads=16), 5.0)),
    "threads-did-not-run": (
        PROBLEM,
        lambda run, cases: change(of(cases, "cpu.openmp", threads=8), threads_actual=1, cores=[0]),
        ["asked for 8 threads and ran on 1", "and at 4 more points"], lambda run, cases: change(
            of(cases, "cpu.openmp", threads=8), threads_actual=None)),
    "threads-share-cores": (
        PROBLEM, lambda run, cases: change(of(cases, "cpu.openmp", threads=8),
                                           cores=[0, 1, 2, 3, 0, 1, 2, 3]),
        ["8 threads shared 4 cores of 16"], lambda run, cases: change(
            of(cases, "cpu.openmp", threads=8), cores=[15, 3, 2, 1, 7, 6, 5, 4])),
    "more-threads-than-cores": (
        NOTE, lambda run, cases: change(of(cases, "cpu.openmp", threads=16),
                                        parameters={"isa": "avx512", "threads": 64}),
        ["5 points used more threads than the 16 cores (up to 64)"], lambda run, cases: None),
    "threads-not-pinned": (
        NOTE, lambda run, cases: change(of(cases, "cpu.openmp", threads=8), pinned=False),
        ["5 points ran on threads that were not pinned"], lambda run, cases: change(
            of(cases, "cpu.openmp", threads=1), pinned=False)),
    "wrong-shapes": (PROBLEM, lambda run, cases: set_wrong(cases, lambda m, n, k: m == n == k),
                     [("gpu.tiled (tiled 16) is wrong but right for squares (3 shapes right): "
                       "768×512×256 and 1000×500×301")],
                     lambda run, cases: change(of(cases, "gpu.tiled", m=1000), status="unsupported",
                                               reason="k odd", median_s=None)),
    "spills": (PROBLEM, lambda run, cases: change(of(cases, "gpu.register_tiled"),
                                                  resources={"registers": 255, "spill_bytes": 128}),
               ["gpu.register_tiled spills 128 bytes per thread to memory at 255 registers"],
               lambda run, cases: change(of(cases, "gpu.register_tiled"),
                                         resources={"registers": 255, "spill_bytes": 128},
                                         chosen={"spills": "on purpose"})),
    "vector-unit-unused": (
        PROBLEM,
        lambda run, cases: [change([case], parameters=case["parameters"] | {"isa": "baseline"})
                            for case in cases if "isa" in case["parameters"]] and cases,
        ["cpu.openmp and cpu.serial were measured with isa baseline only; this machine has avx512"],
        lambda run, cases: change(of(cases, "cpu.serial", m=1000), parameters={"isa": "avx2"})),
    "throttled": (PROBLEM, lambda run, cases: change(of(cases, "gpu.tiled"), throttled=True,
                                                     throttle_reasons=["power cap"]),
                  ["5 points ran while the device was throttled (power cap)"],
                  lambda run, cases: change(of(cases, "gpu.tiled"), throttled=None)),
    "low-clock": (NOTE, lambda run, cases: change(of(cases, "gpu.tiled"), clock_mhz=1200.0),
                  ["The SM clock was 1,200 MHz of at most 1,980 MHz"], lambda run, cases: change(
                      of(cases, "cpu.openmp"), clock_mhz=1200.0)),
    "first-call": (
        NOTE, first_calls, ["takes 400 ms, 300 ms of it for context: 400 times a later one"],
        lambda run, cases: first_calls(run, cases, 0.004, 0.001)),
    "cold-start": (PROBLEM, lambda run, cases: slow_first_sample(cases, 20),
                   ["cpu.openmp's first sample took 20.0 times the median"],
                   lambda run, cases: slow_first_sample(cases, 3)), "above-ceiling": (
                       PROBLEM, lambda run, cases: change(of(cases, "gpu.tiled"), of_ceiling=1.3),
                       ["130 % of the compute ceiling", "5 points reached more than 102 %"],
                       lambda run, cases: change(of(cases, "gpu.tiled"), of_ceiling=1.01)),
    "untrusted-ceiling": (PROBLEM, lambda run, cases: run["ceilings"][1].update(trusted=False),
                          ["1 ceiling failed", "CPU fma avx2 16 threads"],
                          lambda run, cases: run["ceilings"][1].pop("trusted")),
    "low-ceiling": (PROBLEM, lambda run, cases: run["host"].update(cores_worth=16.0 * 1.2),
                    ["on 16 threads in run"],
                    lambda run, cases: run["host"].update(cores_worth=8.0)),
    "noise": (PROBLEM, lambda run, cases: cases + [twin_of(case, 1.05)
                                                   for case in of(cases, "cpu.openmp", threads=8)],
              ["The CPU's noise floor is", "5 pairs"], lambda run, cases: cases + [
                  twin_of(case, 1.004) for case in of(cases, "cpu.openmp", threads=8)]),
    "wide-intervals": (PROBLEM, lambda run, cases: spread(cases[:10], 0.12), [
        "10 of 30 points reached the time limit", "±12 %"], lambda run, cases: spread(cases, 0.04)),
    "disturbed": (
        PROBLEM, lambda run, cases: waited(of(cases, "cpu.openmp"), 0.2, "run_queue_delay_s"),
        ["15 of 20 points shared the cores with others; most of all OpenMP",
         "per thread for a core in"], lambda run, cases: waited(cases, 0.02, "run_queue_delay_s")),
    "power-of-two": (
        NOTE, lambda run, cases: times_at(cases, "cpu.serial", 1024, 4.0),
        ["cpu.serial", "at 1024", "% of its neighbours 1023 and 1025"], lambda run, cases: times_at(
            cases, "cpu.serial", 1024, 1.15)),
    "mixed-sources": (NOTE, lambda run, cases: from_two_builds(run, cases, "11"),
                      ["2 runs with 2 different sources"],
                      lambda run, cases: from_two_builds(run, cases,
                                                         run["program"]["source_sha256"])),
    "not-optimised": (
        PROBLEM, lambda run, cases: run["build"].update(flags="Debug: -g"), ["a debug build", "-g"],
        lambda run, cases: run["build"].update(flags="RelWithDebInfo: -O2 -g -DNDEBUG")),
    "sanitizers": (PROBLEM, lambda run, cases: run["build"].update(sanitize="address,undefined"),
                   ["address,undefined"], lambda run, cases: run["build"].pop("sanitize")),
    "library-restricted": (
        PROBLEM, lambda run, cases: run["environment"].update(DNNL_MAX_CPU_ISA="AVX2"),
        ["DNNL_MAX_CPU_ISA=AVX2", "avx512"],
        lambda run, cases: run["environment"].update(DNNL_MAX_CPU_ISA="AVX512_CORE")),
    "threads-restricted": (
        PROBLEM, lambda run, cases: run["environment"].update(OMP_THREAD_LIMIT="2"),
        ["OMP_THREAD_LIMIT=2", "16 cores"],
        lambda run, cases: run["environment"].update(OMP_THREAD_LIMIT="16")),
    "cuda-environment": (
        PROBLEM, lambda run, cases: run["environment"].update(CUDA_LAUNCH_BLOCKING="1"),
        ["CUDA_LAUNCH_BLOCKING"], lambda run, cases: run["environment"].update(
            CUDA_LAUNCH_BLOCKING="0", CUDA_VISIBLE_DEVICES="0")), "governor": (
                PROBLEM, lambda run, cases: run["host"].update(governor="powersave"), ["powersave"],
                lambda run, cases: run["host"].update(governor="unknown")),
    "no-vector-unit": (
        NOTE, lambda run, cases: run["host"].update(isa=["baseline"]) or of(cases, "gpu.tiled"),
        ["neither AVX2 nor AVX-512"], lambda run, cases: run["host"]
        .update(isa=["neon"], architecture="aarch64") or of(cases, "gpu.tiled")), "dirty-sources": (
            NOTE, lambda run, cases: run["program"].update(dirty=True), ["0123456789ab"],
            lambda run, cases: run["program"].pop("dirty")),
}


def test_healthy_records_have_no_finding(tmp_path):
    assert diagnosed(tmp_path, lambda run, cases: None) == []


@pytest.mark.parametrize("rule", PLANTED)
def test_a_planted_cause_is_found_with_its_numbers(tmp_path, rule):
    severity, plant, texts, _ = PLANTED[rule]
    found = [finding for finding in diagnosed(tmp_path, plant) if finding.rule == rule]
    assert len(found) == 1, found
    assert found[0].severity == severity and found[0].experiment == "sweep" and found[0].advice
    for text in texts:
        assert text in found[0].text


@pytest.mark.parametrize("rule", PLANTED)
def test_no_other_rule_is_set_off_by_it(tmp_path, rule):
    found = {finding.rule for finding in diagnosed(tmp_path, PLANTED[rule][1])}
    # where everything was disturbed, the first number rests on such a point, too
    assert found - ({"unsound-baseline"} if rule == "disturbed" else set()) == {rule}


@pytest.mark.parametrize("rule", PLANTED)
def test_a_healthy_look_alike_is_not_found(tmp_path, rule):
    assert [finding for finding in diagnosed(tmp_path, PLANTED[rule][3])
            if finding.rule == rule] == []


def test_every_rule_has_its_planted_cause(tmp_path, monkeypatch):
    """A rule that no test plants for would find nothing in any of the planted records."""
    hit = set()
    for rule in (*RUN_RULES, *EXPERIMENT_RULES):
        monkeypatch.setattr("report.doctor.RUN_RULES", (rule,) if rule in RUN_RULES else ())
        monkeypatch.setattr("report.doctor.EXPERIMENT_RULES",
                            (rule,) if rule in EXPERIMENT_RULES else ())
        hit |= {rule for _, plant, _, _ in PLANTED.values() if diagnosed(tmp_path, plant)}
    assert hit == {*RUN_RULES, *EXPERIMENT_RULES}


ODD, EVEN = [(1000, 500, 301), (250, 999, 77)], [(256, 512, 128), (64, 64, 64), (512, 48, 80)]


@pytest.mark.parametrize("right,wrong,text", [
    (EVEN, ODD, "right where m, n and k are multiples of 16"),
    (EVEN, [(24, 64, 64)], "multiples of 16"),
    ([(256, 512, 128)], [(16, 24, 64)], "multiples of 16"),
    ([(257,) * 3, (64,) * 3], [(257, 64, 64)], "right for squares"),
    ([(64,) * 3, (128,) * 3], [(100, 50, 25)], "right for squares of a multiple of 16"),
    ([(100, 7, 32), (9, 11, 64)], [(100, 7, 33), (9, 11, 68)], "right where k is a multiple of 8"),
    ([(64, 64, 64), (100, 50, 25)], [(128, 128, 128), (64, 32, 16)], "with no pattern"),
    ([], [(64,) * 3], "at every shape")])
def test_what_tells_right_shapes_from_wrong_ones_is_said(tmp_path, right, wrong, text):
    (finding,) = [finding for finding in diagnosed(tmp_path, lambda run,
                                                   cases: shapes_wrong(run, right, wrong))
                  if finding.rule == "wrong-shapes"]
    assert text in finding.text


def test_a_kernel_that_crashes_at_odd_shapes_is_found_too(tmp_path):
    def plant(run, cases):
        for case in of(cases, "gpu.tiled", m=1000):
            case |= timed(case, []) | {"status": "crashed", "reason": "signal 11", "verify": []}
    (finding,) = diagnosed(tmp_path, plant)
    assert finding.rule == "wrong-shapes" and "crashes" in finding.text


def test_threads_are_held_against_the_serial_counterpart_where_one_thread_was_not_measured(
        tmp_path):
    def plant(run, cases):
        times(of(cases, "cpu.openmp", threads=16), 14.2)
        return of(cases, "cpu.serial") + of(cases, "cpu.openmp", threads=16)
    (finding,) = diagnosed(tmp_path, plant)
    assert finding.rule == "threads-bring-nothing" and "as fast as serial, AVX-512" in finding.text


@pytest.mark.parametrize("plant", [
    lambda run, cases: [healthy_case(run, "cpu.openmp", {"threads": threads}, (32,) * 3, 0.5)
                        for threads in (1, 8)], lambda run, cases: on_one_core(run, cases),
    lambda run, cases: change(of(cases, "cpu.openmp", threads=8), chosen={"library": "OpenBLAS"},
                              threads_actual=8) or cases])
def test_too_little_work_or_one_core_says_nothing_about_threads(tmp_path, plant):
    assert "threads-bring-nothing" not in {finding.rule for finding in diagnosed(tmp_path, plant)}


def test_a_library_may_keep_to_fewer_threads_for_little_work(tmp_path):
    def plant(run, cases, size):
        return [healthy_case(run, "cpu.openblas", {"threads": 8}, (size,) * 3, 50.0,
                             threads_actual=1, chosen={"library": "OpenBLAS"})]
    assert diagnosed(tmp_path, lambda run, cases: plant(run, cases, 64)) == []
    assert [finding.rule for finding in diagnosed(
        tmp_path, lambda run, cases: plant(run, cases, 1000))] == ["threads-did-not-run"]


def test_points_measured_again_after_throttling_are_a_note(tmp_path):
    (finding,) = diagnosed(tmp_path,
                           lambda run, cases: change(of(cases, "gpu.tiled"), remeasured=True))
    assert (finding.severity, finding.rule) == (NOTE, "throttled")


def test_a_first_sample_that_stands_alone_once_is_a_note(tmp_path):
    def plant(run, cases):
        with_samples(cases[1], 0, times=9)
    (finding,) = diagnosed(tmp_path, plant)
    assert (finding.severity, finding.rule) == (NOTE, "cold-start")


def test_an_outlier_that_later_ones_match_is_no_cold_start(tmp_path):
    def plant(run, cases):
        with_samples(cases[1], 0, 5, times=9)
    assert diagnosed(tmp_path, plant) == []


def test_time_that_the_hypervisor_took_is_named(tmp_path):
    finding = next(one for one in diagnosed(
        tmp_path, lambda run, cases: waited(of(cases, "cpu.openmp"), 0.2, "steal_s"))
        if one.rule == "disturbed")
    assert "per core to the hypervisor in" in finding.text


@pytest.mark.parametrize("name,value",
                         [("OPENBLAS_CORETYPE", "Haswell"), ("BLIS_ARCH_TYPE", "haswell")])
def test_a_variable_that_the_suite_overrides_restricts_no_library(tmp_path, name, value):
    assert diagnosed(tmp_path, lambda run, cases: run["environment"].update({name: value})) == []


@pytest.mark.parametrize("flags,says", [("Release: -O3 -O0", "-O0"),
                                        (": -march=native", "without -O3"), ("X: -Og", "-Og")])
def test_the_last_level_of_optimisation_counts(tmp_path, flags, says):
    (finding,) = diagnosed(tmp_path, lambda run, cases: run["build"].update(flags=flags))
    assert finding.rule == "not-optimised" and says in finding.text


def test_more_threads_than_cores_neither_share_cores_nor_wait_for_others(tmp_path):
    def plant(run, cases):
        crowded = of(cases, "cpu.openmp", threads=16)
        change(crowded, parameters={"isa": "avx512", "threads": 64}, threads_actual=64,
               cores=[0, 1, 2, 3] * 16)
        waited(crowded, 0.2, "run_queue_delay_s")
    assert [finding.rule for finding in diagnosed(tmp_path, plant)] == ["more-threads-than-cores"]


@pytest.mark.parametrize("older, mixed", [("f0", False), ("f1", True)])
def test_other_sources_that_a_point_does_not_depend_on_are_no_mixture(tmp_path, older, mixed):
    run = healthy_run()
    case, before, again = from_two_builds(
            run, [healthy_case(run, "cpu.serial", {}, (64,) * 3, 1.0)], "11")
    lines = [before, run, case | {"fingerprint": "f0"}, again | {"fingerprint": older}]
    assert ("mixed-sources" in [finding.rule
                                for finding in findings(results_of(tmp_path, *lines))]) == mixed
