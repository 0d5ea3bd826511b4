"""Folders that were rendered for several clusters are kept apart by all that read them."""

import json
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from gpuspec import Folder
from gpuspec.report.table import table_json, table_text
from tests.lint.test_alternatives import AUTOSCALER, FIXED, SCALED, SERVICE

Files = dict[str, str]


def lay(folder: Path, files: Files) -> str:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return str(folder)


def rendered(folder: Path, **clusters: str) -> str:
    """Folders that were rendered, one for each cluster."""
    for name, text in clusters.items():
        objects: list[Any] = [one.value for one in gpuspec.read_text(text, "")]
        gpuspec.write_folders([Folder(folder / name, objects, ["specs"], profile=name)])
    return str(folder)


def pods(path: str) -> dict[str, tuple[int, int | None]]:
    """The replicas of each server, by the file that it is in."""
    asks = gpuspec.table(path).asks
    return {
        str(Path(one.file).relative_to(path).parent): (one.pods.least, one.pods.most)
        for one in asks
        if one.pods is not None
    }


def changes(old: str, new: str) -> list[tuple[str, str]]:
    """What is said of each object that differs."""
    return [(one.change, one.object.kind) for one in gpuspec.diff(old, new).changes]


def other(text: str) -> str:
    return text.replace("name: chat", "name: chat-us")


# What is for two clusters and has no object in common: only the records tell.
EU, US = f"{FIXED}---\n{SERVICE}", AUTOSCALER


def test_an_autoscaler_of_another_cluster_scales_nothing_here(tmp_path: Path) -> None:
    path = rendered(tmp_path, eu=EU, us=US)
    assert pods(path) == {"eu": (2, 2)}
    assert gpuspec.lint(path, select=["GPU804"]).findings == ()


def test_folders_of_one_cluster_are_together(tmp_path: Path) -> None:
    for name, text in {"chat": FIXED, "scale": AUTOSCALER}.items():
        objects: list[Any] = [one.value for one in gpuspec.read_text(text, "")]
        gpuspec.write_folders([Folder(tmp_path / name, objects, ["specs"], profile="eu")])
    assert pods(str(tmp_path)) == {"chat": (1, 4)}
    (found,) = gpuspec.lint(str(tmp_path), select=["GPU804"]).findings
    assert found.object is not None and found.object.name == "chat"


@pytest.mark.parametrize("fixed", ["eu", "us"])
def test_what_lies_beside_rendered_files_is_for_their_cluster(tmp_path: Path, fixed: str) -> None:
    path = rendered(tmp_path, eu=FIXED, us=other(FIXED))
    (tmp_path / fixed / "by-hand.yaml").write_text(AUTOSCALER)
    assert pods(path)["eu"] == ((1, 4) if fixed == "eu" else (2, 2))


def test_same_names_in_two_folders_are_counted_for_each(tmp_path: Path) -> None:
    path = lay(tmp_path, {"eu/a.yaml": SCALED, "eu/b.yaml": AUTOSCALER, "us/a.yaml": FIXED})
    assert pods(path) == {"eu": (1, 4), "us": (2, 2)}


def test_overlays_of_one_base_are_two_clusters(tmp_path: Path) -> None:
    overlay = "resources: [../../base, %s]\n"
    files = {
        "base/kustomization.yaml": "resources: [chat.yaml]\n",
        "base/chat.yaml": SCALED,
        "overlays/eu/kustomization.yaml": overlay % "more.yaml",
        "overlays/eu/more.yaml": other(FIXED),
        "overlays/us/kustomization.yaml": overlay % "scale.yaml",
        "overlays/us/scale.yaml": AUTOSCALER.replace("name: chat", "name: chat-us"),
    }
    assert pods(lay(tmp_path, files))["overlays/eu"] == (2, 2)
    # Without a base in common they are parts of one cluster, as applications of a repository are.
    for name in ("eu", "us"):
        path = tmp_path / f"overlays/{name}/kustomization.yaml"
        path.write_text(path.read_text().replace("../../base, ", ""))
    assert pods(str(tmp_path))["overlays/eu"] == (1, 4)


def test_a_sum_is_that_of_one_cluster(tmp_path: Path) -> None:
    path = rendered(tmp_path, eu=FIXED, us=other(FIXED))
    table = gpuspec.table(path)
    lines = [line.split()[:4] for line in table_text(table).splitlines()]
    assert [one for one in lines if one[:1] == ["Total"]] == [
        ["Total", "of", "eu", "2"],
        ["Total", "of", "us", "2"],
    ]
    made = json.loads(json.dumps(table_json(table)))
    assert {name: one["pods"] for name, one in made["clusters"].items()} == {
        "eu": {"min": 2, "max": 2},
        "us": {"min": 2, "max": 2},
    }


def test_a_sum_of_what_all_share_is_in_each(tmp_path: Path) -> None:
    files = {"all.yaml": other(FIXED), "eu/chat.yaml": FIXED, "us/chat.yaml": SCALED}
    table = gpuspec.table(lay(tmp_path, files))
    assert [str(name).rpartition("/")[2] for name in table.clusters] == ["eu", "us"]
    assert [len(table.of(name)) for name in table.clusters] == [2, 2]


def test_a_difference_is_one_clusters(tmp_path: Path) -> None:
    """The replicas are as they were: the autoscaler that comes is another cluster's."""
    old = rendered(tmp_path / "old", eu=FIXED, us=SERVICE)
    new = rendered(tmp_path / "new", eu=FIXED, us=f"{SERVICE}---\n{AUTOSCALER}")
    assert changes(old, new) == [("added", "HorizontalPodAutoscaler")]


def test_a_server_that_moves_to_another_cluster_goes_here_and_comes_there(tmp_path: Path) -> None:
    old = rendered(tmp_path / "old", eu=f"{FIXED}---\n{SERVICE}", us=other(SERVICE))
    new = rendered(tmp_path / "new", eu=SERVICE, us=f"{FIXED}---\n{other(SERVICE)}")
    assert changes(old, new) == [("added", "Deployment"), ("removed", "Deployment")]
    # Of two clusters alone it is asked how one is not like the other.
    assert changes(f"{old}/eu", f"{new}/us") == [("added", "Service"), ("removed", "Service")]
