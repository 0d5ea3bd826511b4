"""Specs: as they are written, and as they are rendered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import gpuspec
from gpuspec import InputError

EXAMPLES = Path(__file__).parents[2] / "examples"
CHAT = (EXAMPLES / "chat.yaml").read_text()


@pytest.fixture
def sides(tmp_path: Path) -> Path:
    """A folder with the same spec in `old` and in `new`."""
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "chat.yaml").write_text(CHAT)
    return tmp_path


def profile(name: str) -> gpuspec.Profile:
    return gpuspec.cluster_profile(str(EXAMPLES / "clusters" / f"{name}.yaml"))


def test_a_spec_that_asks_for_more(sides: Path) -> None:
    (sides / "new" / "chat.yaml").write_text(CHAT.replace("count: 1", "count: 2"))
    found = gpuspec.diff(str(sides / "old"), str(sides / "new"), profile=profile("gke"))
    (spec,) = found.specs
    assert (spec.change, spec.name) == ("changed", "Inference serving/chat")
    assert [(one.path, one.old, one.new) for one in spec.fields] == [("spec.gpu.count", 1, 2)]
    (change,) = found.changes
    assert (change.object.kind, change.effect, change.spec) == ("Deployment", "restart", spec.name)
    assert change.remarks[0].text.startswith("GPUs 1 → 2 a replica, ")
    # The other objects say nothing of the spec.
    assert found.origins == () and found.alike == 3


@pytest.mark.parametrize(
    ("named", "way"),
    [
        ('run: "1"', "write another `run` in the spec, or delete the Job first"),
        (
            "fixedName: true",
            "write `run` in the spec instead of `fixedName`, or delete the Job first",
        ),
    ],
)
def test_a_refused_run_of_a_spec_says_what_to_write_in_the_spec(
    tmp_path: Path, named: str, way: str
) -> None:
    for release in ("1", "2"):
        (tmp_path / f"{release}.yaml").write_text(
            "apiVersion: gpuspec.dev/v1alpha1\nkind: Training\n"
            "metadata: {name: train, namespace: ml}\nspec:\n"
            f"  image: example.com/train:{release}\n  command: [train]\n  {named}\n"
            "  gpu: {models: [T4], count: 1}\n  duration: {max: 30m}\n"
        )
    found = gpuspec.diff(str(tmp_path / "1.yaml"), str(tmp_path / "2.yaml"))
    (change,) = found.changes
    assert [one.text for one in change.remarks if one.alarm] == [
        f"the API server refuses the apply: spec.template cannot change; {way}"
    ]


def test_how_a_spec_is_written_makes_no_difference(sides: Path) -> None:
    lines = CHAT.replace("size: 16Gi", "size: 16384Mi").replace("# A chat", "# Another chat")
    (sides / "new" / "chat.yaml").write_text(lines)
    found = gpuspec.diff(str(sides / "old"), str(sides / "new"))
    assert (found.specs, found.changes) == ((), ())


def test_a_spec_beside_what_it_was_rendered_to(sides: Path) -> None:
    """What a folder of manifests would become."""
    rendered = gpuspec.render(gpuspec.load(str(sides / "old"))[0])
    (sides / "all.yaml").write_text(gpuspec.dump([one.value for one in rendered.rendered]))
    found = gpuspec.diff(str(sides / "all.yaml"), str(sides / "new"))
    assert found.changes == ()
    assert [one.change for one in found.specs] == ["added"]
    assert found.alike == len(rendered.rendered)


def test_what_objects_say_of_where_they_come_from_is_counted(sides: Path) -> None:
    """`full` on every object, in place of what the one with the pods says, changes nothing else."""
    (sides / "full.yaml").write_text(
        "apiVersion: gpuspec.dev/v1alpha1\nkind: ClusterProfile\nmetadata: {name: full}\n"
        'spec: {kubernetes: "1.37", extends: generic, provenance: full}\n'
    )
    for old, new in ((None, "full"), ("full", None)):
        profiles = [
            gpuspec.load_profiles(*([] if name is None else [str(sides / f"{name}.yaml")]))[0]
            for name in (old, new)
        ]
        found = gpuspec.diff(
            str(sides / "old"), str(sides / "new"), profile=profiles[1], old_profile=profiles[0]
        )
        assert found.changes == ()
        assert {one.kind for one in found.origins} >= {"ServiceAccount", "Service", "Deployment"}


def test_two_profiles(sides: Path) -> None:
    found = gpuspec.diff(
        str(sides / "old"),
        str(sides / "new"),
        profile=profile("gke"),
        old_profile=profile("eks-karpenter"),
    )
    assert found.specs == ()
    assert any(one.object.kind == "Deployment" for one in found.changes)


def test_a_run_is_another_job_of_the_same_workload(sides: Path) -> None:
    text = (EXAMPLES / "recommender-train.yaml").read_text()
    assert "run: " in text
    (sides / "old" / "chat.yaml").write_text(text)
    at = text.index("run: ") + 5
    (sides / "new" / "chat.yaml").write_text(text[:at] + "another" + text[text.index("\n", at) :])
    found = gpuspec.diff(str(sides / "old"), str(sides / "new"), profile=profile("bare-metal"))
    jobs = [one for one in found.changes if one.object.kind == "Job"]
    assert [(one.change, one.effect) for one in jobs] == [("renamed", "new run")]


def test_a_spec_that_the_profile_cannot_carry(sides: Path) -> None:
    (sides / "new" / "chat.yaml").write_text(CHAT.replace("count: 1", "count: 64"))
    with pytest.raises(InputError) as error:
        gpuspec.diff(str(sides / "old"), str(sides / "new"), profile=profile("gke"))
    assert "chat.yaml:" in str(error.value)
    # What could not be carried before has nothing to compare with.
    found = gpuspec.diff(str(sides / "new"), str(sides / "old"), profile=profile("gke"))
    assert {one.change for one in found.changes} == {"added"}
    assert found.notes[0].startswith("before, chat could not run on the profile: ")


def test_all_that_is_wrong_is_said_at_once(sides: Path) -> None:
    for name in ("old", "new"):
        (sides / name / "bad.yaml").write_text(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n"
        )
        (sides / name / "chat.yaml").write_text(CHAT.replace("runtime:", "runtme:"))
    with pytest.raises(InputError) as error:
        gpuspec.diff(str(sides / "old"), str(sides / "new"))
    text = str(error.value)
    assert text.count("bad.yaml:") == 2
    assert text.count("did you mean `runtime`") == 2


def test_nothing_to_compare(sides: Path) -> None:
    with pytest.raises(InputError, match="nothing to compare in"):
        gpuspec.diff(os.devnull, os.devnull)
    assert len(gpuspec.diff(os.devnull, str(sides / "new")).changes) > 3


def test_the_configurations_profile_holds(sides: Path) -> None:
    clusters = EXAMPLES / "clusters" / "gke.yaml"
    (sides / ".gpuspec.yaml").write_text(f"profile: {os.path.relpath(clusters, sides)}\n")
    (sides / "new" / "chat.yaml").write_text(CHAT.replace("count: 1", "count: 2"))
    configured, given = (
        gpuspec.diff(str(sides / "old"), str(sides / "new"), profile=one)
        for one in (None, profile("gke"))
    )
    assert configured.changes == given.changes


def test_a_wrapped_object_is_compared_once(tmp_path: Path) -> None:
    wrapper = (
        "apiVersion: workload.codeflare.dev/v1beta2\nkind: AppWrapper\nmetadata: {name: w}\nspec: {components: "
        "[{template: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: m, image: IMAGE}]}}}]}\n"
    )
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(wrapper.replace("IMAGE", f"x:{name}"))
    found = gpuspec.diff(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"))
    assert [one.object.kind for one in found.changes] == ["Pod"]
    assert found.alike == 1


def test_items_of_a_list_are_objects(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {a: VALUE}}]\n"
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(text.replace("VALUE", name))
    (change,) = gpuspec.diff(str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")).changes
    assert [one.path for one in change.fields] == ["data.a"]
