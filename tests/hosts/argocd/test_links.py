"""Links of an Application that lead out of its repository are not followed, as Argo CD follows none."""

import os
from pathlib import Path

import pytest

from tests.hosts.argocd.conftest import APP, ROOT, Argocd

SECRET = "token: of-the-service-account\n"
HINT = "  replace the link with the file itself\n"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """What lies beside the repository: files of other requests, and of the sidecar."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_text(SECRET)
    (folder / "chat.yaml").write_text((ROOT / "examples/chat.yaml").read_text())
    (folder / "profile.yaml").write_text((ROOT / "examples/clusters/bare-metal.yaml").read_text())
    return folder


@pytest.mark.parametrize("target", ["secret", "chat.yaml"])
@pytest.mark.parametrize("absolute", [True, False])
def test_a_link_in_the_applications_folder(
    argocd: Argocd, repo: Path, outside: Path, target: str, absolute: bool
) -> None:
    there = outside / target if absolute else Path("../../../outside") / target
    (repo / APP / "a.yaml").symlink_to(there)
    for command in ("generate", "discover"):
        done = argocd(command)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"error: ./a.yaml: the path leads out of the repository\n{HINT}"
    done = argocd("parameters")
    assert (done.code, done.err) == (
        0,
        f"error: ./a.yaml: the path leads out of the repository\n{HINT}",
    )
    assert "service-account" not in done.out


def test_a_link_to_a_link_that_leads_out(argocd: Argocd, repo: Path, outside: Path) -> None:
    (repo / "hop").symlink_to(outside)
    (repo / APP / "linked.yaml").symlink_to("../../hop/chat.yaml")
    done = argocd("generate")
    assert (done.code, done.out) == (2, "")
    assert "./linked.yaml: the path leads out of the repository" in done.err


def test_a_profile_in_a_folder_of_profiles(argocd: Argocd, repo: Path, outside: Path) -> None:
    (repo / "clusters" / "linked.yaml").symlink_to(outside / "profile.yaml")
    done = argocd("generate", parameters={"profile": "../../clusters"})
    assert (done.code, done.out) == (2, "")
    assert "../../clusters/linked.yaml: the path leads out of the repository" in done.err


def test_a_configuration(argocd: Argocd, repo: Path, outside: Path) -> None:
    (repo / APP / ".gpuspec.yaml").symlink_to(outside / "secret")
    overridden(repo)
    done = argocd("generate")
    assert (done.code, done.out) == (2, "")
    assert ".gpuspec.yaml: the path leads out of the repository" in done.err


def test_a_pipe_is_not_waited_for(argocd: Argocd, repo: Path) -> None:
    os.mkfifo(repo / APP / "pipe.yaml")
    done = argocd("generate", parameters={"specs": ["pipe.yaml"]})
    assert (done.code, done.out) == (2, "")
    assert done.err == "pipe.yaml:1:1: error: a named pipe, not a file\n"


# The linter reads its configuration where rules have to be run.
OVERRIDE = """\
  overrides:
    - kind: Deployment
      patch: {metadata: {annotations: {a: b}}}
"""


def overridden(repo: Path) -> None:
    chat = repo / APP / "chat.yaml"
    chat.write_text(chat.read_text().replace("spec:\n", f"spec:\n{OVERRIDE}", 1))


def test_what_lies_above_the_repository_is_no_configuration(
    argocd: Argocd, repo: Path, outside: Path
) -> None:
    (repo.parent / ".gpuspec.yaml").write_text("no: such key\n")
    overridden(repo)
    assert argocd("generate").code == 0


def test_a_link_that_leads_nowhere_is_a_spec_that_is_missing(argocd: Argocd, repo: Path) -> None:
    """Passed over it would be one workload less, which Argo CD prunes."""
    (repo / APP / "more.yaml").symlink_to("../../shared/more.yaml")
    done = argocd("generate")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "error: ./more.yaml: a broken link (No such file or directory)\n"
        "  restore its target, or remove the link\n"
    )
    (repo / APP / ".#chat.yaml").symlink_to("somebody@machine.1:2")
    (repo / APP / "more.yaml").unlink()
    assert argocd("generate").code == 0


def test_links_within_the_repository_are_followed(argocd: Argocd, repo: Path) -> None:
    (repo / "shared").mkdir()
    (repo / APP / "chat.yaml").rename(repo / "shared" / "chat.yaml")
    (repo / APP / "chat.yaml").symlink_to("../../shared/chat.yaml")
    assert argocd("generate").code == 0
    assert argocd("discover").out == "./chat.yaml\n"
