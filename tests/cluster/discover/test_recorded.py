"""Recorded clusters give exactly the profiles in golden/.

After a change that is meant, look at the differences and write the new text there:
`gpuspec cluster discover - < tests/cluster/nodes/gke.json > tests/cluster/discover/golden/gke.yaml`.
Notes, which that command prints to standard error, are in the `.notes` beside it.
"""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest
import yaml
from ruamel.yaml import YAML

from gpuspec.cluster.discover import discover
from gpuspec.manifests import read
from gpuspec.spec import parse_profile
from tests.cluster import make_nodes

HERE = Path(__file__).parent
NODES = HERE.parent / "nodes"
GOLDEN = HERE / "golden"
CLUSTERS = sorted(file.stem for file in NODES.glob("*.json"))
each_cluster = pytest.mark.parametrize("cluster", CLUSTERS)


def recorded(cluster: str) -> bytes:
    return (NODES / f"{cluster}.json").read_bytes()


def test_at_least_eight_clusters_are_recorded() -> None:
    assert len(CLUSTERS) >= 8


def test_files_are_what_the_script_writes() -> None:
    assert sorted(make_nodes.CLUSTERS) == CLUSTERS
    for cluster in CLUSTERS:
        assert make_nodes.text_of(cluster).encode() == recorded(cluster)


@each_cluster
def test_profile_and_notes(cluster: str) -> None:
    found = discover(recorded(cluster))
    assert found.text == (GOLDEN / f"{cluster}.yaml").read_text()
    assert "".join(f"{note}\n" for note in found.notes) == (GOLDEN / f"{cluster}.notes").read_text()


@each_cluster
def test_a_valid_profile_without_needless_fields(cluster: str) -> None:
    (document,) = read((GOLDEN / f"{cluster}.yaml").read_text(), cluster)
    profile = parse_profile(document).model
    assert profile.spec.pools
    assert isinstance(document.value, dict)
    for written, pool in zip(document.value["spec"]["pools"], profile.spec.pools, strict=True):
        order = [field for field in pool.__struct_encode_fields__ if field in written]
        assert list(written) == order
        assert written.get("architecture") != "amd64"
        assert written.get("capacity") != "on-demand"


@each_cluster
def test_the_order_of_the_nodes_does_not_matter(cluster: str) -> None:
    value = json.loads(recorded(cluster))
    found = discover(recorded(cluster))
    for seed in range(5):
        random.Random(seed).shuffle(value["items"])
        assert discover(json.dumps(value)) == found


@each_cluster
def test_yaml_says_the_same_as_json(cluster: str) -> None:
    value = json.loads(recorded(cluster))
    text = yaml.safe_dump_all(value["items"], sort_keys=False)
    assert discover(text) == discover(recorded(cluster))


@each_cluster
def test_readers_of_yaml_1_1_and_1_2_agree(cluster: str) -> None:
    text = discover(recorded(cluster)).text
    (document,) = read(text, cluster)
    assert yaml.safe_load(text) == document.value == YAML(typ="safe").load(text)


@each_cluster
def test_a_round_trip_through_a_yaml_editor_keeps_every_byte(cluster: str) -> None:
    text = discover(recorded(cluster)).text
    editor, out = YAML(), io.StringIO()
    editor.width = 1 << 16
    editor.preserve_quotes = True
    editor.indent(mapping=2, sequence=4, offset=2)
    editor.dump(editor.load(text), out)
    assert out.getvalue() == text
