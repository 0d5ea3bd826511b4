"""Measure what `make bench` prints: each row of the speed budgets as a ratio to a named peer.

A job and its peer run in turn, in this one run, on this machine; medians are compared. No absolute
time is a result: machines are shared. Nothing here fails when a budget is missed; the table says so.
"""

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import sysconfig
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import fitting, growths, linting, size, specs
from benchmarks.measure import Job, compare, environment, peak, seconds

ROOT = Path(__file__).parent.parent
SCRATCH = ROOT / "build" / "bench"
REPORT = ROOT / "build" / "bench.json"
CHART = ROOT / "benchmarks" / "chart"

SPEC = ROOT / "examples" / "chat.yaml"
PROFILE = ROOT / "examples" / "clusters" / "bare-metal.yaml"
SPECS = 1000
RELEASES = 20  # runs of Helm that are timed for SPECS of them

SHORT, LONG, FEW = 21, 5, 3  # rounds of a row: more where a command takes milliseconds


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    peer: str
    budget: float | None
    stretch: float | None
    measured: float
    unit: str = "x"
    seconds: tuple[float, ...] = ()
    peer_seconds: tuple[float, ...] = ()
    megabytes: tuple[float, float] | None = None

    @property
    def verdict(self) -> str:
        if self.stretch is not None and self.measured <= self.stretch:
            return "stretch met"
        if self.budget is None:
            return "no budget"
        return "within budget" if self.measured <= self.budget else "OVER BUDGET"


