"""What is rendered for several clusters lies side by side, and is not one cluster's."""

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

import gpuspec
from gpuspec.loading.alternatives import Alternatives, Sides
from gpuspec.loading.text_loader import TextLoader
from gpuspec.manifests import SourceFile

SERVER = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: serving}
spec:
  %s
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: main
          image: vllm/vllm-openai:v0.33.0
          ports: [{name: http, containerPort: 8000}]
          resources: {limits: {nvidia.com/gpu: 1}}
"""
AUTOSCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: serving}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  maxReplicas: 4
  metrics:
    - type: Pods
      pods: {metric: {name: vllm_num_requests_waiting}, target: {type: AverageValue, averageValue: "5"}}
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: chat, namespace: serving}
spec:
  selector: {app: chat}
  ports: [{port: 80, targetPort: grpc}]
"""
FIXED, SCALED = SERVER % "replicas: 2", SERVER % "progressDeadlineSeconds: 900"


def said(folder: Path, files: dict[str, str], *rules: str) -> list[tuple[str, str]]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = gpuspec.lint(str(folder), select=rules).findings
    return [(one.rule, str(Path(one.file).relative_to(folder))) for one in found]


def test_an_autoscaler_of_another_cluster_is_not_this_ones(tmp_path: Path) -> None:
    files = {
        "eu/chat.yaml": f"{SCALED}---\n{AUTOSCALER}",
        "us/chat.yaml": f"{SCALED}---\n{AUTOSCALER}",
        "lab/chat.yaml": FIXED,
    }
    assert said(tmp_path, files, "GPU804", "GPU812") == []


def test_what_is_wrong_within_one_cluster_is_said_there(tmp_path: Path) -> None:
    files = {
        "eu/deployment.yaml": FIXED,
        "eu/autoscaler.yaml": AUTOSCALER,
        "us/deployment.yaml": FIXED,
    }
    assert said(tmp_path, files, "GPU804") == [("GPU804", "eu/deployment.yaml")]


def test_what_all_clusters_share_is_part_of_each(tmp_path: Path) -> None:
    files = {"shared.yaml": AUTOSCALER, "eu/chat.yaml": FIXED, "us/chat.yaml": FIXED}
    found = said(tmp_path, files, "GPU804")
    assert found == [("GPU804", "eu/chat.yaml"), ("GPU804", "us/chat.yaml")]


def test_a_rule_for_the_whole_set_speaks_once_and_of_its_own_cluster(tmp_path: Path) -> None:
    ported = FIXED.replace("name: http", "name: grpc")
    files = {
        "eu/a.yaml": FIXED,
        "eu/b.yaml": SERVICE,
        "us/a.yaml": ported,
        "us/b.yaml": SERVICE,
    }
    assert said(tmp_path, files, "GPU807") == [("GPU807", "eu/b.yaml")]


def test_a_namespace_that_everybody_brings_along_parts_nobody(tmp_path: Path) -> None:
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: serving}\n---\n"
    files = {"chat.yaml": space + FIXED, "scale.yaml": space + AUTOSCALER}
    assert said(tmp_path, files, "GPU804") == [("GPU804", "chat.yaml")]


@pytest.mark.parametrize(
    "metadata",
    [
        "metadata: {name: chat, namespace: serving}",
        "metadata: {labels: {a: b, name: other}, name: 'chat', namespace: serving}",
        "metadata:\n  labels:\n    name: other\n  namespace: serving\n  name: chat # the server",
        'metadata:\r\n    name: "chat"\r\n    namespace: serving',
    ],
)
def test_the_name_of_an_object_that_waits_is_seen(metadata: str) -> None:
    text = f"apiVersion: apps/v1\nkind: Deployment\n{metadata}\nspec: {{}}\n"
    names = TextLoader([SourceFile("a.yaml", text)]).names()
    assert list(names) == [("a.yaml", ("Deployment", "serving", "chat"))]


FILES = st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map("/".join)


@given(st.lists(st.tuples(FILES, st.sampled_from("xyz")), max_size=8))
def test_files_that_hold_the_same_object_never_agree(held: list[tuple[str, str]]) -> None:
    parted = Alternatives((file, ("Deployment", "", name)) for file, name in held)
    sides = {file: parted.side(file) for file, _ in held}
    every = Sides(set(sides.values()))
    agreeing = {side: list(every.agreeing(side)) for side in sides.values()}
    for one, name in held:
        for other, same in held:
            chosen = dict(sides[one])
            excluded = any(chosen.get(folder, entry) != entry for folder, entry in sides[other])
            assert agreeing[sides[one]].count(sides[other]) == (not excluded)
            # What is a folder of one file's path cannot be another file.
            nested = f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")
            if name == same and not nested:
                assert excluded


def test_without_two_of_a_name_all_files_are_one_set() -> None:
    text = dedent("""\
        apiVersion: v1
        kind: Service
        metadata: {generateName: chat-}
    """)
    loader = TextLoader([SourceFile("a/x.yaml", text), SourceFile("b/x.yaml", text)])
    parted = Alternatives(loader.names())
    assert {parted.side(file) for file in loader.files()} == {frozenset()}


def test_files_of_a_folder_that_a_sample_repeats_are_one_set(tmp_path: Path) -> None:
    files = {
        "deployment.yaml": FIXED,
        "service.yaml": SERVICE,
        "all-in-one/chat.yaml": f"{FIXED}---\n{SERVICE.replace('grpc', 'http')}",
    }
    assert said(tmp_path, files, "GPU807") == [("GPU807", "service.yaml")]


def test_variants_beside_one_another_are_not(tmp_path: Path) -> None:
    files = {"fixed.yaml": FIXED, "scaled.yaml": SCALED, "autoscaler.yaml": AUTOSCALER}
    files["sample/chat.yaml"] = f"{SCALED}---\n{AUTOSCALER}"
    assert said(tmp_path, files, "GPU804") == []


def test_a_variant_of_what_has_its_own_service_lies_elsewhere(tmp_path: Path) -> None:
    """What misses its pods is said where nothing else selects them, or in their own file."""
    spot = SERVICE.replace("chat", "chat-spot")
    assert said(tmp_path, {"chat.yaml": FIXED, "spot.yaml": spot}, "GPU806") == [
        ("GPU806", "spot.yaml")
    ]
    files = {"chat.yaml": f"{FIXED}---\n{SERVICE}", "spot.yaml": spot}
    assert said(tmp_path, files, "GPU806") == []
    files["chat.yaml"] += f"---\n{SERVICE.replace('chat', 'chat-web')}"
    assert said(tmp_path, files, "GPU806") == [("GPU806", "chat.yaml")]
