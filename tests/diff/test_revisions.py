"""Git revisions: read from git's objects, named as git names them, the work tree left alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuspec
from gpuspec import InputError
from tests.diff.conftest import Git
from tests.diff.sides import deployment

SPECS = Path(__file__).parents[2] / "examples"


def commit(git: Git, **files: str) -> None:
    """Write files (`k8s__a` is `k8s/a.yaml`) and commit all."""
    folder = Path(git("rev-parse", "--show-toplevel").strip())
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git("add", "-A")
    git("commit", "-q", "-m", "one")


def wrong(*sides: str) -> list[str]:
    """What is said of sides that cannot be compared."""
    with pytest.raises(InputError) as error:
        gpuspec.diff(*sides)
    return [str(one) for one in error.value.problems]


@pytest.fixture
def two(git: Git) -> Iterator[Git]:
    """Two commits of a folder, the second with another image."""
    commit(git, k8s__chat=deployment(), k8s__sub__other=deployment(name="other"))
    commit(git, k8s__chat=deployment().replace("chat:1", "chat:2"))
    before = git("status", "--porcelain")
    yield git
    assert git("status", "--porcelain") == before, "the work tree was touched"


@pytest.mark.parametrize(
    ("old", "new", "files"),
    [
        ("HEAD~1:k8s", "HEAD:k8s", ("HEAD~1:k8s/chat.yaml", "HEAD:k8s/chat.yaml")),
        ("HEAD~1:k8s/", "k8s", ("HEAD~1:k8s/chat.yaml", "k8s/chat.yaml")),
        ("HEAD~1:k8s/chat.yaml", "k8s/chat.yaml", ("HEAD~1:k8s/chat.yaml", "k8s/chat.yaml")),
        ("main~1:", ".", ("main~1:k8s/chat.yaml", "k8s/chat.yaml")),
        ("HEAD~1:./k8s", "./k8s", ("HEAD~1:./k8s/chat.yaml", "k8s/chat.yaml")),
    ],
)
def test_a_revision_beside_another_and_beside_the_work_tree(
    two: Git, old: str, new: str, files: tuple[str, str]
) -> None:
    found = gpuspec.diff(old, new)
    (change,) = found.changes
    assert (change.old_file, change.file) == files
    assert [one.path for one in change.fields] == ["spec.template.spec.containers[name=main].image"]
    assert found.alike == (0 if old.endswith("chat.yaml") else 1)


def test_from_a_folder_below(two: Git, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "k8s")
    for sides in (("HEAD~1:k8s", "."), ("HEAD~1:./", "."), ("HEAD~1:./chat.yaml", "chat.yaml")):
        assert len(gpuspec.diff(*sides).changes) == 1


def test_objects_of_two_folders_are_told_apart(git: Git, repository: Path) -> None:
    """Overlays hold objects of one name; a new one in front of them takes the place of none."""
    commit(git, k8s__dev__a=deployment(), k8s__prod__a=deployment(spec=", replicas: 5"))
    commit(git, k8s__prod__a=deployment(spec=", replicas: 6"), k8s__a__a=deployment())
    changes = gpuspec.diff("HEAD~1:k8s", "HEAD:k8s").changes
    assert [(one.change, one.file) for one in changes] == [
        ("added", "HEAD:k8s/a/a.yaml"),
        ("changed", "HEAD:k8s/prod/a.yaml"),
    ]
    assert [(field.old, field.new) for field in changes[1].fields] == [(5, 6)]


def test_what_is_not_exported_and_what_a_link_leads_to_is_read(git: Git, repository: Path) -> None:
    (repository / ".gitattributes").write_text("k8s export-ignore\n* export-subst\n")
    (repository / "k8s").mkdir()
    (repository / "k8s" / "linked.yaml").symlink_to("../real/chat.yaml")
    (repository / "k8s" / "out.yaml").symlink_to("/etc/hostname")
    commit(git, real__chat=deployment(), k8s__other=deployment(name="other"))
    found = gpuspec.diff("HEAD:k8s", "HEAD:k8s")
    out = "skipped: HEAD:k8s/out.yaml: a link that leads out of the repository"
    assert (found.alike, found.notes) == (2, (out,))
    assert gpuspec.diff("HEAD:", "HEAD:").alike == 3


def test_a_file_of_that_name_goes_before_a_revision(two: Git, repository: Path) -> None:
    (repository / "HEAD:k8s").write_text(deployment(name="here"))
    try:
        found = gpuspec.diff("HEAD:k8s", "HEAD:k8s")
    finally:
        (repository / "HEAD:k8s").unlink()
    assert found.alike == 1


def test_a_profile_of_a_revision(git: Git) -> None:
    """What a change of the profile does to specs that nobody touched."""
    profile = (SPECS / "clusters" / "bare-metal.yaml").read_text()
    spec = (SPECS / "chat.yaml").read_text()
    commit(git, eu=profile, specs__chat=spec)
    commit(git, eu=profile.replace("{key: nvidia.com/gpu,", "{key: example.com/gpu,"))
    old, new = (gpuspec.cluster_profile(f"{rev}:eu.yaml") for rev in ("HEAD~1", "HEAD"))
    found = gpuspec.diff("HEAD:specs", "specs", profile=new, old_profile=old)
    assert found.specs == ()
    (change,) = (one for one in found.changes if one.object.kind == "Deployment")
    assert any("tolerations" in field.path for field in change.fields)


@pytest.mark.parametrize(
    ("side", "text"),
    [
        ("HEAD:k8z", "HEAD:k8z: no such file or folder there\n  did you mean `HEAD:k8s`?"),
        ("HEAD:nowhere/at/all", "HEAD:nowhere/at/all: no such file or folder there\n  to compare with nothing, write /dev/null"),
        ("mian:k8s", "mian:k8s: git does not know the revision `mian`\n  did you mean `main`?"),
        ("--all:k8s", "--all:k8s: git does not know the revision `--all`"),
        (":k8s", ":k8s: no revision before the `:`\n  write a revision before it, such as HEAD:k8s"),
        ("HEAD:k8s/chat.yml", "HEAD:k8s/chat.yml: no such file or folder there\n  did you mean `HEAD:k8s/chat.yaml`?"),
    ],
)  # fmt: skip
def test_a_typo_is_answered(two: Git, side: str, text: str) -> None:
    assert wrong(side, "k8s") == [text]


def test_no_repository_and_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert wrong("main:k8s", os.devnull) == [
        "main:k8s: no git repository here\n  run it in the repository, or name files"
    ]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert wrong("main:k8s", os.devnull) == [
        "git: No such file or directory\n  install git, which reads revisions, or name files"
    ]


def test_a_shallow_clone_says_what_to_fetch(
    two: Git, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = repository.parent / "clone"
    two("clone", "-q", "--depth", "1", f"file://{repository}", str(clone))
    monkeypatch.chdir(clone)
    assert wrong("v1:k8s", "k8s") == [
        "v1:k8s: git does not know the revision `v1`\n  this clone is shallow: git fetch origin v1"
    ]


def test_what_is_wrong_in_a_revision_is_named_as_git_names_it(git: Git, repository: Path) -> None:
    commit(git, k8s__bad="kind: ConfigMap\napiVersion: v1\nmetadata: {name: x\n")
    (repository / "k8s" / "bad.yaml").write_text(
        "kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n"
    )
    (said,) = wrong("HEAD:k8s", "k8s")
    assert said.startswith("HEAD:k8s/bad.yaml:4:1: ")
    (said,) = wrong("HEAD:k8s/bad.yaml", "k8s")
    assert said.startswith("HEAD:k8s/bad.yaml:4:1: ")
