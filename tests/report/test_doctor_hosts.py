"""What the doctor finds in a folder as a whole: several hosts, one kernel under several names,
counters of another card."""

from __future__ import annotations

from copy import deepcopy

import pytest
from doctor_records import HOST, change, diagnosed, healthy_case, healthy_run, of, results_of, times

from report.doctor import NOTE, PROBLEM, findings

KERNEL = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x256x32_warpgroupsize2x1x1_execute"
ETA = 322.7373096443474  # of three rows of gpu_peers on an H200, to the last digit
LIBRARY = {"library": "libcublas.so.13", "version": "13.1.0"}
ROWS = {"gpu.cublas_tf32": ("tf32", 3.4437334e-4), "gpu.cublas_bf16": ("bf16", 3.4470399e-4),
        "gpu.cublas_fp16": ("fp16", 3.4411732e-4)}


def library_rows(run, rows=None, eta=ETA, chosen=None):
    """Rows as an H200 measured them at 4096."""
    return [healthy_case(run, name, {}, (4096,) * 3, 2.0 * 4096**3 / seconds / 1e9,
                         precision=precision, chosen=chosen or LIBRARY, verify=[
                             {"method": "bound", "eta_max": eta, "verdict": "reduced-precision"}])
            for name, (precision, seconds) in (rows or ROWS).items()]


def counters(case, kernel=KERNEL, **more):
    return {"kind": "counters", "run_id": "p", "tool": "ncu", "kernel": kernel,
            "metrics": {"time_s": {"value": 3e-4, "unit": "s"}}, **{name: case[name] for name in (
                "case_id", "experiment", "implementation", "parameters", "m", "n", "k")}} | more


def found(tmp_path, *lines):
    return findings(results_of(tmp_path, *lines))


def test_three_names_of_one_kernel_are_found_first(tmp_path):
    run = healthy_run() | {"program": {"commit": "0", "dirty": True}}
    first, *_ = all_found = found(tmp_path, run, *library_rows(run))
    assert ((first.rule, first.severity, first.experiment) == ("same-kernel", PROBLEM, "sweep")
            and len(all_found) > 1)
    assert first.text.startswith("gpu.cublas_bf16, gpu.cublas_fp16 and gpu.cublas_tf32 coincide at "
                                 "1 shape, though they declare bf16, fp16 and tf32: at 4096 the "
                                 "same error to the last digit (eta 322.7373096443474)")


def test_two_that_agree_at_one_shape_and_part_at_another_are_two(tmp_path):
    run = healthy_run()
    rows = library_rows(run, {name: ROWS[name] for name in ("gpu.cublas_tf32", "gpu.cublas_fp16")})
    others = [deepcopy(row)
              | {"m": 1024, "case_id": row["case_id"] + "b", "gflop_per_s": row["gflop_per_s"] / 4,
                 "verify": [{"method": "bound", "eta_max": eta, "verdict": "reduced-precision"}]}
              for row, eta in zip(rows, (917.543, 918.0776))]
    assert "same-kernel" not in [one.rule for one in found(tmp_path, run, *rows, *others)]
    others[1]["verify"] = others[0]["verify"]
    assert "same-kernel" in [one.rule for one in found(tmp_path, run, *rows, *others)]


def test_the_kernel_that_ncu_saw_is_named(tmp_path):
    run = healthy_run()
    rows = library_rows(run)
    (finding,) = list(found(tmp_path, run, *rows,
                            *(counters(row, gpu_uuid="GPU-0") for row in rows)))
    assert (finding.rule == "same-kernel"
            and "the same kernel (sm90_xmma_gemm_f32f32_tf32f32" in finding.text)


