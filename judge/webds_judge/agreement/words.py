"""The figures in words: lines for a terminal, and the page of a calibration (no script, everything escaped)."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment

from webds import html
from webds.stats import Share, p_text, percent
from webds_judge.agreement.labels import LABELS
from webds_judge.agreement.resampling import Estimate

_FOLDER = Path(__file__).parent


def share(plain: Mapping[str, Any]) -> str:
    """A stored share with its Wilson interval."""
    return Share(plain["passes"], plain["n"]).text.replace("no episodes", "none")


def estimated(plain: Mapping[str, Any]) -> str:
    """A stored coefficient with its interval over sites."""
    return Estimate(plain["value"], plain["low"], plain["high"]).text


def lines(found: Mapping[str, Any]) -> Iterator[str]:
    """For people."""
    truth = ", ".join(f"{count} {name}" for name, count in found["truth"].items())
    yield f"{found['labels']} labels on {found['tries']} tries of {found['sites']} sites; people's word: {truth}"
    for name, said in found["raters"].items():
        yield (
            f"{name}: " + ", ".join(f"{said[word]} {word}" for word in LABELS) + f"; passes {share(said['prevalence'])}"
        )
    if found["people"]["n"]:
        yield from _pair_lines("people with each other", found["people"])
        yield _alphas(found["people"])
        for pair in found["people"]["pairs"]:
            same, kappa = share(pair["percent"]), estimated(pair["kappa"])
            yield f"  {' and '.join(pair['raters'])}: n {pair['n']}, percent {same}, kappa {kappa}"
    for name, judge in found["judges"].items():
        yield from _judge_lines(name, judge)
    for test in found["mcnemar"]:
        yield from _mcnemar_lines(test)
    for kind, title in (("repeats", "second looks say the same"), ("training", "training items right")):
        for name, said in found[kind].items():
            yield f"{name}: {title}: {share(said)}"
    yield f"{len(found['disagreements'])} tries on which the words differ"


def _pair_lines(title: str, pair: Mapping[str, Any]) -> Iterator[str]:
    yield f"{title}: n {pair['n']}, passes {share(pair['prevalence'])}, {pair['unsure']} unsure"
    yield f"  percent {share(pair['percent'])}"
    yield f"  Cohen kappa {estimated(pair['kappa'])}, Gwet AC1 {estimated(pair['ac1'])}"
    stars = pair["stars"]
    if stars["n"]:
        yield f"  stars: n {stars['n']}, the same {share(stars['exact'])}, within one {share(stars['within_one'])}"
        yield f"  stars: quadratic kappa {estimated(stars['kappa_quadratic'])}"
    for tier, rows in pair["confusion"].items():
        counts = "; ".join(f"{down}: " + " ".join(str(rows[down][name]) for name in LABELS) for down in LABELS)
        yield f"  {tier} (down: the first, across: pass fail unsure of the second)  {counts}"


def _judge_lines(name: str, judge: Mapping[str, Any]) -> Iterator[str]:
    if not judge["n"]:
        yield f"{name}: no try that people have settled; passes {share(judge['apparent'])}"
        return
    yield from _pair_lines(f"{name} against people", judge)
    yield f"{_alphas(judge)}; {judge['open']} open"
    yield f"  sensitivity {share(judge['sensitivity'])}"
    yield f"  specificity {share(judge['specificity'])}"
    yield f"  precision of its passes {share(judge['precision'])}"
    yield f"  success rate as judged {share(judge['apparent'])}; {corrected(judge['corrected'])}"


def _alphas(said: Mapping[str, Any]) -> str:
    return f"  Krippendorff alpha {estimated(said['alpha'])}, of stars {estimated(said['stars_alpha'])}"


def corrected(plain: Mapping[str, Any] | None) -> str:
    """A stored corrected rate."""
    if plain is None:
        return "not corrected: too few labels, or no better than chance"
    return f"corrected {percent(plain['value'])} (95 % interval {percent(plain['low'])} to {percent(plain['high'])})"


def _mcnemar_lines(test: Mapping[str, Any]) -> Iterator[str]:
    first, second = test["judges"]
    for kind, verb in (("right", "is right"), ("passed", "passes")):
        said = test[kind]
        yield (
            f"McNemar, n {said['n']}: {first} alone {verb} {said['only_first']} times, {second} alone "
            f"{said['only_second']} times, {p_text(said['p'])}"
        )


@cache
def _engine() -> Environment:
    filters = {"share": share, "estimated": estimated, "corrected": corrected, "p_text": p_text}
    return html.engine(_FOLDER, filters=filters)


def page(found: Mapping[str, Any]) -> str:
    """calibration.html."""
    style = (_FOLDER / "calibration.css").read_text(encoding="utf-8")
    policy = html.closed_policy(style)
    return _engine().get_template("calibration.html.j2").render(
        made=found, figures=found["figures"], words=LABELS, style=style, policy=policy
    )  # fmt: skip
