"""Argo CD's own servers, and our plugin in them: what an Application gets, and what it is told."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.hosts.argocd.conftest import APP, ROOT, text
from tests.hosts.argocd.servers import SERVED, Servers, by_name, committed, servers
from tests.hosts.programs import program

pytestmark = pytest.mark.binaries

PROFILE = {"name": "profile", "string": "../../clusters/eu.yaml"}
FAILED = "`gpuspec argocd generate` failed exit status"
UNMATCHED = "`gpuspec argocd discover` failed exit status 2: "


@pytest.fixture(scope="module")
def argo() -> Iterator[Servers]:
    """Argo CD's servers; what is tested here is skipped where they are not built."""
    with servers(program("argo-cd")) as running:
        yield running


def source(url: str, *parameters: dict[str, Any], path: str = APP, **plugin: Any) -> dict[str, Any]:
    """The source of an Application that names the plugin."""
    named = {"name": "gpuspec", "parameters": [*parameters]} | plugin
    return {"repoURL": url, "path": path, "targetRevision": "HEAD", "plugin": named}


def variables(**parameters: str) -> dict[str, str]:
    """The environment that the repo server hands on."""
    return {
        "ARGOCD_APP_SOURCE_PATH": APP,
        "ARGOCD_APP_PARAMETERS": text({"profile": "../../clusters/eu.yaml"} | parameters),
        "KUBE_VERSION": "1.36.2",
        "KUBE_API_VERSIONS": ",".join(SERVED),
    }


def rendered(repo: Path, *more: str) -> list[Any]:
    """The objects that the checkout renders of the same."""
    command = ["render", ".", "-c", "../../clusters/eu.yaml", *more]
    gpuspec = Path(sys.executable).parent / "gpuspec"
    done = subprocess.run([gpuspec, *command], cwd=repo / APP, capture_output=True, check=True)
    return list(yaml.safe_load_all(done.stdout))


def our_words(error: str, lead: str) -> str:
    """What we said, which is where the server's own words end."""
    before, found, said = error.partition(lead)
    assert found, error
    assert "gpuspec" not in before.replace("plugin gpuspec.sock", "").replace('"gpuspec"', "")
    return said


def test_an_application_gets_what_a_person_renders(argo: Servers, repo: Path) -> None:
    """C-60."""
    answer = argo.generate(source(committed(repo), PROFILE))
    assert by_name(answer.objects) == by_name(rendered(repo))
    assert answer.answer["sourceType"] == "Plugin"


def test_the_worked_application(argo: Servers, repo: Path) -> None:
    worked = yaml.safe_load((ROOT / "deploy/argocd/application.yaml").read_text())
    asked = worked["spec"]["source"] | {"repoURL": committed(repo)}
    paths = worked["metadata"]["annotations"]["argocd.argoproj.io/manifest-generate-paths"]
    answer = argo.generate(asked, annotationManifestGeneratePaths=paths)
    assert by_name(answer.objects) == by_name(rendered(repo, "--set", "chat:replicas.max=4"))


def test_only_the_paths_of_the_annotation_are_sent(argo: Servers, repo: Path) -> None:
    """What is sent then begins at the folder above all of them, which need not be the repository's root."""
    (repo / "clusters").rename(repo / "apps/clusters")
    nearer = {"name": "profile", "string": "../clusters/eu.yaml"}
    url = committed(repo)
    for paths in (".;../clusters", ".;/apps/clusters", ""):
        answer = argo.generate(
            source(url, nearer), annotationManifestGeneratePaths=paths, noCache=True
        )
        assert len(answer.objects) > 4, paths
    answer = argo.generate(source(url, nearer), annotationManifestGeneratePaths=".", noCache=True)
    said = our_words(answer.error, FAILED)
    assert said.startswith(" 2: error: parameter `profile`: `../clusters/eu.yaml` leads out of")
    assert "manifest-generate-paths" in said


