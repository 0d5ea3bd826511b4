"""GPU518: what webhooks make of quantities, and what Argo CD is told of it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from tests.lint.pages import HERE, merge
from tests.lint.plain import an, text

MARK = {"argocd.argoproj.io/sync-wave": "1"}
APPLICATION = an(
    "argoproj.io/v1alpha1", "Application", "serving", spec={"destination": {"namespace": "serving"}}
)


def _said(*objects: dict[str, Any]) -> list[gpuspec.Finding]:
    found = gpuspec.lint_text(text(*objects).encode(), "all.yaml").findings
    return [one for one in found if one.rule == "GPU518"]


def _base(name: str, **metadata: Any) -> dict[str, Any]:
    first = next(iter(yaml.safe_load_all((HERE / "bases" / f"{name}.yaml").read_text())))
    made: dict[str, Any] = merge(first, {"metadata": metadata})
    return made


def _queue(**quota: Any) -> dict[str, Any]:
    resource = {"name": "nvidia.com/gpu", **quota}
    flavors = [{"name": "h100", "resources": [resource]}]
    groups = [{"coveredResources": ["nvidia.com/gpu"], "flavors": flavors}]
    one = an("kueue.x-k8s.io/v1beta2", "ClusterQueue", "gpu", spec={"resourceGroups": groups})
    one["metadata"]["annotations"] = MARK
    return one


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        (16, '"16"'),
        ("16", None),
        ("16000m", "16"),
        ("0.5", "500m"),
        ("1024Mi", "1Gi"),
        ("1500Mi", None),
        ("0.5Gi", "512Mi"),
        ("1000G", "1T"),
        ("$QUOTA", None),
        (True, None),
    ],
)
def test_each_amount_has_one_form(written: object, stored: str | None) -> None:
    found = _said(_queue(nominalQuota=written))
    expected = [] if stored is None else [f"stores `{written}` as `{stored}`"]
    assert [part for part in expected if part in found[0].message] == expected
    assert len(found) == len(expected)


def test_all_of_an_object_is_said_once_and_mended_at_once() -> None:
    (found,) = _said(_queue(nominalQuota=16, borrowingLimit="8000m", lendingLimit="4"))
    assert found.note == "write other values as the webhook stores them as well: `8000m` as `8`"
    assert found.fix is not None
    assert found.fix.safe
    assert [edit.text for edit in found.fix.edits] == ['"16"', '"8"']


@pytest.mark.parametrize(
    ("base", "rewritten"),
    [
        ("jobset", True),
        ("leaderworkerset", True),
        ("raycluster", False),
        ("pytorchjob", False),
        ("mpijob", False),
        ("trainjob", False),
        ("job", False),
        ("deployment", False),
    ],
)
def test_kueue_rewrites_what_names_a_queue(base: str, rewritten: bool) -> None:
    none = {"kueue.x-k8s.io/queue-name": None}
    plain = _base(base, annotations=MARK, labels=none)
    assert bool(_said(plain)) is rewritten
    queued = _base(base, annotations=MARK, labels={"kueue.x-k8s.io/queue-name": "research"})
    assert bool(_said(queued)) is (base not in ("job", "deployment", "trainjob"))


class TestWhoSyncs:
    GROUP = _base("leaderworkerset")

    def test_nobody_knows(self) -> None:
        assert _said(self.GROUP) == []
        flux = {"kustomize.toolkit.fluxcd.io/prune": "disabled"}
        assert _said(_base("leaderworkerset", annotations=flux)) == []

    def test_an_application_of_its_namespace(self) -> None:
        (found,) = _said(self.GROUP, APPLICATION)
        assert (found.severity, found.related[0].message) == ("info", "syncs the object")

    def test_one_that_heals_itself(self) -> None:
        healing = merge(APPLICATION, {"spec": {"syncPolicy": {"automated": {"selfHeal": True}}}})
        (found,) = _said(self.GROUP, healing)
        assert found.severity == "warning"
        assert found.message.endswith("Argo CD syncs the object repeatedly")

    @pytest.mark.parametrize(
        "change",
        [
            {
                "metadata": {
                    "annotations": {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"}
                }
            },
            {
                "spec": {
                    "ignoreDifferences": [
                        {
                            "group": "leaderworkerset.x-k8s.io",
                            "kind": "LeaderWorkerSet",
                            "managedFieldsManagers": ["lws-controller"],
                        }
                    ]
                }
            },
        ],
    )
    def test_one_that_compares_otherwise(self, change: dict[str, Any]) -> None:
        assert _said(self.GROUP, merge(APPLICATION, change)) == []


def test_the_fix_leaves_nothing_to_say(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    file = tmp_path / "group.yaml"
    file.write_text(text(_base("leaderworkerset", annotations=MARK)))
    assert gpuspec.lint(str(file), select=["GPU518"]).findings
    gpuspec.mend(str(file), select=["GPU518"])
    assert not gpuspec.lint(str(file), select=["GPU518"]).findings


SERVED = """\
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata:
  name: chat
  namespace: ml
  annotations: {serving.kserve.io/deploymentMode: MODE, SIGN}
spec:
  predictor:
    model:
      modelFormat: {name: vLLM}
      resources: {limits: {nvidia.com/gpu: "1", memory: 8Gi}}
"""
SYNCED = "argocd.argoproj.io/sync-wave: '2'"


@pytest.mark.parametrize(
    ("mode", "mark", "expected"),
    [
        ("RawDeployment", SYNCED, [("info", "`RawDeployment` as `Standard` since 0.16.0")]),
        ("Serverless", SYNCED, [("info", "`Serverless` as `Knative` since 0.16.0")]),
        ("Standard", SYNCED, []),
        ("RawDeployment", "example.com/owner: ml", []),
    ],
)
def test_a_mode_of_old_is_stored_under_its_new_name(
    mode: str, mark: str, expected: list[tuple[str, str]]
) -> None:
    text = SERVED.replace("MODE", mode).replace("SIGN", mark)
    found = [one for one in gpuspec.lint_text(text, "a.yaml").findings if one.rule == "GPU518"]
    assert [(one.severity, one.fix) for one in found] == [(level, None) for level, _ in expected]
    assert all(words in one.message for one, (_, words) in zip(found, expected, strict=True))
