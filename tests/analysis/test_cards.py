"""Products that several cards share: ranked among themselves alone, and what their figures say."""

from dataclasses import replace

import pytest
from drawn import cut_off, figure_of, overlapping

from analysis.answer.points import usable
from analysis.scaling.cards import (
    best_line,
    cards_finding,
    cards_head,
    links_share,
    over_cards,
    over_libraries,
)
from plots.card_shares import card_times
from records.cases.experiment import Experiment, Results
from records.view import View
from report.findings.standing import ranked_parts
from report.kinds.card_scaling import cards_table
from report.summary.answer import answer_of
from report.summary.cards import CardsAnswer
from report.summary.exhibits import summary_of


def case_on(make, gpus, seconds, **more):
    return make(
        "gpu.multi", parameters={"gpus": gpus, "operands": "sharded", "chunks": 4}, size=1024,
        device="gpu", samples=tuple(seconds * (1 + 1e-4 * place) for place in range(9)), **more)


@pytest.fixture(name="cases")
def _cases(make):
    shares = {"share_not_multiplying": 0.02, "share_arriving": 0.1}
    return (*tuple(case_on(make, *one) for one in ((1, 0.008), (4, 0.0022))),
            case_on(make, 2, 0.0041, chosen=shares))


def view(cases, kind):
    return View("e", kind, "T", cases, {"host": {"cpu": "A CPU", "cores": 8}})


def test_they_are_ranked_apart_and_decide_no_contest(cases):
    parts = ranked_parts(view(cases, "gflops"), [])
    assert sorted((label, [case.cards for case in those]) for label, those in parts) == [
        ("", [1]), ("2 cards", [2]), ("4 cards", [4])]
    assert [usable(case) for case in cases] == [True, False, False]


def test_speedup_is_over_one_card(cases):
    shown = view(cases, "card_scaling")
    found = over_cards(shown)
    assert best_line(found.lines(found.shapes[-1])).gains[4].value == pytest.approx(8 / 2.2)
    assert (cards_finding(shown) == "4 cards are 3.6 times as fast as one at 1024: 91 % of linear "
            "(multi, sharded)")
    assert any(list(line.get_ydata()) == [1, 4]
               for line in figure_of(shown).axes[0].lines), "the ideal line"


def test_what_cards_did_is_drawn_where_a_point_says_it(cases):
    shown = view(cases, "card_shares")
    assert [(one.case.cards, one.waiting, one.arriving)
            for one in card_times(shown)] == [(2, 0.02, 0.1)]
    figure = figure_of(shown)
    assert cut_off(figure) == [] and overlapping(figure) == []
    assert figure_of(view(cases[:2],
                          "card_shares")) == "No point says what its cards did with the time."


def product(make, implementation, gpus, seconds, operands="sharded", parameters=(), **more):
    """Ours and libraries' (9 samples) on cards."""
    return make(implementation, label=f"{implementation} {operands} {gpus}",
                parameters={"gpus": gpus, "operands": operands, **dict(parameters)},
                size=more.pop("size", 1024), device="gpu",
                samples=tuple(seconds * (1 + 1e-4 * place) for place in range(9)), **more)


@pytest.fixture(name="many")
def _many(make):
    """Sharded ours is ahead of a library that scales better, and of one whose operands begin
    elsewhere; and the same on matrix units."""
    times = {("gpu.multi", "sharded"): (8e-3, 4.1e-3), ("gpu.multi", "first"): (8e-3, 4.4e-3),
             ("gpu.cublasmp", "sharded"): (9e-3, 4.5e-3),
             ("gpu.cublasxt", "first"): (8.8e-3, 4.84e-3)}
    found = [product(make, name, gpus, seconds[gpus - 1], operands,
                     library=name.startswith("gpu.cublas"))
             for (name, operands), seconds in times.items() for gpus in (1, 2)]
    return (*found, *(product(make, "gpu.multi_tensor", gpus, seconds, precision="fp32-split")
                      for gpus, seconds in ((1, 2e-3), (2, 1.25e-3))))


def test_the_fastest_of_ours_stands_for_all_not_what_scales_best(many):
    found = over_cards(view(many, "card_scaling"))
    lines = found.lines(found.shapes[-1])
    assert best_line(lines).series.name == "multi, sharded"
    assert best_line(lines, "fp32-split").gains[2].value == pytest.approx(1.6)
    assert best_line(lines, "tf32") is None


def test_a_gain_says_at_which_other_size_it_was_less(make, many):
    """Planted: at 512 two cards are 1.2 times as fast as one, at 1024 1.95 times."""
    small = [product(make, "gpu.multi", gpus, seconds, size=512)
             for gpus, seconds in ((1, 1.2e-3), (2, 1e-3))]
    told = cards_head(view((*many, *small), "card_scaling")).sentences
    assert " as fast, 1.20 at 512" in told[0] and " at 512" not in told[1]
    assert " at 512" not in cards_head(view(many, "card_scaling")).sentences[0]


