"""Products that several cards share: ranked among themselves alone, and what their figures say."""

import pytest

from drawn import cut_off, figure_of, overlapping
from report.answer.points import usable
from report.cards import best_line, card_times, cards_finding, over_cards
from report.findings.standing import ranked_parts
from report.view import View


def case_on(make, gpus, seconds, **more):
    return make("gpu.multi", parameters={"gpus": gpus, "operands": "sharded", "chunks": 4}, size=1024,
                device="gpu", samples=tuple(seconds * (1 + 1e-4 * place) for place in range(9)), **more)


@pytest.fixture(name="cases")
def _cases(make):
    shares = {"share_not_multiplying": 0.02, "share_arriving": 0.1}
    return tuple(case_on(make, *one) for one in ((1, 8e-3), (4, 2.2e-3))) + (case_on(make, 2, 4.1e-3, chosen=shares),)


def view(cases, kind):
    return View("e", kind, "T", cases, {"host": {"cpu": "A CPU", "cores": 8}})


def test_they_are_ranked_apart_and_decide_no_contest(cases):
    parts = ranked_parts(view(cases, "gflops"), [])
    assert sorted((label, [case.cards for case in those]) for label, those in parts) == [("", [1]), ("2 GPUs", [2]), ("4 GPUs", [4])]
    assert [usable(case) for case in cases] == [True, False, False]


def test_speedup_is_over_one_card(cases):
    shown = view(cases, "card_scaling")
    found = over_cards(shown)
    assert best_line(found.lines(found.shapes[-1])).gains[4].value == pytest.approx(8 / 2.2)
    assert cards_finding(shown) == "At 1024 several cards, sharded is 3.6 times as fast on 4 cards as on one: 91 % of linear"
    assert any(list(line.get_ydata()) == [1, 4] for line in figure_of(shown).axes[0].lines), "the ideal line"


def test_what_cards_did_is_drawn_where_a_point_says_it(cases):
    shown = view(cases, "card_shares")
    assert [(one.case.cards, one.waiting, one.arriving) for one in card_times(shown)] == [(2, 0.02, 0.1)]
    figure = figure_of(shown)
    assert cut_off(figure) == [] and overlapping(figure) == []
    assert figure_of(view(cases[:2], "card_shares")) == "No point says what its cards did with the time."
