"""Help: on stdout when asked for, at most 80 columns, with an example for each command."""

import pytest

from tests.cli.conftest import Program, Terminal

COMMANDS = ("init", "render", "explain", "lint", "table", "rule", "schema")


def test_help_shows_how_to_begin_and_what_exit_codes_mean(gpuspec: Program) -> None:
    done = gpuspec("--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        """\
Usage: gpuspec COMMAND ...

  Typed GPU workload specs become Kubernetes manifests that start.

  Start here:
    gpuspec init inference > chat.yaml  a commented spec to edit
"""
    )
    assert done.out.endswith(
        """\
Commands:
  init     Print a commented spec to start from.
  render   Render specs as Kubernetes manifests.
  explain  Explain each value: its reason and its origin.
  lint     Find faults that keep pods pending, end them or stall a rollout.
  fit      Check whether workloads can be placed, and what they cost.
  diff     Show what a change does to running pods: GPUs, restarts, refusals.
  table    Add up the requests of workloads: GPUs, CPU, memory, replicas.
  rule     Print a rule's page: the fault, the reason, and examples.
  rules    List the linter's rules.
  schema   Print the JSON Schema of a kind, or add schemas of custom kinds.
  cluster  Make, check and render cluster profiles.
  fleet    Report on the nodes of a cluster, and on its drift.
  argocd   The commands of the plugin for Argo CD.
  helm     The post-renderer for Helm.

  Exit codes:
    0    done
    1    a failed check: a refused spec, findings, unplaced pods, differences
    2    wrong usage or input, or an output that cannot be written
    3    nothing to work on: no spec, no manifest
    4    a fault of gpuspec
    130  interrupted (Ctrl-C)
"""
    )


def test_without_arguments_help_is_talk_and_usage_is_wrong(gpuspec: Program) -> None:
    done = gpuspec()
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Usage: gpuspec COMMAND ...\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_commands_help_has_examples_on_lines_of_their_own(gpuspec: Program, command: str) -> None:
    done = gpuspec(command, "-h")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    begin = lines.index("  Examples:") + 1
    examples = lines[begin : lines.index("", begin)]
    assert all(line.startswith("    ") and f"gpuspec {command} " in line for line in examples)
    assert max(map(len, lines)) <= 80


def test_render_is_used_with_options_and_specs(gpuspec: Program) -> None:
    usage = gpuspec("render", "--help").out.partition("\n")[0]
    assert usage == "Usage: gpuspec render [OPTIONS] SPEC..."


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(gpuspec: Program, option: str) -> None:
    from gpuspec import __version__

    done = gpuspec(option)
    assert (done.code, done.out, done.err) == (0, f"gpuspec {__version__}\n", "")


def test_help_is_a_word_too(gpuspec: Program) -> None:
    assert gpuspec("help") == gpuspec("--help")
    assert gpuspec("help", "lint") == gpuspec("lint", "--help")
    assert gpuspec("help", "cluster") == gpuspec("cluster", "--help")
    assert gpuspec("cluster", "help", "render") == gpuspec("cluster", "render", "--help")
    done = gpuspec("help", "lnt")
    assert (done.code, done.err) == (
        2,
        "error: no command `lnt`\n  did you mean `gpuspec lint`?\n",
    )


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize(
    "command",
    [(), *((name,) for name in (*COMMANDS, "fit", "diff", "rules", "cluster", "fleet")),
     ("cluster", "check"), ("cluster", "discover"), ("cluster", "render"), ("fleet", "report")],
    ids=" ".join,
)  # fmt: skip
def test_help_fits_a_narrow_terminal(
    terminal: Terminal, command: tuple[str, ...], columns: int
) -> None:
    """Nothing in it is cut off, and a command that goes on in the next line can be copied."""
    shown = terminal(*command, "--help", columns=columns)
    assert [line for line in shown.splitlines() if len(line) > columns] == []
    assert "..." not in shown.split("Options:")[-1]
