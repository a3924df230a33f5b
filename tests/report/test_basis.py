"""What each sentence with a number rests on, found by its numbers alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample_records import ROOT, make_case

from commands.satellites import satellites
from records.loading import find_files, load
from report.basis.__main__ import conditions, lines_of, main
from report.basis.origins import FEW, Origins, quantities
from report.basis.sentences import Told, told

REFERENCE = ROOT / "data" / "results" / "intel-xeon-nvidia-h200"


def sides(**more):
    """OpenMP at two seconds and naive at one half, in the same rounds; ikj on another host."""
    return (make_case("cpu.openmp", samples=(2.0,) * 8, label="OpenMP", host="a" * 8, **more),
            make_case("gpu.naive", samples=(0.5,) * 8, label="naive", host="a" * 8),
            make_case("cpu.ikj", samples=(1.0,) * 8, label="ikj", host="b" * 8, run_id="other",
                      cache="warm"))


def lines(text, *cases, left_out=""):
    return list(lines_of(Told("here", text, cases, left_out), Origins(cases), {"r": "2026-01-02"}))


def test_numbers_are_read_with_their_interval_and_unit():
    found = list(quantities("29 to 41 times; 12.3 [12.1, 12.6] ms; 1,282 GFLOP/s; 80.0 GFLOP/s per "
                            "watt; 4096 and 16 cores; 4×4; 63×"))
    assert [(one.text, one.unit) for one in found] == [
        ("29", "times"), ("41", "times"), ("12.3", "ms"), ("1,282", "GFLOP/s"), ("63", "×")]
    assert (found[2].low, found[2].high) == ("12.1", "12.6")
    assert (found[2].near(12.34, (12.12, 12.58)) and not found[2].near(12.34, (11.0, 12.58))
            and not found[2].near(12.4))


def test_a_ratio_names_both_points_and_how_it_was_formed():
    (_, on, ratio) = lines("naive is 4.00 times as fast as OpenMP", *sides()[:2])
    assert "OpenMP at 64" in ratio and "over naive at 64" in ratio and "8 shared rounds" in ratio
    assert ("2 points of host aaaaaaaa; cache cold; load burst; inputs uniform" in on
            and "each shares its rounds with others" in on)


@pytest.mark.parametrize("text", ["naive is 5.00 times as fast as OpenMP", "naive takes 0.7 s",
                                  "OpenMP is 4.00 [3.00, 5.00] times slower"])
def test_a_number_that_no_point_gives_is_said_to_be_of_none(text):
    assert "of no point or pair that the sentence names" in lines(text, *sides()[:2])[2]


def test_of_many_points_only_those_count_that_the_sentence_names():
    """Among so many points some pair gives any number."""
    many = [make_case("cpu.ikj", samples=(1.0 + place / 10,) * 8, label=f"ikj {place}",
                      case_id=f"c{place}") for place in range(FEW + 1)]
    (_, _, ratio) = lines("Eigen is 2.00 times as fast as MKL", *many)
    assert "of no point or pair that the sentence names" in ratio
    (_, _, ratio) = lines("ikj 0 is 2.00 times as fast as ikj 10", *many)
    assert "ikj 10 at 64" in ratio and "over ikj 0 at 64" in ratio


def test_a_ratio_of_two_hosts_and_an_unsound_side_are_told():
    cases = sides(pinned=False, threads_actual=16)
    (_, on, ratio) = lines("naive is 2.00 times as fast as ikj", *cases)
    assert "of two hosts, aaaaaaaa and bbbbbbbb" in ratio and "medians: no shared rounds" in ratio
    assert ("hosts" not in on and "host aaaaaaaa, bbbbbbbb; cache cold and warm" in on
            and "1 point share no rounds; 1 with threads not bound" in on)
    (_, _, ratio) = lines("naive is 4.00 times as fast as OpenMP", *cases)
    assert "threads not bound to cores" in ratio


def test_what_was_left_out_is_told():
    assert conditions(Told("here", "1", sides(), "2 of 24 points left out: 2 skipped."),
                      {}).endswith("2 of 24 points left out: 2 skipped.")


@pytest.fixture(scope="module", name="every")
def _every():
    results = load(REFERENCE, find_files(REFERENCE))
    return results, list(told(results))


def test_every_place_is_covered_and_every_ratio_of_the_headline_has_an_origin(every):
    results, sentences = every
    places = {one.where.partition(",")[0] for one in sentences}
    assert {"headline", "headline's numbers", "terminal", "summary",
            *satellites().keys() & {"course"}} | {one.name for one in results.experiments} <= places
    for one in sentences:
        if one.where.startswith("headline"):
            origins = Origins(one.cases)
            assert all(origins.of(quantity, one.text)
                       for quantity in quantities(one.text)), one.text


def test_a_planted_number_in_a_committed_sentence_is_found(every):
    _, sentences = every
    (one,) = [one for one in sentences if one.where == "headline"]
    planted = one.text.replace("37 times", "47 times")
    assert planted != one.text and not all(Origins(one.cases).of(quantity, planted)
                                           for quantity in quantities(planted))


def test_energy_and_shares_of_a_ceiling_have_points_too(every):
    _, sentences = every
    (one,) = [one for one in sentences if one.where == "headline's numbers" and " J " in one.text]
    joules = next(quantity for quantity in quantities(one.text) if quantity.unit == "J")
    assert [origin.cases[0].device for origin in Origins(one.cases).of(joules, one.text)] == ["gpu"]
    one = next(one for one in sentences if one.where == "blas1" and one.text.startswith("GPU: dot"))
    found = [Origins(one.cases).of(quantity, one.text) for quantity in quantities(one.text)
             if quantity.unit == "%"]
    assert found and all(found)  # "97 % of the roof"


def test_the_command_lists_sentence_conditions_and_origins(capsys, tmp_path: Path):
    assert main([str(REFERENCE), "--where", "headline"]) == 0
    out = capsys.readouterr().out
    assert (out.startswith("headline: On 4096×4096 matrices") and "cache cold" in out
            and "shared rounds" in out)
    assert main([str(tmp_path / "none")]) == 1 and "none" in capsys.readouterr().err
