"""Write the page of what autoscalers and alerts can measure: `python docs/make_signals.py`."""

from collections.abc import Iterator
from pathlib import Path

from gpuspec import runtimes
from gpuspec.runtimes import Runtime, ServerMetrics, gateways
from gpuspec.runtimes.exporters import exporters
from gpuspec.runtimes.gateways import Series

PAGE = Path(__file__).parent / "signals.md"

HEAD = """# What is measured

<!-- Made by docs/make_signals.py from gpuspec/runtimes. Do not edit. -->

This page lists the series that [scaling](scaling.md) and [alerts](observing.md) use, from servers, pickers, gateways and
exporters. Names are those of the scraped series. An adapter often replaces a colon with an underscore; write other names
into a profile's `metrics.names`. The source of each series is in `gpuspec/runtimes/data/<runtime>.yaml` or in
`gpuspec/runtimes/gateways/data/series.yaml`.

## Servers

The series for `signal: queue`, `running` and `cache`. *Target*: the default of `target`: the autoscaler adds a
replica if more requests than this wait for each replica. *Option*: the option that a server needs to emit metrics; gpuspec
sets it.
"""

LATENCIES = """## Latencies

The series for `objectives` of a spec: histograms in seconds, for each request and between two tokens of an answer.
"""

EXPORTERS = """## Exporters

The series that [alerts and dashboards](observing.md) query. *Opt-in*: the exporter emits the series only if it is
configured to. The sources are in `gpuspec/runtimes/exporters/data/`.
"""

PICKERS = """## Pickers and gateways

The series for `replicas.metric` with `metricFrom`. *Wakes*: the series counts requests while the server has no replica, so
it can be used with `min: 0`. A *counter* only grows: a query must use its rate. *Appears*: the series does not exist
before the first request, and a query of your own must add `… or vector(0)`.
"""


def text() -> str:
    """The page."""
    known = [runtimes.get(name) for name in runtimes.names() if name != runtimes.CUSTOM]
    lines = [
        HEAD,
        "| runtime | checked | waiting | running | cache, 0 to 1 | where | target | option |",
        "|---|---|---|---|---|---|---|---|",
        *(_server(one, one.metrics) for one in known if one.metrics),
        *_silent(known),
        "",
        LATENCIES,
        "| runtime | until the first token | between two tokens |",
        "|---|---|---|",
        *(_latencies(one, one.metrics) for one in known if one.metrics and one.metrics.per_token),
        "",
        PICKERS,
        "| series | from | counts | labels | | wakes |",
        "|---|---|---|---|---|---|",
        *(_series(one) for one in gateways.series()),
        "",
        EXPORTERS,
        "| series | from | checked | counts | labels | |",
        "|---|---|---|---|---|---|",
        *_exported(),
        "",
        "## Notes",
        "",
        *(f"- {one.title}: {_line(one.metrics.why)}" for one in known if _why(one.metrics)),
        *(f"- {one.title}: {note}" for one in known if not one.metrics for note in _of(one)),
        *(f"- `{one.name}`: {_line(one.why)}" for one in gateways.series()),
        *(
            f"- `{one.name}`: {_line(one.why)}"
            for each in exporters()
            for one in each.series
            if one.why
        ),
    ]
    return "\n".join(lines) + "\n"


def _server(one: Runtime, metrics: ServerMetrics) -> str:
    former = metrics.former
    names = [_name(getattr(metrics, each)) for each in ("queue", "running", "cache")]
    if former is not None:
        old = [getattr(former, each) for each in ("queue", "running", "cache")]
        names = [
            f"{name}; before {former.until} {_name(was)}"
            for name, was in zip(names, old, strict=True)
        ]
    switch = one.settings.metrics
    told = " ".join(switch.arguments) if switch else ""
    cells = (
        *(f"`{one.name}`", one.checked, *names),
        *(f"`{metrics.path}` of `{metrics.port}`", str(metrics.target), _name(told or None)),
    )
    return f"| {' | '.join(cells)} |"


def _latencies(one: Runtime, metrics: ServerMetrics) -> str:
    former = metrics.former
    cells = []
    for which in ("first_token", "per_token"):
        now, was = getattr(metrics, which), getattr(former, which, None)
        cells.append(
            _name(now) + (f"; before {former.until} {_name(was)}" if former and was else "")
        )
    return f"| `{one.name}` | {' | '.join(cells)} |"


def _exported() -> Iterator[str]:
    """What each exporter has, beside labels that all of its series have."""
    for each in exporters():
        for one in each.series:
            labels = ", ".join(f"`{label}`" for label in one.labels)
            form = [
                *(["counter"] if one.type == "counter" else []),
                *(["opt-in"] if one.asked else []),
            ]
            cells = (f"`{one.name}`", each.title, each.checked, one.counts, labels, ", ".join(form))
            yield f"| {' | '.join(cells)} |"


def _silent(known: list[Runtime]) -> Iterator[str]:
    for one in known:
        if one.metrics is None:
            yield f"| `{one.name}` | {one.checked} | – | – | – | – | – | – |"


def _series(one: Series) -> str:
    form = [*(["counter"] if one.counter else []), *(["appears"] if one.appears else [])]
    labels = ", ".join(f"`{label}`" for label in one.labels)
    cells = (f"`{one.name}`", one.title, one.counts, labels, ", ".join(form), _yes(one.wakes))
    return f"| {' | '.join(cells)} |"


def _of(one: Runtime) -> list[str]:
    return [note for note in one.notes if "metrics" in note]


def _why(metrics: ServerMetrics | None) -> bool:
    return metrics is not None and bool(metrics.why)


def _name(name: str | None) -> str:
    return f"`{name}`" if name else "–"


def _yes(told: bool | None) -> str:
    return {True: "yes", False: "no", None: "by its labels"}[told]


def _line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