def test_what_rests_on_three_samples_heads_nothing(make, many):
    """Twice the size, but one card was timed three times."""
    large = [product(make, "gpu.multi", gpus, seconds, size=2048) for gpus, seconds in ((1, 64e-3),
                                                                                        (2, 32e-3))]
    assert "2.0 times as fast as one at 2048" in cards_finding(view((*many, *large),
                                                                    "card_scaling"))
    few = replace(large[0], samples_s=large[0].samples_s[:3], rounds=large[0].rounds[:3],
                  sample_count=3)
    assert "1.95 times as fast as one at 1024" in cards_finding(view((*many, few, large[1]),
                                                                     "card_scaling"))


def test_libraries_are_compared_where_their_operands_begin(many):
    found = over_cards(view(many, "card_scaling"))
    over = {series.name: ratio.value
            for series, ratio in over_libraries(found.lines(found.shapes[-1]), "fp32")}
    assert over == {"cuBLASMp, sharded": pytest.approx(4.5 / 4.1),
                    "cuBLASXt": pytest.approx(4.84 / 4.4)}


def test_of_a_librarys_parameters_the_fastest_are_compared(make, many):
    slow = [product(make, "gpu.cublasxt", gpus, seconds, "first", {"block": 2048}, library=True)
            for gpus, seconds in ((1, 9e-3), (2, 7e-3))]
    found = over_cards(view((*slow, *many), "card_scaling"))
    over = [(series.name, ratio.value)
            for series, ratio in over_libraries(found.lines(found.shapes[-1]), "fp32")]
    assert [value for _, value in over] == [pytest.approx(4.5 / 4.1), pytest.approx(4.84 / 4.4)]
    assert "2048" not in str(over)


def test_libraries_that_lack_one_card_at_the_largest_shape_are_told_of_at_the_next(make, many):
    large = [product(make, "gpu.multi", gpus, seconds, size=2048)
             for gpus, seconds in ((1, 64e-3), (2, 32.8e-3))]
    large += [product(make, "gpu.cublasmp", 2, 32.8e-3, size=2048, library=True),
              product(make, "gpu.cublasxt", 2, 36e-3, size=2048, library=True)]
    told = cards_head(view((*many, *large), "card_scaling")).sentences[0]
    assert told.startswith("“multi, sharded” at 2048:"), told
    assert ("; at 2048 a tie with “cuBLASMp, sharded” and 1.098 times [1.098, 1.098] as fast as "
            "“cuBLASXt, sharded”." in told), told
    assert ("; at 1024, with operands in the same place, 1.098 times [1.098, 1.098] as fast as "
            "“cuBLASMp, sharded”" in told), told
    assert cards_head(view((*many, *large), "card_scaling")).sentences[1].startswith(
        "“multi, tensor, sharded (fp32-split)” at 1024:")


def test_one_number_of_cards_is_drawn_as_rates_beside_twice_ones_own(many):
    figure = figure_of(view(many, "card_scaling"))
    (axes,) = figure.axes
    rates = {label.get_text().replace("\n", " "): bar.get_width()
             for label, bar in zip(axes.get_yticklabels(), axes.patches)}
    assert (next(iter(rates)) == "multi, tensor, sharded (fp32-split)"
            and list(rates)[1:3] == ["multi, sharded", "multi"])
    assert rates["cuBLASXt"] == pytest.approx(2 * 1024**3 / 4.84e-3 / 1e12, rel=1e-3)
    marks = [line.get_xdata()[0] for line in axes.lines]
    assert marks[1] == pytest.approx(2 * 2 * 1024**3 / 8e-3 / 1e12, rel=1e-3)
    assert cut_off(figure) == [] and overlapping(figure) == []


def test_a_section_says_what_cards_bring_and_over_whom(many):
    plain, units = cards_head(view(many, "card_scaling")).sentences
    assert plain.startswith("“multi, sharded” at 1024: 8.00 [8.00, 8.01] ms on one card, 4.10 "
                            "[4.10, 4.10] ms on 2 cards, 1.95 times [1.95, 1.95] as fast;")
    assert ("with operands in the same place 1.098 times" in plain
            and plain.endswith("as fast as cuBLASXt (multi).")), "another of ours is named"
    assert "1.60 times" in units and "operands in the same place" not in units


