"""What is asked for is emitted by somebody: every series and label stands in a table with its source."""

import re
from typing import Any

from gpuspec import runtimes
from gpuspec.runtimes.exporters import exporters
from tests.observing.conftest import Values, examples, expressions, rules_of

WORDS = {"and", "or", "unless", "by", "on", "bool", "time"}
OWN = {"namespace", "app_kubernetes_io_name", "pod"}
"""Labels that a monitor gives to the series of the pods that it selects."""
MADE = {"job_name"}
"""A label that an expression makes of another one."""
NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")


def known() -> dict[str, set[str]]:
    """Labels by series."""
    found = {one.name: {*each.labels, *one.labels} for each in exporters() for one in each.series}
    found["up"] = OWN
    for name in runtimes.names():
        metrics = runtimes.get(name).metrics
        for source in (metrics, metrics.former if metrics else None):
            for which in ("queue", "running", "cache"):
                if source is not None and (series := getattr(source, which)):
                    found[series] = OWN
            for which in ("first_token", "per_token"):
                if source is not None and (series := getattr(source, which)):
                    found[f"{series}_bucket"] = OWN | {"le"}
    return found


def read(expr: str) -> tuple[dict[str, set[str]], set[str]]:
    """The series that an expression asks for with the labels of each, and labels that it joins by."""
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expr)
    plain = re.sub(r"\[[^\]]*\]", "", plain)
    joined: set[str] = set()
    for names in re.findall(r"\b(?:by|on)\s*\(([^)]*)\)", plain):
        joined |= set(NAME.findall(names))
    plain = re.sub(r"\b\w+ by \([^)]*\)|\bon \([^)]*\)", "by", plain)
    found: dict[str, set[str]] = {}
    for match in re.finditer(rf"({NAME.pattern})(\s*\(|\{{[^}}]*\}})?", plain):
        name, rest = match[1], match[2] or ""
        if name in WORDS or rest.strip() == "(" or plain[max(0, match.start() - 1)].isdigit():
            continue
        labels = set(re.findall(r"([a-zA-Z_][a-zA-Z0-9_]*)\s*(?:=|!)", rest))
        found.setdefault(name, set()).update(labels)
    return found, joined


def test_the_reader_sees_series_and_labels() -> None:
    expr = 'sum by (le) (rate(a:b{x="y",z!="1"}[5m])) / 1e9 > 0.1 and on (pod) max(c) unless time() - d == 1'
    assert read(expr) == ({"a:b": {"x", "z"}, "c": set(), "d": set()}, {"le", "pod"})


def test_every_series_and_label_stands_in_a_table(made: dict[str, list[Values]]) -> None:
    """C-50: A name that nobody emits would be an alert that never fires."""
    tables = known()
    for expr in (
        each for one in (made, examples()) for of in one.values() for each in expressions(of)
    ):
        asked, joined = read(expr)
        assert asked, expr
        unknown = {name: labels for name, labels in asked.items() if name not in tables}
        assert unknown == {}, expr
        wrong = {
            name: labels - tables[name] for name, labels in asked.items() if labels - tables[name]
        }
        assert wrong == {}, expr
        assert joined - MADE <= set().union(*(tables[name] for name in asked)), expr


def test_what_people_read_asks_for_labels_that_are_there(made: dict[str, list[Values]]) -> None:
    tables = known()
    for rule in (rule for objects in made.values() for rule in rules_of(objects)):
        asked, _ = read(rule["expr"])
        there = set().union(*(tables[name] for name in asked))
        said = " ".join(rule["annotations"].values())
        assert set(re.findall(r"\$labels\.(\w+)", said)) <= there, rule["alert"]


def test_every_exporter_says_where_its_series_were_read() -> None:
    for each in exporters():
        assert each.series
        for one in each.series:
            assert one.source, one.name
            assert one.counts[0].islower() and not one.counts.endswith("."), one.name


def test_every_series_of_the_tables_is_asked_for(made: dict[str, list[Values]]) -> None:
    """What nobody asks for would be kept up to date for nothing."""
    asked = {
        name for objects in made.values() for expr in expressions(objects) for name in read(expr)[0]
    }
    told = {one.name for each in exporters() for one in each.series}
    assert told - asked == set()


def labels_of(made: list[Values], kind: str) -> Any:
    return next(one["metadata"]["labels"] for one in made if one["kind"] == kind)


def test_rules_and_monitors_are_found_by_the_profiles_labels(made: dict[str, list[Values]]) -> None:
    for kind in ("PodMonitor", "PrometheusRule"):
        assert labels_of(made["chat"], kind)["release"] == "prometheus"
    assert labels_of(made["chat"], "ConfigMap")["grafana_dashboard"] == "1"
    assert labels_of(made["cluster"], "PrometheusRule")["release"] == "prometheus"
