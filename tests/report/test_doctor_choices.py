"""What the doctor lays at whose door: a ceiling that all pass, threads that a library does not
take."""

from __future__ import annotations

import pytest
from doctor_records import change, diagnosed, healthy_case, of

from report.doctor import NOTE, PROBLEM


def above(library, bound="memory", implementation="cpu.openmp"):
    def plant(run, cases):
        change(of(cases, implementation, threads=8), of_ceiling=1.3, bound_by=bound)
        return [*cases,
                healthy_case(run, "cpu.openblas", {"threads": 8}, (1024,) * 3, 50.0, reference=True,
                             of_ceiling=1.2 if library else 0.9, bound_by=bound)]
    return plant


def test_a_roof_of_memory_that_a_library_passes_as_well_was_measured_too_low(tmp_path):
    (finding,) = diagnosed(tmp_path, above(library=True))
    assert (finding.severity, finding.rule) == (PROBLEM, "above-ceiling")
    assert ("6 points of 2 implementations, a library among them" in finding.text
            and "measured too low" in finding.text)
    assert "130 % of the memory ceiling of the CPU" in finding.text


@pytest.mark.parametrize("plant", [above(library=False), above(library=True, bound="compute")])
def test_otherwise_either_may_be_broken(tmp_path, plant):
    (finding,) = diagnosed(tmp_path, plant)
    assert (finding.rule == "above-ceiling" and "too low" not in finding.text
            and "see that the timed call" in finding.advice)


def test_a_library_that_takes_one_thread_where_others_took_all_does_so_by_itself(tmp_path):
    def plant(run, cases):
        return [*cases, healthy_case(run, "cpu.openblas", {"threads": 8}, (1024,) * 3, 50.0,
                                     reference=True, threads_actual=1, cores=[0])]
    (finding,) = diagnosed(tmp_path, plant)
    assert ((finding.severity, finding.rule) == (NOTE, "threads-did-not-run")
            and "the library's own choice" in finding.text)


def test_fewer_threads_for_little_work_are_a_choice_where_as_many_ran_for_more(tmp_path):
    def plant(run, cases, size):
        return [*cases, healthy_case(run, "cpu.openmp", {"threads": 8}, (size,) * 3, 0.5,
                                     threads_actual=1, cores=[0])]
    assert diagnosed(tmp_path, lambda run, cases: plant(run, cases, 32)) == []
    (finding,) = diagnosed(tmp_path, lambda run, cases: plant(run, cases, 900))
    assert (finding.severity, finding.rule) == (PROBLEM, "threads-did-not-run")