def test_parameters_are_announced_and_set(argo: Servers, repo: Path) -> None:
    url = committed(repo)
    answer = argo.details(source(url, PROFILE))
    assert answer.answer["type"] == "Plugin", answer
    announced = {each["name"]: each for each in answer.answer["plugin"]["parametersAnnouncement"]}
    assert announced["chat:gpu.models"]["string"] == "[L4, A100-80GB]"
    assert announced["specs"]["array"] == ["chat.yaml"]
    assert announced["specs"]["collectionType"] == "array"
    # As the user interface sends back what was announced, with one field changed.
    changed = announced["chat:replicas.max"] | {"string": "4"}
    given = {key: changed[key] for key in ("name", "string")}
    specs = {key: announced["specs"][key] for key in ("name", "array")}
    answer = argo.generate(source(url, PROFILE, given, specs))
    assert by_name(answer.objects) == by_name(rendered(repo, "--set", "chat:replicas.max=4"))


def test_the_applications_env(argo: Servers, repo: Path) -> None:
    env = [{"name": "GPUSPEC_PROFILE", "value": "../../clusters/eu.yaml"}]
    answer = argo.generate(source(committed(repo), env=env))
    assert by_name(answer.objects) == by_name(rendered(repo))


def test_an_application_without_a_plugin_gets_it_where_the_folder_is_ours(
    argo: Servers, repo: Path
) -> None:
    (repo / "plain").mkdir()
    (repo / "plain/map.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    unnamed = source(committed(repo))
    del unnamed["plugin"]
    kinds = [argo.details(unnamed | {"path": path}).answer["type"] for path in (APP, "plain")]
    assert kinds == ["Plugin", "Directory"]
    (made,) = argo.generate(unnamed | {"path": "plain"}).objects
    assert made["kind"] == "ConfigMap"


def test_a_named_plugin_renders_specs_that_lie_elsewhere(argo: Servers, repo: Path) -> None:
    expected = by_name(rendered(repo))
    (repo / "apps/eu").mkdir()
    (repo / "apps/eu/kustomization.yaml").write_text("resources: []\n")
    specs = {"name": "specs", "array": ["../chat"]}
    answer = argo.generate(source(committed(repo), PROFILE, specs, path="apps/eu"))
    assert by_name(answer.objects) == expected


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("notes.md", "error: no gpuspec workload in the folder of the Application\n"),
        (
            "Chart.yaml",
            "error: because of Chart.yaml, Argo CD takes the Application's folder for another tool\n",
        ),
    ],
)
def test_a_named_plugin_says_why_it_is_not_the_folders(
    argo: Servers, repo: Path, name: str, said: str
) -> None:
    (repo / "apps/web").mkdir()
    (repo / "apps/web" / name).write_text("")
    answer = argo.generate(source(committed(repo), PROFILE, path="apps/web"))
    assert answer.code == "Unknown"
    assert our_words(answer.error, UNMATCHED).startswith(said)


BROKEN = "apiVersion: gpuspec.dev/v1alpha1\nkind: Inference\nmetadata: {name: more}\nspec: {}\n"
WRONG = """\
  overrides:
    - kind: Deployment
      patch: {spec: {template: {spec: {hostNetwork: true}}}}
"""


@pytest.mark.parametrize(
    ("parameter", "added", "code", "said"),
    [
        (None, "---\n" + BROKEN, 2, "./chat.yaml:"),
        ({"name": "chat:gpu.models", "string": "[L40S]"}, "", 1, "./chat.yaml:"),
        ({"name": "chat:gpus", "string": "1"}, "", 2, "parameter chat:gpus=1: error: "),
        ({"name": "profil", "string": "eu"}, "", 2, "error: unknown parameter `profil`\n"),
        ({"name": "profile", "string": "../../us.yaml"}, "", 2, "error: ../../us.yaml: no such"),
        ({"name": "profile", "string": "/etc/passwd"}, "", 2, "error: parameter `profile`: `/etc/"),
        ({"name": "specs", "array": []}, "", 2, "error: parameter `specs` is empty"),
        (None, WRONG, 1, "error[GPU601]"),
    ],
)
def test_a_failure_shows_what_we_say_from_its_first_word_on(
    argo: Servers, repo: Path, parameter: dict[str, Any] | None, added: str, code: int, said: str
) -> None:
    """The cluster is older than the profile says, which is a note: it does not come first."""
    with (repo / APP / "chat.yaml").open("a") as file:
        file.write(added)
    given = {each["name"]: each for each in (PROFILE, parameter) if each}
    answer = argo.generate(source(committed(repo), *given.values()), kubeVersion="1.35.2")
    assert (answer.code, answer.answer) == ("Unknown", None)
    words = our_words(answer.error, FAILED)
    assert words.startswith(f" {code}: {said}"), answer.error
    assert "Traceback" not in words


