"""What a walk leaves out: what Git ignores, as Git itself says, and what the configuration excludes."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec.loading.inputs import gather
from gpuspec.loading.left_out import Exclude, LeftOutFiles
from tests.lint.plain import POD
from tests.lint.texts import write

FOLDERS = ("", "a", "a/b", "c")
FILES = tuple(f"{folder}/{name}.yaml".lstrip("/") for folder in FOLDERS for name in ("x", "y"))
PATTERNS = st.sampled_from(
    (
        *("x.yaml", "/x.yaml", "*.yaml", "!x.yaml", "!/a/", "a", "a/", "/a/b", "b/x.yaml"),
        *("**/b", "a/**", "c/*", "!c/y.yaml", "# x.yaml", "\\!x", "!", "[z-a]", "", "y.yaml "),
    )
)


def git(folder: Path, *words: str) -> str:
    """What Git prints, without the settings of whoever runs the tests."""
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env=os.environ | alone,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(FOLDERS), st.lists(PATTERNS, max_size=4), max_size=3))
def test_what_git_ignores_is_left_out(
    tmp_path_factory: pytest.TempPathFactory, patterns: dict[str, list[str]]
) -> None:
    root = tmp_path_factory.mktemp("repository")
    git(root, "init", "-q")
    for file in FILES:
        write(root / file, POD)
    for folder, lines in patterns.items():
        write(root / folder / ".gitignore", "".join(f"{line}\n" for line in lines))
    listed = git(root, "ls-files", "--others", "--exclude-standard", "*.yaml").splitlines()
    read = {os.path.relpath(file, root) for file in gather([str(root)], LeftOutFiles()).named}
    assert read == set(listed)


def test_patterns_above_hold_below_as_far_as_the_repository_reaches(here: Path) -> None:
    for file in ("out.yaml", "repo/k8s/a.yaml", "repo/k8s/out.yaml"):
        write(here / file, POD)
    write(here / ".gitignore", "a.yaml\n")
    assert gather(["repo/k8s"], LeftOutFiles()).named == ("repo/k8s/out.yaml",)
    git(here / "repo", "init", "-q")
    assert gather(["repo/k8s"], LeftOutFiles()).named == ("repo/k8s/a.yaml", "repo/k8s/out.yaml")
    write(here / "repo/.gitignore", "out.yaml\n")
    assert gather(["repo/k8s"], LeftOutFiles()).named == ("repo/k8s/a.yaml",)
    write(here / "repo/.git/info/exclude", "a.yaml\n")
    assert gather(["repo/k8s"], LeftOutFiles()).named == ()


@pytest.mark.parametrize("name", ["k8s", "k8s/", "k8s//", "./k8s/", ".", "./"])
def test_a_folder_is_the_same_however_its_name_is_written(here: Path, name: str) -> None:
    for file in ("k8s/a.yaml", "k8s/deep/b.yaml", "k8s/deep/out.yaml"):
        write(here / file, POD)
    write(here / "k8s/.gitignore", "/deep/out.yaml\n")
    read = gather([name], LeftOutFiles(Exclude(("k8s/a.yaml",), str(here)))).named
    assert [os.path.normpath(file) for file in read] == ["k8s/deep/b.yaml"]


def test_what_is_named_is_read_and_the_rest_is_counted(here: Path) -> None:
    git(here, "init", "-q")
    write(here / ".gitignore", "made/\n*.out.yaml\n")
    for file in ("a.yaml", "made/b.yaml", "made/c.out.yaml", "d.out.yaml"):
        write(here / file, POD)
    assert [note.text for note in gpuspec.lint(".").notes] == [
        "skipped, because Git ignores it: 1 file and 1 folder; to read it, name it"
    ]
    assert gpuspec.lint(".", "d.out.yaml").files == 2
    # Named itself, a folder is walked by the patterns that are about what lies in it.
    assert gpuspec.lint("made").files == 1


def test_what_the_configuration_excludes_is_left_out(here: Path) -> None:
    write(here / ".gpuspec.yaml", "exclude: [legacy, 'k8s/*.gen.yaml']\n")
    for file in ("legacy/a.yaml", "k8s/legacy/b.yaml", "k8s/c.gen.yaml", "k8s/d.yaml"):
        write(here / file, POD)
    found = gpuspec.lint(".")
    assert found.files == 1
    said = "skipped by `exclude` of .gpuspec.yaml: 1 file and 2 folders"
    assert [note.text for note in found.notes] == [said]
    assert gpuspec.lint("legacy", "k8s/c.gen.yaml").files == 2
    assert gpuspec.lint("legacy", "k8s/c.gen.yaml", force_exclude=True).files == 0
    write(here / ".gpuspec.yaml", "exclude: [legacy]\nforce-exclude: true\n")
    assert gpuspec.lint("legacy/a.yaml", "k8s/d.yaml").files == 1


def test_sums_are_of_the_same_files(here: Path) -> None:
    write(here / ".gpuspec.yaml", "exclude: [old]\n")
    for file in ("a.yaml", "old/b.yaml"):
        write(here / file, POD)
    found = gpuspec.table(".")
    assert len(found.asks) == 1
    assert found.notes == ("skipped by `exclude` of .gpuspec.yaml: 1 folder",)


def test_what_else_reads_folders_leaves_nothing_out(here: Path) -> None:
    write(here / ".gpuspec.yaml", "exclude: [made]\n")
    write(here / ".gitignore", "made\n")
    git(here, "init", "-q")
    spec = gpuspec.starter("inference").replace("name: chat", "name: found", 1)
    write(here / "made/spec.yaml", spec)
    assert [one.name for one in gpuspec.load(".")] == ["found"]
