"""The report of ``scan``: which columns identify people, and which can be published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.problems.answer import Rule
from streamqid.problems.sentences import percent as outwards
from streamqid.report.conditions import footer, read, unreadable
from streamqid.report.crowds import about_crowds, crowds
from streamqid.report.html import Markup, tag
from streamqid.report.identifying import members, parts_picture
from streamqid.report.page import page
from streamqid.report.pieces import bar, card, chip, chips, facts, faint, items, note, section, table
from streamqid.report.text import count, percent, shown

if TYPE_CHECKING:
    from streamqid.problems.answer import ColumnRisk, KeyAnswer, MaskAnswer, ScanAnswer

RULES = {
    Rule.PAPER: "paper: chosen and judged on one sample, at the price of all column sets (Motwani and Xu)",
    Rule.CERTIFIED: "certified: chosen on one random sample and judged on another one",
    Rule.TUPLES: "tuples: chosen and judged on all pairs of one sample of rows (Hildebrant et al.)",
}


def overview_page(answer: ScanAnswer, name: str) -> str:
    """Return the report on the table of this name."""
    key = answer.key
    return page(
        f"Which columns of {name} identify people",
        f"{'About ' if answer.rows_estimated else ''}{count(answer.rows, 'row')}, "
        f"{count(len(answer.columns), 'column')}",
        tag("p", key.guarantee, class_="verdict"),
        unreadable(answer),
        _identifies(key),
        _may_be_published(answer.mask),
        section("What to do", items(answer.advice or ["Nothing."])),
        section("Risk by column", risks(answer), _about_risk(answer)),
        *(
            [
                section(
                    "The identifying set and its parts", parts_picture(answer), members(key.contributions, key.measure)
                )
            ]
            if key.columns
            else []
        ),
        section("Size of groups", crowds(answer), about_crowds(answer)),
        section("What is promised, and what is not", items(_promises(answer))),
        section("Method and parameters", facts(_parameters(answer))),
        footer=footer(answer),
    )


def _identifies(key: KeyAnswer) -> Markup:
    if not key.columns:
        return card("Identifies people", tag("p", "No column set."))
    short = chip("less than asked for" if key.exact else "not certain", "amber")
    badge = chip("quasi-identifier", "red") if key.met else short
    return card("Identifies people", chips(key.columns, "red"), badge=badge)


def _may_be_published(mask: MaskAnswer) -> Markup:
    badge = chip(f"within {percent(mask.beta)}", "green") if mask.met and mask.publish else chip("none", "amber")
    hidden = tag("p", "Hide: ", chips(mask.hide, "grey")) if mask.hide else Markup()
    upper = mask.unique_rows.upper
    exactly = mask.unique_rows.lower == upper
    told = f"{percent(upper or 0.0)} of the rows are unique on them: these persons stand out."
    if not exactly:
        told = f"up to {outwards(upper or 0.0, up=True)} of the rows may be unique on them: such a person stands out."
    return card(
        "May be published together",
        note(mask.guarantee, "good" if mask.met and mask.publish else "warning"),
        chips(mask.publish, "green"),
        hidden,
        *([faint(f"Still, {told}")] if mask.publish and upper else []),
        badge=badge,
    )


def risks(answer: ScanAnswer) -> Markup:
    """Return the columns by falling risk, each with what becomes of it."""
    largest = max(risk.risk.estimate for risk in answer.columns) or 1.0
    rows = [
        [
            risk.column,
            _fate(risk, answer),
            bar(risk.risk.estimate / largest, "red" if risk.column in answer.key.columns else "plain"),
            percent(risk.risk.estimate),
            shown(risk.separation),
            shown(risk.distinct),
        ]
        for risk in answer.columns
    ]
    headers = ["Column", "Found", "", "Share of the risk", "Separation", "Distinct values"]
    return table(headers, rows, numbers=(3, 4, 5))


def _fate(risk: ColumnRisk, answer: ScanAnswer) -> Markup:
    publish = chip("publish", "green") if risk.column in answer.mask.publish else chip("hide", "grey")
    return tag("span", chip("identifies", "red"), " ", publish) if risk.column in answer.key.columns else publish


def _about_risk(answer: ScanAnswer) -> Markup:
    bound = "" if answer.exact else "; it is an estimate without a bound"
    return faint(
        "Share of the risk: what the column adds to the identifying power of all columns, in bits, taken one after the "
        f"other, the strongest first{bound}. Separation: share of pairs of rows that differ on the column. Distinct "
        "values: number of different values, divided by the number of rows."
    )


def _promises(answer: ScanAnswer) -> list[str]:
    key, mask = answer.key, answer.mask
    if answer.exact:
        sure = ["Every row was counted: nothing here is uncertain."]
    else:
        each, both = percent(1.0 - key.delta), percent(1.0 - key.delta - mask.delta)
        sure = [
            f"The sentence on what identifies people holds with probability {each} over the choice of the sample.",
            f"So does that on what may be published, and both together hold with probability {both}, for every table.",
            f"Every interval holds with probability {each} by itself; on a side that is missing nothing is promised.",
        ]
    if key.inseparable_rows:
        about = "" if answer.exact else "About "
        more = "" if answer.exact else " or more"
        sure.append(
            f"{about}{count(key.inseparable_rows, 'row')}{more} equal another row on all columns: no column set tells "
            "them apart."
        )
    return [
        *sure,
        "Low separation is not anonymity: single rows may still be unique on the columns to publish.",
        "The table is not the population: a set that separates these rows may separate more or fewer people outside.",
    ]


def _parameters(answer: ScanAnswer) -> dict[str, str]:
    key, mask = answer.key, answer.mask
    return {
        "Rule": RULES[key.rule],
        "ε": f"{key.epsilon:g}: the identifying set separates at least {percent(1.0 - key.epsilon)} of all pairs",
        "β": f"{mask.beta:g}: the columns to publish separate at most {percent(mask.beta)} of all pairs",
        "δ": f"{key.delta:g}: probability that a sentence is wrong" if not answer.exact else "0: every row was counted",
        **read(answer),
        **({} if answer.exact else {"Judged on": f"{key.sample:,} {key.sample_unit} (set), {mask.sample:,} (publish)"}),
    }