def test_a_thousand_errors_come_whole(argo: Servers, repo: Path) -> None:
    for number in range(1000):
        broken = BROKEN.replace("name: more", f"name: more-{number}")
        (repo / APP / f"{number:04}.yaml").write_text(broken)
    words = our_words(argo.generate(source(committed(repo), PROFILE)).error, FAILED)
    assert words.startswith(" 2: ./0000.yaml:4:")
    assert "./0999.yaml:4:" in words
    assert words.endswith(" errors")


def test_a_failure_is_kept_until_a_hard_refresh(argo: Servers, repo: Path) -> None:
    asked = source(committed(repo), {"name": "profil", "string": "eu"})
    told = [argo.generate(asked).error for _ in range(4)]
    assert told[0] == told[2] != told[3]
    assert "Manifest generation error (cached)" in told[3]
    assert our_words(told[3], FAILED).startswith(" 2: error: unknown parameter `profil`")
    assert "cached" not in argo.generate(asked, noCache=True).error


def test_thirty_at_a_time_get_the_same(argo: Servers, repo: Path) -> None:
    """C-60."""
    first, *others = argo.plugin("generate", repo, APP, variables(), times=30, seconds=3600)
    assert first.code == "OK", first.error
    made = [each for text in first.answer["manifests"] for each in yaml.safe_load_all(text)]
    assert by_name(made) == by_name(rendered(repo))
    assert [each.answer for each in others] == [first.answer] * 29
    assert argo.unpacked == []


def test_one_that_takes_longer_than_argo_cd_waits_is_ended_and_leaves_nothing(
    argo: Servers, repo: Path
) -> None:
    chat = (repo / APP / "chat.yaml").read_text() + WRONG
    for number in range(2000):
        named = chat.replace("name: chat", f"name: chat-{number}")
        (repo / APP / f"{number}.yaml").write_text(named)
    (answer,) = argo.plugin("generate", repo, APP, variables(), seconds=10)
    assert answer.answer is None
    wait_until(lambda: argo.unpacked == [])
    # It sends SIGTERM and SIGKILL at once, so either may be first.
    wait_until(lambda: any(line["msg"].endswith(ENDED) for line in argo.log()))


ENDED = ("failed signal: terminated", "failed signal: killed")


def wait_until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def outside(repo: Path) -> Path:
    """A spec that lies beside the repository."""
    file = repo.parent / "secret.yaml"
    file.write_text((ROOT / "examples/chat.yaml").read_text().replace("name: chat", "name: secret"))
    return file


def test_links_within_the_repository_are_followed(argo: Servers, repo: Path) -> None:
    expected = by_name(rendered(repo))
    (repo / "shared").mkdir()
    (repo / APP / "chat.yaml").rename(repo / "shared/chat.yaml")
    (repo / APP / "chat.yaml").symlink_to("../../shared/chat.yaml")
    (repo / "latest").symlink_to("clusters")
    profile = {"name": "profile", "string": "../../latest/eu.yaml"}
    assert by_name(argo.generate(source(committed(repo), profile)).objects) == expected


@pytest.mark.parametrize("absolute", [True, False])
def test_links_out_of_the_repository_are_argo_cds_to_refuse(
    argo: Servers, repo: Path, outside: Path, absolute: bool
) -> None:
    target = outside if absolute else Path(os.path.relpath(outside, repo / APP))
    (repo / APP / "linked.yaml").symlink_to(target)
    answer = argo.generate(source(committed(repo), PROFILE))
    assert "repository contains out-of-bounds symlinks. file: apps/chat/linked.yaml" in answer.error
    # Where that is switched off the plugin server unpacks no such link, or one that leads nowhere.
    (answer,) = argo.plugin("generate", repo, APP, variables())
    assert answer.answer is None
    assert absolute == ("./linked.yaml: a broken link" in answer.error)
