"""`gpuspec helm …`: the command of the post-renderer for Helm."""

from typing import Annotated, Literal

import typer

from gpuspec.cli import postrendering
from gpuspec.cli.completing import complete_profile
from gpuspec.cli.group import GpuspecCommand, GpuspecGroup
from gpuspec.cli.linting import Severity

helm = typer.Typer(
    name="helm",
    cls=GpuspecGroup,
    help="The post-renderer for Helm.",
    options_metavar="",
    subcommand_metavar="COMMAND ...",
    rich_markup_mode=None,
)


@helm.callback()
def _group() -> None:
    pass


@helm.command("postrender", cls=GpuspecCommand)
def postrender(
    cluster: Annotated[
        str | None,
        typer.Option(
            "-c",
            "--cluster",
            metavar="PROFILE",
            envvar="GPUSPEC_PROFILE",
            help="Cluster profile: a file, or a built-in name. Default: the configuration's, else none.",
            autocompletion=complete_profile,
        ),
    ] = None,
    severity: Annotated[
        Severity | None,
        typer.Option(
            "--severity",
            envvar="GPUSPEC_SEVERITY",
            help="Hide findings below this severity. Default: info; infos are only counted.",
        ),
    ] = None,
    fail_on: Annotated[
        Severity,
        typer.Option(
            "--fail-on", envvar="GPUSPEC_FAIL_ON", help="Fail the release from this severity up."
        ),
    ] = "error",
    fix: Annotated[
        Literal["none", "safe", "all"],
        typer.Option(
            "--fix",
            envvar="GPUSPEC_FIX",
            help="Fixes to apply to the release: none, safe, or all, including those that "
            "change what runs.",
        ),
    ] = "none",
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            envvar="GPUSPEC_REPORT",
            help="Append the findings to a file instead of standard error, which Helm 4 drops.",
        ),
    ] = None,
) -> None:
    """Lint the manifests of a release, and print them.

    \b
    Examples:
      helm template chat ./chart --post-renderer gpuspec-postrender
      helm get manifest chat | gpuspec helm postrender --fail-on warning
    """
    postrendering.postrender(cluster, severity, fail_on, fix, report)