def main(corpus: Path | None = None) -> None:
    """Measure everything; `corpus`: a folder of real manifests, to lint them too."""
    helm = tool("helm")
    shutil.rmtree(SCRATCH, ignore_errors=True)
    many = specs.write(SCRATCH / "specs", SPECS)
    tenth = specs.write(SCRATCH / "specs-tenth", SPECS // 10)
    values = [write(f"values-{i}.yaml", specs.values(range(i, i + 1))) for i in range(RELEASES)]
    all_values = write("values-all.yaml", specs.values(range(SPECS)))

    gpuspec: Path = Path(sysconfig.get_path("scripts")) / "gpuspec"
    python = Job("python -c pass", [[sys.executable, "-c", "pass"]])
    version = Job("gpuspec --version", [[gpuspec, "--version"]])
    one = Job("gpuspec render", [[gpuspec, "render", SPEC, "-c", PROFILE]], objects=4)
    chart = Job("helm template", [[helm, "template", "chat", CHART]], objects=4)
    thousand = Job(f"{SPECS} specs", [[gpuspec, "render", many]], objects=SPECS)
    hundred = Job(f"{SPECS // 10} specs", [[gpuspec, "render", tenth]], objects=SPECS // 10)
    releases = Job(
        f"{SPECS} x helm template",
        [[helm, "template", f"release-{i}", CHART, "-f", v] for i, v in enumerate(values)],
        scale=SPECS / RELEASES,
        objects=4 * RELEASES,
    )
    one_chart = Job(
        "one chart",
        [[helm, "template", "all", CHART, "-f", all_values]],
        objects=4 * SPECS,
    )

    rows: list[Row] = []

    def measure(
        what: str, ours: Job, peer: Job, budget: float | None, stretch: float | None, rounds: int
    ) -> None:
        print(f"measuring: {what} against {peer.name}", file=sys.stderr, flush=True)
        result = compare(ours, peer, rounds, environment(SCRATCH))
        rows.append(
            Row(
                what,
                peer.name,
                budget,
                stretch,
                result.ratio,
                "x",
                tuple(result.ours),
                tuple(result.peer),
            )
        )

    measure("--version, cold", version, python, 7, 2, SHORT)
    measure("render of one spec, cold", one, python, 15, 11, SHORT)
    measure("render of one spec, cold", one, chart, 3, 2, SHORT)
    measure(f"render of {SPECS} specs", thousand, releases, 0.1, 0.02, LONG)
    measure(f"render of {SPECS} specs", thousand, one_chart, None, None, LONG)
    measure(f"render of {SPECS} specs", thousand, hundred, 11, 11, LONG)
    lints = linting.contests(SCRATCH, gpuspec, helm.parent, corpus)
    for each in (*lints, *growths.contests(SCRATCH, gpuspec)):
        rounds = SHORT if each.cold else LONG
        measure(each.what, each.ours, each.peer, each.budget, each.stretch, rounds)
    print("measuring: memory while linting", file=sys.stderr, flush=True)
    ours, peer = linting.memory(SCRATCH, gpuspec, helm.parent)
    used = [peak(job, environment(SCRATCH)) for job in (ours, peer)]
    rows.append(
        Row(
            f"memory, lint of {linting.DOCUMENTS}",
            peer.name,
            1,
            1,
            used[0] / used[1],
            megabytes=(used[0], used[1]),
        )
    )
    for case in fitting.cases(SCRATCH, gpuspec):
        if case.tenth is not None:
            measure(case.what, case.job, case.tenth, fitting.LINEAR, fitting.LINEAR, FEW)
            continue
        print(f"measuring: {case.what}", file=sys.stderr, flush=True)
        took = statistics.median(seconds(case.job, environment(SCRATCH)) for _ in range(FEW))
        rows.append(Row(case.what, "", fitting.BUDGET, fitting.STRETCH, took, "s"))
        most = peak(case.job, environment(SCRATCH))
        rows.append(Row(f"memory, {case.what}", "", fitting.MEMORY, fitting.MEMORY, most, "MB"))
    installed = size.megabytes(size.dependencies("gpuspec"))
    rows.append(Row("runtime dependencies, installed", "", 60, 45, installed, "MB"))

    report(rows, helm)


def tool(name: str) -> Path:
    folder = os.environ.get("GPUSPEC_TOOLS") or Path.home() / ".cache" / "gpuspec" / "tools"
    program = Path(folder) / "bin" / name
    if not program.exists():
        raise SystemExit(f"{name} is not installed; to install it: make tools")
    return program


def write(name: str, text: str) -> Path:
    file = SCRATCH / name
    file.write_text(text)
    return file


def report(rows: list[Row], helm: Path) -> None:
    """Print the table, and write the figures behind it."""
    command: list[str | Path] = [helm, "version", "--template", "{{.Version}}"]
    machine = {
        "python": platform.python_version(),
        "helm": subprocess.run(command, capture_output=True, text=True, check=True).stdout,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
    }
    figures = [asdict(row) | {"verdict": row.verdict} for row in rows]
    REPORT.write_text(json.dumps({"machine": machine, "rows": figures}, indent=2) + "\n")
    lines = [("what", "peer", "budget", "stretch", "measured", "", "ours", "peer's")]
    lines += [
        (
            row.what,
            row.peer,
            figure(row.budget, row.unit),
            figure(row.stretch, row.unit),
            figure(row.measured, row.unit),
            row.verdict,
            shown(row, 0),
            shown(row, 1),
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print()
    for line in lines:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
    print(
        f"\nPython {machine['python']}, Helm {machine['helm']}, {machine['cores']} cores. "
        f"Medians of {SHORT} or, from {SPECS // 10} specs on, {LONG} rounds, run in turn.\n"
        f"{SPECS} runs of Helm: {RELEASES} are timed and scaled. Figures: {REPORT.relative_to(ROOT)}"
    )


def figure(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:.3g} {unit}"


def shown(row: Row, side: int) -> str:
    """What was measured of one side: a median of times, or memory."""
    if row.megabytes is not None:
        return f"{row.megabytes[side]:.0f} MB"
    return median((row.seconds, row.peer_seconds)[side])


def median(samples: tuple[float, ...]) -> str:
    return f"{statistics.median(samples) * 1000:.0f} ms" if samples else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
