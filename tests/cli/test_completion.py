"""Shell completion, through the protocol that each shell's script speaks."""

from pathlib import Path

import pytest

from gpuspec import profile_names
from tests.cli.conftest import Program

KINDS = ["inference", "training", "fine-tune", "batch-inference", "cluster-profile"]


def bash(gpuspec: Program, words: str) -> list[str]:
    """What bash is told for the last of these words; a space at the end begins a new one."""
    protocol = {
        "_GPUSPEC_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(words.split(" ")),
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    done = gpuspec(env=protocol)
    assert (done.code, done.err) == (0, "")
    return done.out.split()


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("gpuspec re", ["render"]),
        ("gpuspec init ", [*KINDS, "smoke-test"]),
        ("gpuspec schema f", ["fine-tune"]),
        ("gpuspec render train.yaml --format ", ["yaml", "json"]),
        (
            "gpuspec render train.yaml -c ",
            [*profile_names(), "big.yaml", "clusters/", "train.yaml"],
        ),
        # Files alone are completed by the shell itself, which walks into folders.
        ("gpuspec render train.yaml -c cl", []),
        ("gpuspec render ", []),
        ("gpuspec rule GPU10", [f"GPU10{number}" for number in range(1, 10)]),
        ("gpuspec rule request-d", ["request-differs-from-limit"]),
        ("gpuspec lint --select no-tol", ["no-toleration"]),
        ("gpuspec lint --ignore GPU201", ["GPU201"]),
        ("gpuspec render train.yaml --target job", ["job", "jobset"]),
        ("gpuspec render train.yaml --set ", ["train:"]),
        ("gpuspec render nosuch.yaml --set ", []),
        ("gpuspec render --set ", []),
    ],
)
def test_bash(gpuspec: Program, words: str, completed: list[str]) -> None:
    assert bash(gpuspec, words) == completed


def test_zsh(gpuspec: Program) -> None:
    protocol = {"_GPUSPEC_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "gpuspec re"}
    done = gpuspec(env=protocol)
    assert '"render":"Render specs as Kubernetes manifests."' in done.out
    assert done.out.count('":"') == 1


def test_fish(gpuspec: Program) -> None:
    protocol = {"_GPUSPEC_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": "gpuspec re"}
    done = gpuspec(env={**protocol, "_TYPER_COMPLETE_FISH_ACTION": "get-args"})
    assert done.out == "render\tRender specs as Kubernetes manifests.\n"


def test_fish_is_told_to_complete_files(gpuspec: Program) -> None:
    protocol = {"_GPUSPEC_COMPLETE": "complete_fish", "_TYPER_COMPLETE_ARGS": "gpuspec render "}
    assert gpuspec(env={**protocol, "_TYPER_COMPLETE_FISH_ACTION": "is-args"}).code == 1


def test_installed_completion_works_in_a_new_bash(shell: Program, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    installed = shell("gpuspec --install-completion; exit $?", HOME=str(home))
    assert (installed.code, installed.err) == (0, "")
    done = shell(
        "source ~/.bashrc; complete -p gpuspec; COMP_WORDS=(gpuspec re); COMP_CWORD=1\n"
        '_gpuspec_completion gpuspec; echo "${COMPREPLY[@]}"',
        HOME=str(home),
    )
    assert (done.out.splitlines(), done.err) == (
        ["complete -o default -F _gpuspec_completion gpuspec", "render"],
        "",
    )
