"""What may not change: the server refuses exactly what `gpuspec diff` calls breaking."""

import copy
import json
import os
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml

import gpuspec
from tests.control_plane.client import Client, Object, Ref, Refused, until

CASES = yaml.safe_load((Path(__file__).parent / "changes.yaml").read_text())
NUMBERS = count()
PAIRS = [(case["object"], change) for case in CASES for change in case["changes"]]


def named(pair: tuple[Object, Any]) -> str:
    made, change = pair
    return f"{made['kind']}-{made['metadata']['name']}-{json.dumps(change)[:60]}"


def merged(old: Any, change: Any) -> Any:
    """A JSON merge patch (RFC 7386) applied."""
    if not isinstance(change, dict):
        return change
    found = copy.deepcopy(old) if isinstance(old, dict) else {}
    for key, value in change.items():
        if value is None:
            found.pop(key, None)
        else:
            found[key] = merged(found.get(key), value)
    return found


@pytest.fixture(scope="module")
def space(client: Client) -> str:
    """A namespace that asks nothing of its pods: these cases are about changes."""
    name = "changes"
    client.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    account = Ref("v1", "ServiceAccount", "default", name)
    until(lambda: client.find(account), f"{name} has its service account")
    return name


@pytest.mark.control_plane
@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_the_server_refuses_what_diff_calls_breaking(
    pair: tuple[Object, Any], space: str, client: Client, tmp_path: Path
) -> None:
    made, change = copy.deepcopy(pair)
    made["metadata"]["name"] += f"-{next(NUMBERS)}"
    if client.resource(made["apiVersion"], made["kind"]).namespaced:
        made["metadata"]["namespace"] = space
    client.create(made)
    ref = Ref.of(made)
    try:
        refused = _refused(client, ref, change)
    finally:
        client.delete(ref)
    for side, value in (("old", pair[0]), ("new", merged(pair[0], change))):
        (tmp_path / f"{side}.yaml").write_text(yaml.safe_dump(value))
    found = gpuspec.diff(str(tmp_path / "old.yaml"), str(tmp_path / "new.yaml"))
    # diff speaks of the newest Kubernetes; what older ones refuse besides is on its page.
    assert refused is (found.reaches("breaking") or _is_too_young(made, change))


def _is_too_young(made: Object, change: Any) -> bool:
    """What 1.35 does not take yet: other resources for a suspended Job's containers."""
    pod = change.get("spec", {}).get("template", {}).get("spec", {})
    asks = any("resources" in one for one in pod.get("containers", ()))
    return made["kind"] == "Job" and asks and os.environ.get("GPUSPEC_MINOR") == "1.35"


def _refused(client: Client, ref: Ref, change: Any) -> bool:
    try:
        # Of a pod's containers the server has filled in more than a whole new list would keep.
        way = "strategic-merge" if ref.kind == "Pod" else "merge"
        kind = f"application/{way}-patch+json"
        client.request("PATCH", client.path(ref), json.dumps(change), kind, {"dryRun": "All"})
    except Refused:
        return True
    return False
