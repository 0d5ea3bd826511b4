"""Revisions that nobody should have written, and repositories that are not trusted: never more than an
error, nothing is run, nothing is fetched, and what git has is read within bounds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import gpuspec
from gpuspec import InputError
from gpuspec.manifests.limits import MAX_BYTES
from tests.diff.conftest import Git
from tests.diff.sides import deployment


def said(side: str) -> str:
    """What is said of a revision that cannot be compared."""
    with pytest.raises(InputError) as error:
        gpuspec.diff(side, os.devnull)
    (one,) = error.value.problems
    return str(one)


def stored(kind: str, data: bytes) -> str:
    """The id of an object that git would not write by itself."""
    words = ["git", "hash-object", "-w", "-t", kind, "--literally", "--stdin"]
    return (
        subprocess.run(words, input=data, check=True, capture_output=True).stdout.decode().strip()
    )


def tree(*entries: tuple[str, bytes, str]) -> str:
    """A tree with entries of any mode and name."""
    return stored(
        "tree",
        b"".join(
            mode.encode() + b" " + name + b"\0" + bytes.fromhex(number)
            for mode, name, number in entries
        ),
    )


@pytest.fixture
def blob(git: Git) -> str:
    return stored("blob", deployment().encode())


@pytest.mark.parametrize("name", [b"..", b".", b"", b"../x.yaml", b"/etc/x.yaml", b"a/b.yaml"])
def test_a_name_that_leads_elsewhere_is_refused(blob: str, name: bytes) -> None:
    odd = tree(("100644", name, blob))
    assert "is not as git writes them: it holds " in said(f"{odd}:")


def test_a_tree_that_is_cut_off_or_holds_a_name_twice_is_refused(blob: str) -> None:
    for odd in (
        stored("tree", b"100644 a.yaml\0short"),
        stored("tree", b"100644"),
        tree(("100644", b"a.yaml", blob), ("40000", b"a.yaml", tree(("100644", b"b.yaml", blob)))),
    ):
        assert "is not as git writes them" in said(f"{odd}:")


def test_names_that_are_odd_and_harmless_are_read(blob: str) -> None:
    odd = tree(
        ("100644", b".git", blob),
        ("40000", b".hidden", tree(("100644", b"a.yaml", blob))),
        ("100644", b"a\nb.yaml", blob),
        ("100644", b"c\\d.yaml", blob),
        ("100644", b"\xff.yaml", blob),
        ("160000", b"module", blob),
    )
    found = gpuspec.diff(f"{odd}:", os.devnull)
    assert len(found.changes) == 3
    assert found.notes == (f"skipped: {odd}:module: a submodule",)


def test_a_name_that_is_too_long_for_this_system_is_an_error(blob: str) -> None:
    odd = tree(("100644", b"x" * 5000 + b".yaml", blob))
    assert "cannot be laid out: File name too long" in said(f"{odd}:")


def test_trees_within_trees_come_to_an_end(git: Git) -> None:
    """Forty trees that each hold the one before ten times: nobody could count what is below."""
    one = tree()
    for _ in range(40):
        one = tree(*(("40000", f"d{n}".encode(), one) for n in range(10)))
    assert said(f"{one}:").endswith(
        ": larger than 1,000,000 files and folders, the most that gpuspec reads\n  name a folder of it"
    )


def test_folders_deeper_than_any_system_has_them_are_refused(blob: str) -> None:
    one = tree(("100644", b"a.yaml", blob))
    for _ in range(300):
        one = tree(("40000", b"d", one))
    assert "folders lie deeper than 200 levels" in said(f"{one}:")


def test_a_file_is_refused_before_it_is_read(git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuspec.diff.git import Objects

    large = stored("blob", b"#" * (MAX_BYTES + 1))
    odd = tree(("100644", b"a.yaml", large))
    taken: list[int] = []
    take = Objects.take

    def counted(self: Objects, size: int) -> bytes:
        taken.append(size)
        return take(self, size)

    monkeypatch.setattr(Objects, "take", counted)
    assert said(f"{odd}:") == f"{odd}:a.yaml: larger than 64 MiB, the most that gpuspec reads"
    assert said(f"{odd}:a.yaml") == f"{odd}:a.yaml: larger than 64 MiB, the most that gpuspec reads"
    assert max(taken) < 1000


def test_all_files_of_a_revision_together_are_bounded(
    blob: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gpuspec.diff import revisions

    monkeypatch.setattr(revisions, "MAX_REVISION_BYTES", 2000)
    odd = tree(*(("100644", f"{n:03}.yaml".encode(), blob) for n in range(100)))
    assert "that are read of a revision" in said(f"{odd}:")


def test_links(git: Git, repository: Path) -> None:
    folder = repository / "k8s"
    folder.mkdir()
    (folder / "a.yaml").write_text(deployment())
    for name, target in {
        "again.yaml": "second.yaml",
        "second.yaml": "../k8s/b/../a.yaml",
        "nowhere.yaml": "nothing",
        "folder.yaml": "../k8s",
        "out.yaml": "../../../etc/passwd",
        "root.yaml": "/etc/passwd",
    }.items():
        (folder / name).symlink_to(target)
    (folder / "b").mkdir()
    (folder / "b" / "c.yaml").write_text(deployment(name="c"))
    (repository / "link").symlink_to("k8s")
    git("add", "-A")
    git("commit", "-qm", "links")
    for side in ("HEAD:k8s", "HEAD:link", "HEAD:./k8s"):
        found = gpuspec.diff(side, os.devnull)
        assert len(found.changes) == 4
        assert found.notes == tuple(
            f"skipped: {side}/{name}.yaml: a link that leads out of the repository"
            for name in ("out", "root")
        )
    assert len(gpuspec.diff("HEAD:k8s/again.yaml", os.devnull).changes) == 1
    assert "links that lead out of the repository" in said("HEAD:k8s/out.yaml")
    (folder / "circle.yaml").symlink_to("circle.yaml")
    git("add", "-A")
    git("commit", "-qm", "circle")
    assert said("HEAD:k8s") == "HEAD:k8s/circle.yaml: links that lead in a circle"
    assert said("HEAD:k8s/circle.yaml") == "HEAD:k8s/circle.yaml: links that lead in a circle"


@pytest.mark.parametrize(
    "revision",
    ["--output=x", "-h", "--all", "^HEAD", "HEAD..HEAD", "HEAD\n--all", "\x1b[31m", "@{u}", "HEAD\0x"],
)  # fmt: skip
def test_a_word_is_a_revision_and_never_an_option(
    git: Git, repository: Path, revision: str
) -> None:
    git("commit", "-q", "--allow-empty", "-m", "one")
    assert "git" in said(f"{revision}:k8s")
    assert not (repository / "x").exists()


@pytest.mark.parametrize(
    "path", ["..", "../", "../..", "/etc", "k8s/../..", "a\nb", "-x", "*", ":/"]
)
def test_a_path_does_not_leave_the_repository(git: Git, path: str) -> None:
    git("commit", "-q", "--allow-empty", "-m", "one")
    assert any(
        one in said(f"HEAD:{path}")
        for one in ("no such file or folder there", "links that lead out of the repository")
    )


def test_a_partial_clone_fetches_nothing(
    git: Git, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "a.yaml").write_text(deployment())
    git("add", "-A")
    git("commit", "-qm", "one")
    git("config", "uploadpack.allowFilter", "true")
    git("config", "uploadpack.allowAnySHA1InWant", "true")
    clone = repository.parent / "clone"
    asked = repository.parent / "asked"
    git("clone", "-q", "--bare", "--filter=blob:none", f"file://{repository}", str(clone))
    monkeypatch.chdir(clone)
    script = repository.parent / "upload-pack"
    script.write_text(f'#!/bin/sh\ntouch "{asked}"\nexec git-upload-pack "$@"\n')
    script.chmod(0o755)
    for words in (["remote.origin.uploadpack", str(script)], ["protocol.file.allow", "always"]):
        subprocess.run(["git", "config", *words], check=True)
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "file")
    assert said("HEAD:") == (
        "HEAD:a.yaml: git does not have it here\n"
        "  nothing is fetched: git archive REVISION does in a partial clone; else see git fsck"
    )
    assert not asked.exists()


def test_nothing_that_a_repository_names_is_run(git: Git, repository: Path) -> None:
    (repository / "a.yaml").write_text(deployment())
    git("add", "-A")
    git("commit", "-qm", "one")
    ran = repository.parent / "ran"
    script = repository.parent / "script"
    script.write_text(f'#!/bin/sh\ntouch "{ran}"\n')
    script.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.askPass", "core.sshCommand", "diff.external"):
        git("config", key, str(script))
    (repository / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
        (repository / ".git" / "hooks" / hook).write_text(script.read_text())
        (repository / ".git" / "hooks" / hook).chmod(0o755)
    assert len(gpuspec.diff("HEAD:", os.devnull).changes) == 1
    assert not ran.exists()


def test_a_repository_of_another_user_is_not_opened(
    git: Git, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("commit", "-q", "--allow-empty", "-m", "one")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert said("HEAD:k8s") == (
        "HEAD:k8s: git does not open this repository, which belongs to another user\n"
        f"  git config --global --add safe.directory {repository}"
    )


def test_a_broken_repository_is_said(git: Git, repository: Path) -> None:
    (repository / ".git" / "config").write_text("[core")
    assert said("HEAD:k8s").startswith("HEAD:k8s: git: bad config line ")
