"""Prometheus's own rule tests: each alert fires for what it is about, and for nothing that is ordinary."""

from typing import Any

import pytest
import yaml

from tests.observing.conftest import (
    HERE,
    Promtool,
    Values,
    dashboards_of,
    examples,
    expressions,
    rendered,
    rules_of,
)

# Values are texts: YAML would read `0x60` as a number.
SERIES: list[Values] = yaml.load((HERE / "series.yaml").read_text(), yaml.BaseLoader)
NAMESPACES = {"chat": "serving", "pretrain": "research", "score": "research"}
COMPONENTS = {"chat": "inference", "pretrain": "training", "score": "batch-inference"}


def labels(row: Values) -> dict[str, str]:
    """What kube-state-metrics tells of the labels of a workload's pods."""
    of = row["of"]
    return {
        f'kube_pod_labels{{namespace="{NAMESPACES[of]}",pod="{pod}",label_app_kubernetes_io_name="{of}",'
        f'label_app_kubernetes_io_component="{COMPONENTS[of]}"}}': "1x2000"
        for pod in row.get("labels", [f"{of}-0", f"{of}-1"])
        if of in NAMESPACES
    }


def asked(row: Values, which: str, firing: bool) -> Values:
    """One test of promtool's: whether the alert fires for such series."""
    query = f'count(ALERTS{{alertname="{row["alert"]}",alertstate="firing"}}) > bool 0'
    found: list[Any] = [{"labels": "{}", "value": 1}] if firing else []
    series = {**labels(row), **row[which]}
    return {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [{"expr": query, "eval_time": row["at"], "exp_samples": found}],
    }


@pytest.mark.binaries
@pytest.mark.parametrize("row", SERIES, ids=lambda row: f"{row['of']}-{row['alert']}")
def test_an_alert_fires_for_what_it_is_about_and_nothing_else(
    promtool: Promtool, made: dict[str, list[Values]], row: Values
) -> None:
    """C-50: Thresholds of the spec decide; neighbours in the namespace, bursts and starts do not count."""
    tests = [asked(row, "fires", True), asked(row, "quiet", False)]
    document = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": tests}
    assert promtool("test", "rules", document=document, rules=rules_of(made[row["of"]])) == ""


def test_every_alert_has_such_series() -> None:
    told = {(row["of"], row["alert"]) for row in SERIES}
    there = {
        (of, rule["alert"]) for of, objects in rendered().items() for rule in rules_of(objects)
    }
    # Rules that a batch has as training has them, from the same place.
    same = {(of, name) for of, name in there if of == "score" and ("pretrain", name) in told}
    assert there - same == told - {each for each in told if each in same}


@pytest.mark.binaries
def test_what_people_read_names_the_pod_and_the_value(
    promtool: Promtool, made: dict[str, list[Values]]
) -> None:
    """C-50: `{{ $labels }}` and `{{ $value }}` come through to Prometheus, which fills them in."""
    row = next(row for row in SERIES if row["alert"] == "KVCacheNearlyFull")
    rule = next(rule for rule in rules_of(made["chat"]) if rule["alert"] == row["alert"])
    said = {
        "summary": "chat: the KV cache is 99% full",
        "description": rule["annotations"]["description"].replace("{{ $labels.pod }}", "chat-0"),
    }
    told = {**rule["labels"], "pod": "chat-0"}
    assert told == {
        **{"severity": "warning", "namespace": "serving", "workload": "chat", "owner": "search"},
        "pod": "chat-0",
    }
    test = asked(row, "fires", True)
    fired = {"exp_labels": told, "exp_annotations": said}
    test["alert_rule_test"] = [
        {"eval_time": row["at"], "alertname": row["alert"], "exp_alerts": [fired]}
    ]
    document = {"rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": [test]}
    assert promtool("test", "rules", document=document, rules=rules_of(made["chat"])) == ""


@pytest.mark.binaries
@pytest.mark.parametrize("of", ["chat", "pretrain", "score", "cluster"])
def test_prometheus_reads_every_rule_and_every_query(
    promtool: Promtool, made: dict[str, list[Values]], of: str
) -> None:
    """C-50: promtool takes the groups as they are rendered, and what dashboards ask."""
    (spec,) = (one["spec"] for one in made[of] if one["kind"] == "PrometheusRule")
    assert promtool("check", "rules", "--lint-fatal", document=spec) == ""
    shown = [{"record": f"a{at}", "expr": expr} for at, expr in enumerate(expressions(made[of]))]
    assert (
        promtool("check", "rules", document={"groups": [{"name": "shown", "rules": shown}]}) == ""
    )
    assert dashboards_of(made[of])


@pytest.mark.binaries
def test_prometheus_reads_what_the_examples_have(promtool: Promtool) -> None:
    """C-50: All rules that are shipped as rendered, and all queries of their dashboards."""
    found = examples()
    groups = [
        {**group, "name": f"{name} {group['name']}"}
        for name, objects in found.items()
        for made in objects
        if made["kind"] == "PrometheusRule"
        for group in made["spec"]["groups"]
    ]
    assert promtool("check", "rules", "--lint-fatal", document={"groups": groups}) == ""
    shown = sorted({expr for objects in found.values() for expr in expressions(objects)})
    rules = [{"record": f"a{at}", "expr": expr} for at, expr in enumerate(shown)]
    assert (
        promtool("check", "rules", document={"groups": [{"name": "shown", "rules": rules}]}) == ""
    )
