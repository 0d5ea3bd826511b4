"""`gpuspec cluster …`: what the team that owns the nodes does with a profile."""

import sys
from typing import Annotated, Literal

import typer

from gpuspec.cli.group import GpuspecCommand, GpuspecGroup
from gpuspec.cli.options import Format
from gpuspec.cli.program import current_cluster
from gpuspec.cli.progress import progress
from gpuspec.cli.terminal import color, data, talk, width

cluster = typer.Typer(
    name="cluster",
    cls=GpuspecGroup,
    help="Profiles of clusters: made from live nodes, checked, rendered.",
    options_metavar="",
    subcommand_metavar="COMMAND ...",
    rich_markup_mode=None,
)


@cluster.callback()
def _group() -> None:
    pass


@cluster.command("discover", cls=GpuspecCommand)
def discover(
    nodes: Annotated[
        str | None,
        typer.Argument(
            metavar="NODES",
            help="The output of kubectl, as JSON or YAML; - for standard input. Default of "
            "kubectl gpuspec: the current context's.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Name of the profile.")
    ] = "cluster",
) -> None:
    """Make a profile from live nodes.

    Pools, labels, taints, sharing and fabric are read off the nodes. With the pods too, what DaemonSets reserve of each node is measured.

    \b
    Examples:
      kubectl get nodes -o json | gpuspec cluster discover - --name eu > clusters/eu.yaml
      kubectl get nodes,pods -A -o json | gpuspec cluster discover - > eu.yaml
    """
    from gpuspec import InputError, Problem
    from gpuspec import discover as profile_of

    given = nodes or current_cluster("nodes,pods", instead="cluster discover FILE")
    if given is None:
        hint = "kubectl get nodes,pods -A -o json | gpuspec cluster discover -"
        raise InputError([Problem("NODES is missing: the output of kubectl get nodes", hint=hint)])
    progress("reading the nodes")
    discovery = profile_of(given, name=name)
    data(discovery.text)
    if discovery.notes:
        from gpuspec.report.problems import remarks_text

        talk(remarks_text(discovery.notes, width=width(sys.stderr), color=color(sys.stderr)))


@cluster.command("check", cls=GpuspecCommand)
def check(
    profiles: Annotated[
        list[str],
        typer.Argument(
            metavar="PROFILE...",
            help="Profiles' files, folders of them, built-in names, or - for standard input.",
        ),
    ],
    format: Annotated[
        Literal["text", "json"], typer.Option("--format", help="Format of the output.")
    ] = "text",
) -> None:
    """Check a profile: contradictions, and what its pools cannot carry.

    Each finding says where it stands, why it matters and what to write. Exits 1 where one is an error: two parts that cannot both be true, or something that cannot work. Notes alone exit 0.

    \b
    Examples:
      gpuspec cluster check clusters/eu.yaml
      gpuspec cluster check clusters/ --format json | jq '.[].check'
    """
    from gpuspec.cli.check import check_profiles

    check_profiles(profiles, format)


@cluster.command("render", cls=GpuspecCommand)
def render(
    profile: Annotated[
        str,
        typer.Argument(
            metavar="PROFILE", help="A profile's file, a built-in name, or - for standard input."
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Write a folder, one file per object. {profile} stands for the profile's name.",
        ),
    ] = None,
    format: Format = "yaml",
    validation: Annotated[
        bool,
        typer.Option(
            "--validation", help="Write instead the Jobs that validate the nodes of each pool."
        ),
    ] = False,
    values: Annotated[
        bool,
        typer.Option(
            "--values", help="Write instead the values for the chart of NVIDIA's GPU Operator."
        ),
    ] = False,
) -> None:
    """Render the platform's own objects that agree with a profile.

    Namespaces and their limits, PriorityClasses, Kueue's flavors, queues and topology, device configuration, drivers. What no object can say, such as labels that nodes need, is said in notes. Exits 1 where cluster check finds an error, and writes nothing.

    \b
    Examples:
      gpuspec cluster render clusters/eu.yaml
      gpuspec cluster render clusters/eu.yaml -o platform/
      gpuspec cluster render clusters/eu.yaml --values > gpu-operator.yaml
      gpuspec cluster render clusters/eu.yaml --validation | kubectl apply -f -
    """
    from gpuspec.cli.platform import render_platform, render_validation, render_values

    if values:
        render_values(profile, output, format, validation=validation)
    elif validation:
        render_validation(profile, output, format)
    else:
        render_platform(profile, output, format)