def test_two_names_of_one_precision_are_a_note(tmp_path):
    run = healthy_run()
    rows = library_rows(run, {"gpu.cublas": ("fp32", 2.75e-3), "gpu.cublaslt": ("fp32", 2.76e-3)},
                        eta=2.4)
    change(rows, verify=[{"method": "bound", "eta_max": 2.4, "verdict": "ok"}])
    assert found(tmp_path, run, *rows) == [], "the same order of summation is no proof"
    (finding,) = found(tmp_path, run, *rows, *(counters(row, gpu_uuid="GPU-0") for row in rows))
    assert (finding.rule, finding.severity) == ("same-kernel", NOTE)


def other_kernels(run, rows):
    return [counters(row, f"{KERNEL}_{place}", gpu_uuid="GPU-0") for place, row in enumerate(rows)]


@pytest.mark.parametrize("plant", [lambda run: library_rows(run, {
    "gpu.cublas_tf32": ("tf32", 3.4e-4), "gpu.cublas_fp16": ("fp16", 2.1e-4)}),  # other times
    lambda run: [*library_rows(run)[:1], *library_rows(run, eta=2051.2)[2:]],  # other errors
    lambda run: (rows := library_rows(run)) + other_kernels(run, rows),  # other kernels
    # kernels of one's own that add in the same order
    lambda run: [row | {"reference": False} for row in library_rows(run, chosen={"tile": "8x8"})]])
def test_rows_that_differ_in_time_error_or_kernel_are_left_alone(tmp_path, plant):
    run = healthy_run()
    assert found(tmp_path, run, *plant(run)) == []


def other_host(run, **host):
    return deepcopy(run) | {"run_id": "r2", "started_utc": "2026-11-21T10:00:00Z",
                            "host": HOST | host}


def test_an_experiment_of_two_hosts_is_a_problem_and_the_folder_a_note(tmp_path):
    run = healthy_run()
    other = other_host(run, cores=8)
    rates = {4096: 9000.0, 2048: 8000.0, 1024: 7000.0}
    cases = [healthy_case(of, "gpu.tiled", {"block": 16}, (size,) * 3, rates[size])
             for of, size in ((run, 4096), (run, 2048), (other, 1024))]
    problem, note = found(tmp_path, run, other, *cases)
    assert (problem.rule, problem.severity, problem.experiment) == ("mixed-hosts", PROBLEM, "sweep")
    assert problem.text.startswith("Its points were measured on 2 hosts: 2 points on host ")
    assert ((note.rule, note.severity) == ("several-hosts", NOTE)
            and "come from 2 hosts" in note.text)


def test_two_runs_on_one_host_are_no_finding(tmp_path):
    run = healthy_run()
    other = other_host(run)
    cases = [healthy_case(of, "gpu.tiled", {"block": 16}, (size,) * 3, 9000.0)
             for of, size in ((run, 4096), (other, 1024))]
    assert found(tmp_path, run, other, *cases) == []


@pytest.mark.parametrize("uuid,text",
                         [("GPU-99999999-1111", "another card (GPU-99999999)"),
                          (None, "a card that the records do not name"), ("GPU-0", "")])
def test_counters_of_another_card_are_told(tmp_path, uuid, text):
    run = healthy_run()
    cases = [healthy_case(run, "gpu.tiled", {"block": 16}, (1024,) * 3, 9000.0)]
    told = found(tmp_path, run, *cases, *(counters(case, gpu_uuid=uuid) for case in cases))
    assert [(one.rule, text in one.text)
            for one in told] == ([("counted-elsewhere", True)] if text else [])


def packed(run, size, threads_actual, **more):
    return healthy_case(run, "cpu.packed", {"isa": "avx512", "threads": 16}, (size,) * 3, 900.0,
                        threads_actual=threads_actual, chosen={"mc": 64, "path": "direct"},
                        cores=list(range(threads_actual)), **more)


def test_fewer_threads_by_choice_are_no_problem(tmp_path):
    run = healthy_run()
    assert found(tmp_path, run, packed(run, 64, 1)) == []
    assert found(tmp_path, run, packed(run, 500, 8), packed(run, 2000, 16)) == []


