"""A row per implementation and instance of any operation: rate, share of the roof, ratio to the
library."""

from __future__ import annotations

from dataclasses import dataclass, replace

from analysis.tables.heads import Head
from analysis.tables.kind import Section, TableKind
from analysis.tables.rates import best_of_ours, rates_table
from analysis.tables.tables import ratio_cell
from language import recorded, say
from records.cases.case import Case
from records.cases.phrases import quoted
from records.cases.ratios import Ratio, geometric_mean, speedup
from records.cases.series import Series
from records.names.numbers import joined, percent, ratio_text
from records.schema.operations import GEMM, option_words, shape_text
from records.view import View
from report.findings.roofs import rates_head

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
    where += [form.ratio.word] if form.ratio.undecided else []
    last = max(forms.largest, key=lambda one: one.ratio.value)
    if last.plain is not form.plain:
        where.append(say(", ").join(filter(None, (
            say("at {size} {share}", size=shape_text(*last.plain.shape),
                share=percent(last.ratio.value - 1)), last.ratio.word))))
    return say("{name} at most {share} on the {device} ({form})", name=name,
               share=percent(form.ratio.value - 1), device=device, form=say("; ").join(where))


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


KIND = TableKind(title="what each reaches",
                 about="rate, share of the roof and ratio to the fastest library, a row per "
                 "implementation and instance of any operation",
                 table=rates_table,
                 heads=(forms_head, rates_head),
                 before=4)
