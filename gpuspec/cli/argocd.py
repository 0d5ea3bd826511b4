"""`gpuspec argocd …`: the commands of Argo CD's plugin, which reads its request from the environment."""

from typing import Annotated

import typer

from gpuspec.cli import generating
from gpuspec.cli.group import GpuspecCommand, GpuspecGroup

argocd = typer.Typer(
    name="argocd",
    cls=GpuspecGroup,
    help="The commands of the plugin for Argo CD.",
    options_metavar="",
    subcommand_metavar="COMMAND ...",
    rich_markup_mode=None,
)


@argocd.callback()
def _group() -> None:
    pass


@argocd.command("generate", cls=GpuspecCommand)
def generate(
    specs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SPEC...]",
            help="Spec files, folders of them, or - for standard input. Default: the parameter "
            "`specs`, else the Application's folder.",
        ),
    ] = None,
) -> None:
    """Print the manifests of an Application's specs, and nothing else.

    \b
    Examples:
      gpuspec argocd generate
      kustomize build . | gpuspec argocd generate -
    """
    generating.generate(specs or [])


@argocd.command("discover", cls=GpuspecCommand)
def discover() -> None:
    """Print a file that holds a spec, or nothing if no file does.

    \b
    Examples:
      gpuspec argocd discover
    """
    generating.discover()


@argocd.command("parameters", cls=GpuspecCommand)
def parameters() -> None:
    """Print the parameters that an Application may set, as JSON.

    \b
    Examples:
      gpuspec argocd parameters
    """
    generating.parameters()
