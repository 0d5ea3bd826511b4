"""What Flux fills in of `${NAME}` counts, and is no placeholder that was forgotten."""

from pathlib import Path

import pytest

import gpuspec
from tests.lint.test_apart import Files, lay

SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: "chat-${CLUSTER}", namespace: serving}
spec:
  replicas: ${REPLICAS}
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: main
          image: ghcr.io/example/server:${TAG}
          env:
            - name: PORT
              value: "${PORT}"
          resources:
            limits:
              nvidia.com/gpu: ${GPUS:=4}
"""
KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system}}
spec:
  interval: 10m
  path: ./workloads/{name}
  prune: true
  sourceRef: {{kind: GitRepository, name: flux-system}}
  postBuild:
{built}"""
OVERLAY = "resources: [../../base]\n"
VALUES = {"CLUSTER": "eu", "REPLICAS": '"2"', "TAG": '"1.4"', "PORT": '"8080"'}


def tree(**built: str) -> Files:
    """A base with the server, and for each name an overlay that a Kustomization fills in."""
    files = {
        "base/kustomization.yaml": "resources: [server.yaml]\n",
        "base/server.yaml": SERVER,
    }
    for name, text in built.items():
        files[f"clusters/{name}.yaml"] = KUSTOMIZATION.format(name=name, built=text)
        files[f"workloads/{name}/kustomization.yaml"] = OVERLAY
    return files


def substitute(**values: str) -> str:
    lines = [f"      {name}: {value}\n" for name, value in {**VALUES, **values}.items()]
    return "    substitute:\n" + "".join(lines)


def asked(path: str) -> list[tuple[str, int | None, int]]:
    """Each workload: its name, its pods, and the GPUs of one."""
    return [
        (
            ask.object.name,
            ask.pods.most if ask.pods else None,
            int(ask.each.get("nvidia.com/gpu", 0)),
        )
        for ask in gpuspec.table(path).asks
    ]


def placeholders(path: str) -> list[str]:
    return [one.message for one in gpuspec.lint(path, select=["GPU015", "GPU104"]).findings]


def test_values_and_defaults_are_filled_in(tmp_path: Path) -> None:
    path = lay(tmp_path, tree(eu=substitute()))
    assert asked(path) == [("chat-eu", 2, 4)]
    assert placeholders(path) == []
    # A number in quotes stays a text, as the API server wants it.
    assert gpuspec.lint(path, select=["GPU010", "GPU011"]).findings == ()


def test_nothing_fills_them_in_without_a_kustomization(tmp_path: Path) -> None:
    files = tree(eu=substitute())
    del files["clusters/eu.yaml"]
    assert "is not filled in" in " ".join(placeholders(lay(tmp_path, files)))


def test_a_value_that_nobody_gives_is_said_where_it_stands(tmp_path: Path) -> None:
    files = tree(eu=substitute().replace('      TAG: "1.4"\n', ""))
    (found,) = gpuspec.lint(lay(tmp_path, files), select=["GPU015"]).findings
    assert found.message.startswith("`${TAG}` is not filled in")
    assert (found.line, found.column, found.fix) == (12, 18, None)


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
def test_values_of_another_object(tmp_path: Path, kind: str) -> None:
    """A ConfigMap of the tree counts; what a Secret holds nobody can know, and nothing is said."""
    refer = f"    substituteFrom: [{{kind: {kind}, name: settings}}]\n"
    data = "\n".join(f"  {name}: {value}" for name, value in VALUES.items())
    settings = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: settings, namespace: flux-system}}\ndata:\n{data}\n"
    files = tree(eu=refer) | ({"settings.yaml": settings} if kind == "ConfigMap" else {})
    path = lay(tmp_path, files)
    assert placeholders(path) == []
    if kind == "ConfigMap":
        assert asked(path) == [("chat-eu", 2, 4)]


def test_its_own_values_have_the_last_word(tmp_path: Path) -> None:
    settings = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {REPLICAS: "9", GPUS: "8"}\n'
    built = "    substituteFrom: [{kind: ConfigMap, name: settings}]\n" + substitute()
    assert asked(lay(tmp_path, tree(eu=built) | {"settings.yaml": settings})) == [("chat-eu", 2, 8)]


def test_what_differs_between_clusters_is_filled_in_and_not_known(tmp_path: Path) -> None:
    path = lay(tmp_path, tree(eu=substitute(), us=substitute(CLUSTER="us", REPLICAS='"5"')))
    assert placeholders(path) == []
    ((name, pods, gpus),) = asked(path)
    assert (name, pods, gpus) == ("chat-${CLUSTER}", None, 4)


def test_who_is_left_alone_is_not_filled_in(tmp_path: Path) -> None:
    files = tree(eu=substitute())
    off = 'annotations: {kustomize.toolkit.fluxcd.io/substitute: disabled}, name: "chat'
    files["base/server.yaml"] = SERVER.replace('name: "chat', off)
    assert asked(lay(tmp_path, files))[0][0] == "chat-${CLUSTER}"


def test_no_fix_is_made_in_what_is_filled_in(tmp_path: Path) -> None:
    files = tree(eu=substitute())
    files["base/server.yaml"] = SERVER.replace("limits:", "requests:")
    path = lay(tmp_path, files)
    (found,) = gpuspec.lint(path, select=["GPU102"]).findings
    assert (found.line, found.fix) == (18, None)
    assert gpuspec.mend(path, unsafe=True).changed == {}
