"""A row per implementation and instance of any operation: rate, share of the roof, ratio to the
library."""

from __future__ import annotations

from dataclasses import dataclass, replace

from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from analysis.tables.rates import best_of_ours, device_sentence, rates_table
from analysis.tables.tables import ratio_cell
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import MUCH, quoted
from records.cases.ratios import Ratio, geometric_mean, speedup
from records.cases.series import Series
from records.names.numbers import capital, joined, percent, ratio_text
from records.schema.operations import GEMM, option_words, shape_text
from records.view import View

DEVICES = ("gpu", "cpu")


@dataclass(frozen=True)
class Form:
    """A form at one size: "A transposed", how many times the time of C = A·B it takes, and that."""

    name: str
    ratio: Ratio
    plain: Case


@dataclass(frozen=True)
class Forms:
    """The forms of our best line of a device, at every size that it has with and without options,
    the smallest first."""

    line: Series
    forms: list[Form]

    @property
    def dearest(self) -> Form:
        return max(self.forms, key=lambda form: form.ratio.value)

    def faster_than_plain(self, plain: Case) -> Form | None:
        """Which took less than C = A·B at its size by more than MUCH, although it does as much or
        more: the times scatter, and what a form costs at most is not known. None where none
        did."""
        least = min((form for form in self.forms if form.plain is plain),
                    key=lambda form: form.ratio.value)
        return least if least.ratio.value * MUCH < 1 else None

    @property
    def largest(self) -> list[Form]:
        """Those at the largest size."""
        return [form for form in self.forms if form.plain is self.forms[-1].plain]


def _form(case: Case) -> str:
    return say(", ").join(map(recorded, option_words(case.shape)))


def _forms_of(view: View, device: str) -> Forms | None:
    found = best_of_ours(view, device)
    if found is None:
        return None
    line = found[0]
    forms = [Form(_form(case), speedup(case, plain), plain)
             for plain in line.cases if not plain.options for case in line.cases
             if case.options and case.dims == plain.dims]
    return Forms(line, forms) if forms else None


def _most(forms: Forms) -> str:
    """"pipelined at most 42 % on the GPU (A transposed, B transposed at 1024; at 4096 3.5 %)": over
    all sizes, and at the largest."""
    form, name, device = forms.dearest, quoted(forms.line.name), forms.line.first.device.upper()
    if (form.ratio.tie and not form.ratio.undecided) or form.ratio.value <= 1:
        return say("{name} none that can be told on the {device}", name=name, device=device)
    where = [say("{form} at {size}", form=form.name, size=shape_text(*form.plain.shape))]
    share, faster = percent(form.ratio.value - 1), forms.faster_than_plain(form.plain)
    if faster:
        share = say("{low} to {high}", low=share,
                    high=percent(form.ratio.value / faster.ratio.value - 1))
        where.append(say("{form} took {less} less than C = A·B, so that scatters",
                         form=faster.name, less=percent(1 - faster.ratio.value)))
    where += [form.ratio.word] if form.ratio.undecided else []
    last = max(forms.largest, key=lambda one: one.ratio.value)
    if last.plain is not form.plain:
        where.append(say(", ").join(filter(None, (
            say("at {size} {share}", size=shape_text(*last.plain.shape),
                share=percent(last.ratio.value - 1)), last.ratio.word))))
    return say("{name} {share} on the {device} ({form})" if faster else
               "{name} at most {share} on the {device} ({form})", name=name, share=share,
               device=device, form=say("; ").join(where))


def _each(forms: Forms) -> str:
    told = [say("{form} {times}", form=form.name, times=ratio_cell(form.ratio).text)
            for form in forms.largest]
    return say("Times as long as C = A·B at {size}, {name}: {parts}.",
               size=shape_text(*forms.largest[0].plain.shape), name=quoted(forms.line.name),
               parts=say("; ").join(told))


