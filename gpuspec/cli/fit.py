"""`gpuspec fit` and `gpuspec fleet …`."""

from typing import Annotated, Literal

import typer

from gpuspec.cli.group import GpuspecCommand, GpuspecGroup
from gpuspec.cli.options import FleetCluster, FleetClusters, OneCluster, Policy

Formats = Annotated[
    Literal["text", "json", "markdown", "html", "svg"],
    typer.Option("--format", help="Format of the output."),
]
Output = Annotated[
    str | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file.")
]
Live = Annotated[
    str | None,
    typer.Option(
        "--live",
        metavar="NODES",
        help="The live fleet: the output of kubectl get nodes,pods -A -o json; - for "
        "standard input. Default of kubectl gpuspec without -c: the current context's.",
    ),
]
Mix = Annotated[
    list[str] | None,
    typer.Option(
        "--mix",
        metavar="MIX",
        help="Other workloads of the fleet: specs, manifests, or a CSV of shapes (name, "
        "count, gpus, cpu, memory, resource, model). Repeatable.",
    ),
]


def fit(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help="Specs and manifests: files, folders of them, or - for standard input.",
        ),
    ],
    cluster: FleetClusters = None,
    live: Live = None,
    mix: Mix = None,
    policy: Annotated[
        Policy | None,
        typer.Option(
            "--policy",
            help="How nodes are scored. Default: the profile's scoring. best-fit and fgd are "
            "for comparison.",
        ),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            min=1,
            max=100,
            metavar="N",
            help="Number of runs: the scheduler breaks ties at random.",
        ),
    ] = 5,
    format: Formats = "text",
    output: Output = None,
) -> None:
    """Check whether workloads can be placed, and what they cost.

    Applies the filters of kube-scheduler, and explains its message for a workload that is not placed. Places gangs as a whole, within the profile's queues and quotas. Exits 1 if a workload is not placed.

    \b
    Examples:
      gpuspec fit specs/ -c clusters/eu.yaml
      gpuspec fit specs/ -c clusters/ --format html -o 'fit-{profile}.html'
      kubectl get nodes,pods -A -o json | gpuspec fit chat.yaml --live -
      helm template chart | gpuspec fit - -c clusters/eu.yaml --format html -o fit.html
    """
    from gpuspec.cli.fitting import fit_paths

    fit_paths(paths, cluster, live, mix, policy, seeds, format, output)


fleet = typer.Typer(
    name="fleet",
    cls=GpuspecGroup,
    help="Report on the nodes of a cluster, and on its drift.",
    options_metavar="",
    subcommand_metavar="COMMAND ...",
    rich_markup_mode=None,
)


@fleet.callback()
def _group() -> None:
    pass


@fleet.command("report", cls=GpuspecCommand)
def report(
    cluster: FleetCluster = None,
    live: Live = None,
    mix: Mix = None,
    format: Formats = "text",
    output: Output = None,
) -> None:
    """Report on a fleet: idle GPUs, the workloads that can use them, and stranded GPUs.

    Shows fragmentation by class of the mix, the largest free block, and stranded GPUs with the resource that their nodes have used up.

    \b
    Examples:
      gpuspec fleet report -c clusters/eu.yaml --mix specs/
      kubectl get nodes,pods -A -o json | gpuspec fleet report --live - --mix shapes.csv
    """
    from gpuspec.cli.fitting import report_fleet

    report_fleet(cluster, live, mix, format, output)


@fleet.command("drift", cls=GpuspecCommand)
def drift(
    live: Annotated[
        str | None,
        typer.Option(
            "--live",
            metavar="DUMP",
            help="The live cluster: the output of kubectl get nodes,pods,… -A -o json; - for "
            "standard input. Default of kubectl gpuspec: the current context's.",
        ),
    ] = None,
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH...]",
            help="Specs and manifests that should run there: files, folders of them, or - for "
            "standard input. Default: none, only the profile.",
            show_default=False,
        ),
    ] = None,
    cluster: OneCluster = None,
    format: Annotated[
        Literal["text", "json", "markdown"],
        typer.Option("--format", help="Format of the output."),
    ] = "text",
    output: Output = None,
) -> None:
    """Report where a cluster differs from a profile and specs.

    Compares pools with nodes, and the platform's and rendered objects with live ones, and lists GPU workloads that no spec renders. Values that the API server and controllers fill in are no drift. Kinds that the dump lacks are not compared. Exits 1 if something differs, 3 if there is nothing to compare.

    \b
    Examples:
      kubectl get nodes -o json | gpuspec fleet drift -c eu.yaml --live -
      gpuspec fleet drift specs/ -c eu.yaml --live dump.json --format markdown
    """
    from gpuspec.cli.drifting import drift_of

    drift_of(paths or [], cluster, live, format, output)
