"""`gpuspec cluster …`: what the team that owns the nodes does with a profile."""

from typing import Annotated

import typer

from gpuspec.cli.group import Command, Group
from gpuspec.cli.terminal import data, talk

cluster = typer.Typer(
    name="cluster",
    cls=Group,
    help="Profiles of clusters: made from live nodes.",
    options_metavar="",
    subcommand_metavar="COMMAND ...",
    rich_markup_mode=None,
)


@cluster.callback()
def _group() -> None:
    pass


@cluster.command("discover", cls=Command)
def discover(
    nodes: Annotated[
        str,
        typer.Argument(
            metavar="NODES", help="What kubectl printed, as JSON or YAML; - for standard input."
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Name of the profile.")
    ] = "cluster",
) -> None:
    """Make a profile from live nodes.

    Pools, labels, taints, sharing and fabric are read off the nodes. With the pods too, what DaemonSets reserve of each node is measured.

    \b
    Examples:
      kubectl get nodes -o json | gpuspec cluster discover - > clusters/eu.yaml
      kubectl get nodes,pods -A -o json | gpuspec cluster discover - --name eu
    """
    from gpuspec import discover as profile_of

    found = profile_of(nodes, name=name)
    data(found.text)
    for note in found.notes:
        talk(f"note: {note}\n")