def test_as_many_threads_as_there_are_rows_of_blocks_are_no_problem(tmp_path):
    run = healthy_run()
    for actual, rules in ((11, []), (10, ["threads-did-not-run"])):
        case = healthy_case(run, "cpu.blocked", {"block": 96, "threads": 16}, (1000,) * 3, 900.0,
                            threads_actual=actual, cores=list(range(actual)))
        assert [one.rule for one in found(tmp_path, run, case)] == rules


def test_threads_that_never_run_are_a_problem_whatever_was_chosen(tmp_path):
    run = healthy_run()
    assert [one.rule for one in found(tmp_path, run, packed(run, 500, 1),
                                      packed(run, 2000, 1))] == ["threads-did-not-run"]
    exact = packed(run, 500, 8) | {"chosen": {}}
    assert [one.rule for one in found(tmp_path, run, exact,
                                      packed(run, 2000, 16))] == ["threads-did-not-run"]


def test_threads_are_not_held_against_one_thread_on_another_host(tmp_path):
    run = healthy_run()
    other = other_host(run, cores=8)
    one = healthy_case(run, "cpu.openmp", {"isa": "avx512", "threads": 1}, (1000,) * 3, 5.0)
    slow = healthy_case(other, "cpu.openmp", {"isa": "avx512", "threads": 8}, (1000,) * 3, 5.0)
    rules = {finding.rule for finding in found(tmp_path, run, other, one, slow)}
    assert "threads-bring-nothing" not in rules and "mixed-hosts" in rules


def test_problems_come_gravest_first(tmp_path):
    def plant(run, cases):
        run["ceilings"][0]["trusted"] = False
        change(of(cases, "gpu.tiled"), throttled=True)
        times(of(cases, "cpu.openmp", threads=16), 14.2)
        return cases + library_rows(run)
    rules = [finding.rule for finding in diagnosed(tmp_path, plant)]
    assert rules == ["same-kernel", "throttled", "threads-bring-nothing", "untrusted-ceiling"]


def contest_rows(run, seconds, **more):
    """A CPU's best of so many seconds, and a kernel of one millisecond, at one square and in the
    same rounds."""
    return [healthy_case(run, "cpu.openmp", {"isa": "avx512", "threads": 16},
                         (1023,) * 3, 2.0 * 1023**3 / seconds / 1e9, **more),
            healthy_case(run, "gpu.tiled", {"block": 16}, (1023,) * 3, 2.0 * 1023**3 / 1e-3 / 1e9)]


@pytest.mark.parametrize(("fault", "why"), [
    ({"pinned": False}, "threads not bound to cores"), ({"of_ceiling": 1.2}, "above its ceiling"),
    ({"run_queue_delay_s": 9.0}, "disturbed by other work"), ({}, "")])
def test_an_unsound_time_under_the_first_number_is_a_problem(tmp_path, fault, why):
    run = healthy_run()
    told = [one for one in found(tmp_path, run, *contest_rows(run, 0.02, **fault))
            if one.rule == "unsound-baseline"]
    assert len(told) == bool(why) and all(why in one.text and one.severity == PROBLEM
                                          for one in told)


@pytest.mark.parametrize(("elsewhere", "there"), [(0.01, True), (0.0195, False)])
def test_another_host_that_was_faster_is_named(tmp_path, elsewhere, there):
    run, other = healthy_run(), healthy_run() | {"run_id": "r2",
                                                 "started_utc": "2026-11-19T10:00:00Z"}
    other["host"] = other["host"] | {"cores": 32, "cpu": "Intel Xeon, twice"}
    told = [one for one in found(tmp_path, other, *contest_rows(other, elsewhere)[:1], run,
                                 *contest_rows(run, 0.02)) if one.rule == "headline-by-host"]
    assert len(told) == there and all("10 to 20 times by the CPU's host" in one.text
                                      and "took 20.3 ms, and the least was 10.2 ms by" in one.text
                                      for one in told)
