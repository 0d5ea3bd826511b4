"""`gpuspec cluster …`: the commands for the team that owns the nodes."""

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
    help="Make, check and render cluster profiles.",
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

    The nodes give pools, labels, taints, sharing and fabric. The pods, if the input has them, give the resources that DaemonSets reserve on each node.

    \b
    Examples:
      kubectl get nodes -o json | gpuspec cluster discover - --name eu > clusters/eu.yaml
      kubectl get nodes,pods -A -o json | gpuspec cluster discover - > eu.yaml
    """
    from gpuspec import InputError, Problem
    from gpuspec import discover as profile_of

    node_source = nodes or current_cluster("nodes,pods", instead="cluster discover FILE")
    if node_source is None:
        hint = "kubectl get nodes,pods -A -o json | gpuspec cluster discover -"
        raise InputError([Problem("NODES is missing: the output of kubectl get nodes", hint=hint)])
    progress("reading the nodes")
    discovery = profile_of(node_source, name=name)
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
    """Check a profile for contradictions, and for what its pools cannot run.

    Each finding names its line, why it matters and what to write. Exits 1 if a finding is an error: a contradiction, or a setup that cannot work. Exits 0 if there are only notes.

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
            "--validation", help="Write the Jobs that validate the nodes of each pool instead."
        ),
    ] = False,
    values: Annotated[
        bool,
        typer.Option(
            "--values", help="Write the values for the chart of NVIDIA's GPU Operator instead."
        ),
    ] = False,
) -> None:
    """Render the platform's objects from a profile.

    Namespaces and their limits, PriorityClasses, Kueue's flavors, queues and topology, device configuration, drivers. Notes state what no object can express, such as labels that nodes need. Exits 1 and writes nothing if cluster check finds an error.

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
