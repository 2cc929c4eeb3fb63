"""Further problems of a stream: what can be asked of samples, and why the rest cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamqid.config.asking import OTHERS
from streamqid.config.building import stream_of
from streamqid.errors import ConfigError
from streamqid.problems.detectors import BASELINES, DETECTORS
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.config import Config

NAMED = "columns: {only: [zip, age, id, illness]}, "


@pytest.mark.parametrize(
    ("problem", "key", "reason"),
    [
        ("minimal: {epsilon: 0}", "minimal.epsilon", "only every row can show that no two rows agree"),
        ("minimal: {method: levelwise}", "minimal.method", "a stream keeps samples only"),
        ("qid: {exposes: every}", "qid.exposes", "shows on the whole table only"),
        ("qid: {anonymous: true}", "qid.anonymous", "only every row can show it"),
        ("qid: {drop: [age]}", "qid.drop", "is for find: minimal only"),
        ("optimal_key: {measure: distinct}", "optimal_key.measure", "only every row can show"),
        ("optimal_mask: {must_hide: [age], must_publish: [age]}", "optimal_mask.must_hide", "name it once"),
        ("optimal_mask: {must_hide: [agee]}", "optimal_mask.must_hide", "did you mean 'age'"),
        ("dependencies: {kind: singling}", "dependencies.kind", "rows outside the sample"),
        ("dependencies: {declared: [zip]}", "dependencies.declared", "zip+street->city"),
        ("dependencies: {declared: ['zip->towm']}", "dependencies.declared", "'towm'"),
        ("articulation: {identifiers: [id], sensitive: [id]}", "articulation.sensitive", "name it once"),
        ("articulation: {identifiers: [id], sensitive: [age], edges: [zip]}", "articulation.edges", "zip+city"),
        ("articulation: {identifiers: [id], sensitive: [age], edges: [id+id]}", "articulation.edges", "zip+city"),
        ("articulation: {identifiers: [id], sensitive: [age], edges: [zip+town]}", "articulation.edges", "'town'"),
        *((f"{name}: {{}}", name, "rows outside the sample") for name in ("dpi", "f2cic")),
        *((f"{name}: {{}}", name, "no record changes it") for name in ("qia", "fpcv")),
        ("sqia: {}", "sqia", "a sample does not tell whether"),
        ("separation: {}", "separation", "as key and mask, with measure: separation"),
        ("distinct: {}", "distinct", "as key and mask, with measure: distinct"),
        ("k-anonymity: {}", "k-anonymity", "as qid"),
        ("tuples: {}", "tuples", "as key with rule: tuples, or optimal_key"),
    ],
)
def test_what_samples_cannot_answer_is_refused_with_the_reason(
    configured: Callable[..., Config], problem: str, key: str, reason: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        configured(f"{{{NAMED}problems: {{{problem}}}}}")
    assert str(refused.value).startswith(f"streams[0].problems.{key} ")
    assert reason in str(refused.value)


@pytest.mark.parametrize("method", [*DETECTORS, *BASELINES])
def test_every_method_of_detect_is_a_problem_of_a_stream_or_refused_with_a_reason(
    configured: Callable[..., Config], method: str
) -> None:
    asked = "articulation: {identifiers: [id], sensitive: [age]}" if method == "articulation" else f"{method}: {{}}"
    stream = f"{{{NAMED}problems: {{{asked}}}}}"
    if method in OTHERS:
        assert method in configured(stream).streams[0].problems.others
    else:
        with pytest.raises(ConfigError, match=r"is no problem of a stream: |a stream asks for it as "):
            configured(stream)


@pytest.mark.parametrize("name", ["minimal", "qid", "optimal_key", "optimal_mask", "dependencies"])
def test_promises_for_all_sets_need_named_columns(configured: Callable[..., Config], name: str) -> None:
    with pytest.raises(ConfigError, match=rf"problems\.{name} is asked, .* give columns.only"):
        configured(f"{{problems: {{{name}: {{}}}}}}")


CLOSE = "published: [{name: p, columns: [zip, age], limits: {closeness: "


@pytest.mark.parametrize(
    ("closeness", "key", "reason"),
    [
        ("[{sensitive: illness, t: 0.2, distance: ordered}]", "limits.closeness[0].distance", "nothing but equality"),
        ("[{sensitive: illness, t: 1.5}]", "limits.closeness[0].t", "less than 1"),
        ("[{sensitive: ilness, t: 0.2}]", "limits.closeness[0].sensitive", "did you mean 'illness'"),
        ("[{sensitive: age, t: 0.2}, {sensitive: age, t: 0.3}]", "limits.closeness", "twice"),
    ],
)
def test_closeness_that_fingerprints_cannot_tell_is_refused(
    configured: Callable[..., Config], closeness: str, key: str, reason: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        configured(f"{{{NAMED}{CLOSE}{closeness}}}}}]}}")
    assert str(refused.value).startswith(f"streams[0].published[0].{key} ")
    assert reason in str(refused.value)


def test_closeness_needs_no_counting_and_a_column_to_group_by(configured: Callable[..., Config]) -> None:
    config = configured(f"{{{NAMED}{CLOSE}[{{sensitive: illness, t: 0.2, share: 0.1}}]}}}}]}}")
    assert config.streams[0].counted is None
    stream = stream_of(config.streams[0], Secret.from_seed(1), state=config.state)
    (limit,) = stream.published[0].limits
    assert (limit.measure, limit.value, limit.t) == ("closeness_of_illness", 0.1, 0.2)
    assert stream.published[0].looked_at == ("zip", "age", "illness")
    with pytest.raises(ConfigError, match="name one to group by"):
        configured(
            f"{{{NAMED}published: [{{name: p, columns: [age], limits: {{closeness: [{{sensitive: age, t: 0.1}}]}}}}]}}"
        )


def test_problems_become_questions(configured: Callable[..., Config]) -> None:
    asked = """{minimal: {beta: 0.9, max_size: 3, time_limit: 5s}, qid: {find: minimal, k: 5, drop: [age]},
        optimal_key: {weights: {zip: 2}}, optimal_mask: {measure: distinct},
        dependencies: {declared: ['zip+age->illness'], identifiers: [id]},
        articulation: {identifiers: [id], sensitive: [illness], edges: [id+zip, zip+illness]}, key: null, mask: null}"""
    config = configured(f"{{{NAMED}problems: {asked}}}")
    problems = stream_of(config.streams[0], Secret.from_seed(1), state=config.state).problems
    by_name = {ask.name: ask for ask in problems}
    assert list(by_name) == ["minimal", "qid", "optimal_key", "optimal_mask", "dependencies", "articulation"]
    assert (by_name["minimal"].beta, by_name["minimal"].seconds) == (0.9, 5.0)  # type: ignore[union-attr]
    assert (by_name["qid"].minimum, by_name["qid"].drop) == (False, ("age",))  # type: ignore[union-attr]
    assert by_name["dependencies"].declared == ((("zip", "age"), ("illness",)),)  # type: ignore[union-attr]
    assert by_name["articulation"].edges == (("id", "zip"), ("zip", "illness"))  # type: ignore[union-attr]