def test_a_product_that_grows_with_the_cards_is_held_against_the_time_of_one(make):
    grown = [product(make, "gpu.multi", gpus, seconds, dims={"m": 1024 * gpus, "n": 512, "k": 256})
             for gpus, seconds in ((1, 8e-3), (2, 8.4e-3))]
    head = cards_head(view(tuple(grown), "card_shares"))
    assert (head.finding == "2 times the work on 2 cards takes 1.05 times as long as on one: 95 % "
            "of linear")
    assert ("on one card at 1024×512×256" in head.sentences[0]
            and head.sentences[0].endswith("at 2048×512×256."))
    units = [product(make, "gpu.multi_tensor", gpus, seconds,
                     dims={"m": 1024 * gpus, "n": 512, "k": 256}, precision="fp32-split",
                     throttled=("cap",)) for gpus, seconds in ((1, 1e-3), (2, 1.25e-3))]
    both = cards_head(view((*grown, *units), "card_shares"))
    assert (both.finding == head.finding + "; on matrix units 80 %"
            and both.sentences[1].endswith("at 2048×512×256 (the clock was held down)."))
    other = [grown[0], product(make, "gpu.multi", 2, 8e-3, dims={"m": 1024, "n": 512, "k": 257})]
    assert cards_head(view(tuple(other), "card_shares")) is None


def test_of_the_host_the_links_least_time_is_told(make):
    links = [{"what": f"transfer_{way}_devices", "level": "pinned", "value": rate, "trusted": True}
             for way, rate in (("to", 100), ("from", 20))]
    case = product(make, "gpu.multi", 2, 1e-3, "host")
    shown = View("e", "card_scaling", "T", (case,), {"ceilings": links})
    assert links_share(shown, case) == pytest.approx(4 * 1024**2 / 20e9
                                                     / case.median_s), "C leaves by the slower way"
    slow = View("e", "card_scaling", "T", (case,),
                {"ceilings": [*links, links[1] | {"what": "transfer_from_device", "value": 4}]})
    assert (links_share(slow, case)
            == pytest.approx(4 * 1024**2 / 8e9 / case.median_s)), "two of many cards have two links"
    assert links_share(shown, product(make, "gpu.multi", 2, 1e-3)) is None
    assert links_share(View("e", "card_scaling", "T", (case,), {"ceilings": links[:1]}),
                       case) is None


def test_the_table_has_a_row_for_each_number_of_cards_with_a_number(make, many):
    out = product(make, "gpu.multi", 4, 1.0, status="unsupported")
    alone = product(make, "gpu.multi", 2, 5e-3, "host")
    table = cards_table(view((*many, out, alone), "card_scaling"))
    rows = {row.heads: [cell.text for cell in row.cells] for row in table.rows}
    assert (("multi, sharded", "1024", "4") not in rows
            and "1 of 12 points left out: 1 unsupported" in table.caption)
    assert rows["multi, sharded", "1024", "2"][2:] == ["1.95 [1.95, 1.95]", "98 %"]
    assert rows["multi, host", "1024", "2"][2:] == ["–", "–"]
    assert "“sharded”: each card holds its part" in table.caption and "page-locked" in table.caption
    assert [row.heads[2] for row in cards_table(view((out,), "card_scaling")).rows] == []


def test_records_of_cards_alone_begin_with_what_cards_bring(tmp_path, many):
    run = {"run_id": "r", "gpus": [{"name": "NVIDIA H100"}], "host": {"cpu": "A CPU", "cores": 8}}
    results = Results(tmp_path, [Experiment("strong", tmp_path, [run], list(many))], [])
    answer = answer_of(results, None)
    assert answer.sentence == ("2 cards (H100) are 1.95 times as fast as one at 1024 if each holds "
                               "its part beforehand; 1.82 times if all lies on the first; on "
                               "matrix units at FP32's accuracy 1.60 times.")
    assert [number.value for number in answer.numbers] == ["1.95×", "1.82×", "1.60×", "1.10×"]
    assert [number.label
            for number in answer.numbers][:2] == ["2 cards over one at 1024, each with its part",
                                                  "2 cards over one at 1024, all on the first card"]
    (exhibit,) = summary_of(results, None)
    assert exhibit.conditions.endswith("; bursts; 9 samples per point.")
    assert (exhibit.sentences[0].endswith("Measured at 1024 alone.")
            and len(exhibit.sentences) == 1), "nothing of what was not measured"
    assert answer.lines[1:] == (
        "1.82 times if all lies on the first; on matrix units at FP32's accuracy 1.60 times",
        "CPU and GPU were not measured at the same shape: ./gemmlab run cpu_vs_gpu")
    assert (exhibit.figures[0][1] == "answer-card_scaling"
            and exhibit.question == "What do several cards bring?")
    assert CardsAnswer(Results(tmp_path, [], [])).sentence == ""