def _beside(view: View, device: str) -> str:
    """How ours stands to the fastest library of each form."""
    found = best_of_ours(view, device)
    known = [ratio for _, ratio in found[1] if ratio is not None] if found else []
    if found is None or not known:
        return ""
    return say("{name} reaches {mean} times the rate of the fastest library in geometric mean over "
               "{count} forms and sizes, {worst} times at worst.", name=quoted(found[0].name),
               mean=ratio_text(geometric_mean([one.value for one in known])), count=len(known),
               worst=ratio_text(min(one.value for one in known)))


def forms_head(section: Section) -> Head | None:
    """What a form costs at most, on each device; each form; and how ours stands to the libraries.
    None where there are no forms."""
    view = section.view
    own = replace(view, cases=tuple(case for case in view.shown
                                    if case.operation == GEMM and case.precision == "fp32"))
    if len(own.cases) < len([case for case in view.shown if case.precision == "fp32"]):
        return None
    found = [forms for device in DEVICES if (forms := _forms_of(own, device))]
    if not found:
        return None
    beside = [text for device in DEVICES if (text := _beside(own, device))]
    # rounds are those of one shape, of which a form is part
    each = [*map(_each, found),
            say("Not paired: each form is a group of its own, timed at another time.")]
    return Head(say("What a form of gemm costs in time beside C = A·B, not paired: {parts}",
                    parts=joined([_most(one) for one in found])),
                (say(" ").join(each), say(" ").join(beside)))


def _by_operation(view: View) -> list[View]:
    operations = list(dict.fromkeys(case.operation for case in view.shown))
    return [replace(view, cases=tuple(case for case in view.cases if case.operation == one))
            for one in operations]


def _last(view: View, device: str) -> Case | None:
    """The largest point of our best line on the device."""
    found = best_of_ours(view, device)
    return found[1][-1][0] if found else None


def _reached(parts: list[View]) -> str:
    """"Our best reaches 91 to 93 % of the roof on the GPU and 95 % on the CPU at the largest size";
    a roof that points pass was measured too low, and no share of it is told."""
    told: list[str] = []
    low_roofs: list[str] = []
    for device in DEVICES:
        last = [case for one in parts if (case := _last(one, device)) and case.share_trusted]
        shares = [case.of_ceiling for case in last if case.of_ceiling]
        if any(case.above_own_ceiling for case in last):
            low_roofs.append(say("the points on the {device} pass its roof, which was measured too "
                                 "low", device=device.upper()))
        elif shares:
            low, high = percent(min(shares)), percent(max(shares))
            span = low if low == high else say("{low} to {high}", low=low.removesuffix(" %"),
                                               high=high)
            told.append(say("{share} on the {device}" if told else "{share} of the roof on the "
                            "{device}", share=span, device=device.upper()))
    reached = ([say("Our best reaches {shares} at the largest size", shares=joined(told))]
               if told else [])
    text = say("; ").join([*reached, *low_roofs])
    return capital(text)


def rates_head(section: Section) -> Head | None:
    """How near the roof our best comes; and each operation on each device. A gemm beside others is
    there to be compared with."""
    parts = _by_operation(section.view)
    finding = _reached([one for one in parts if len(parts) == 1 or one.cases[0].operation != GEMM])
    sentences = []
    for device in DEVICES:
        said = [text if len(parts) == 1
                else say("{operation}, {text}", operation=recorded(one.cases[0].operation),
                         text=text) for one in parts if (text := device_sentence(one, device))]
        if said:
            sentences.append(say("{device}: {parts}.", device=device.upper(),
                                 parts=say("; ").join(said)))
    return Head(finding, tuple(sentences)) if finding or sentences else None


KIND = TableKind(title="what each reaches",
                 about="rate, share of the roof and ratio to the fastest library, a row per "
                 "implementation and instance of any operation",
                 table=rates_table,
                 heads=(forms_head, rates_head),
                 before=4)
