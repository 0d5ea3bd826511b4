"""Suppressions of all that is found, by one call: what was found is silent, all else is as it was."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from tests.lint.fixing.yamls import Emitter
from tests.lint.pages import HERE

BASES = [
    value
    for path in sorted((HERE / "bases").glob("*.yaml"))
    for value in yaml.safe_load_all(path.read_text())
]
REASON = "it came to us so, see #12"
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/app:1
      resources:
        requests: {nvidia.com/gpu: 1}WRITTEN
"""


def worsened(value: Any) -> Any:
    """An object with the faults of many: devices requested and not limited, nothing said of users."""
    if isinstance(value, dict):
        kept = {key: worsened(each) for key, each in value.items() if key != "securityContext"}
        if isinstance(kept.get("resources"), dict) and "limits" in kept["resources"]:
            kept["resources"] = {"requests": {"nvidia.com/gpu": 1}}
        return kept
    return [worsened(each) for each in value] if isinstance(value, list) else value


def told(result: gpuspec.LintResult) -> list[tuple[str, str, str]]:
    """The findings, but for the lines, which a comment above may move."""
    return sorted((one.rule, one.path, one.message) for one in result.findings)


@settings(max_examples=40, deadline=None, suppress_health_check=[*HealthCheck])
@given(st.data())
def test_afterwards_those_are_silent_and_nothing_else_is_otherwise(data: st.DataObject) -> None:
    value = worsened(data.draw(st.sampled_from(BASES)))
    text = "\n".join([*Emitter(data.draw).block(value, 0), ""])
    text = text.replace("\n", data.draw(st.sampled_from(["\n", "\r\n"])))
    with TemporaryDirectory() as folder:
        path = Path(folder, "object.yaml")
        path.write_bytes(text.encode())
        before = gpuspec.lint(str(path))
        rules = sorted({one.rule for one in before.findings})
        chosen = (
            data.draw(st.lists(st.sampled_from(rules), unique=True, min_size=1)) if rules else []
        )
        others = [one for one in rules if one not in chosen]
        kept = told(gpuspec.lint(str(path), select=others)) if others else []
        done = gpuspec.suppress(str(path), reason=REASON, select=chosen or ["GPU001"])
        after = path.read_bytes().decode()
        assert not done.result.findings
        assert yaml.safe_load(after) == yaml.safe_load(text)
        assert [
            line.partition("  # gpuspec:")[0].rstrip()
            for line in after.split("\n")
            if not line.lstrip().startswith("# gpuspec:")
        ] == [line.rstrip() for line in text.split("\n")]
        assert (told(gpuspec.lint(str(path), select=others)) if others else []) == kept
        assert told(gpuspec.lint(str(path))) == kept
        assert not gpuspec.suppress(str(path), reason=REASON, select=chosen or ["GPU001"]).changed
        assert path.read_bytes().decode() == after


@pytest.mark.parametrize(
    ("written", "becomes"),
    [
        ("", f"  # gpuspec: ignore[GPU102] {REASON}"),
        ("  # the queue", f"  # the queue  # gpuspec: ignore[GPU102] {REASON}"),
        (
            "  # gpuspec: ignore[GPU108] small",
            f"  # gpuspec: ignore[GPU108, GPU102] small; {REASON}",
        ),
        (
            f"  # gpuspec: ignore[GPU108] {REASON}",
            f"  # gpuspec: ignore[GPU108, GPU102] {REASON}",
        ),
    ],
)
def test_what_stands_behind_the_line_already_stays(
    tmp_path: Path, written: str, becomes: str
) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD.replace("WRITTEN", written))
    done = gpuspec.suppress(str(path), reason=REASON, select=["GPU102"])
    assert not done.result.findings
    assert path.read_text() == POD.replace("WRITTEN", becomes)


def test_a_suppression_that_ends_is_not_joined_by_one_that_does_not(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    dated = POD.replace("WRITTEN", "  # gpuspec: ignore[GPU108] until=2199-01-01 small")
    path.write_text(dated)
    assert not gpuspec.suppress(str(path), reason=REASON, select=["GPU102"]).result.findings
    line = f"        # gpuspec: ignore[GPU102] {REASON}\n        requests:"
    assert path.read_text() == dated.replace("        requests:", line)


def test_a_reason_may_end(tmp_path: Path) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD.replace("WRITTEN", ""))
    done = gpuspec.suppress(str(path), reason="until=2199-01-01 old", select=["GPU102"])
    assert not done.result.findings
    assert "# gpuspec: ignore[GPU102] until=2199-01-01 old\n" in path.read_text()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ml"}, "spec": {'
         '"containers": [{"name": "m", "image": "a:1", "resources": {"requests": '
         '{"nvidia.com/gpu": 1}}}]}}\n', "pod.json"),
        ("apiVersion: v1\nkind: Pod\nmetadata: [\n", "broken.yaml"),
    ],
)  # fmt: skip
def test_where_no_comment_can_stand_nothing_is_written(
    tmp_path: Path, text: str, name: str
) -> None:
    (tmp_path / name).write_text(text)
    done = gpuspec.suppress(str(tmp_path), reason=REASON, select=["GPU102", "GPU001"])
    assert (len(done.result.findings), done.changed) == (1, {})
    assert (tmp_path / name).read_text() == text


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("", "no reason is given for the suppressions"),
        (" \t", "the reason does not fit into a comment"),
        ("two\nlines", "the reason does not fit into a comment"),
        ("until=2199-01-01", "no reason is given for the suppressions"),
        ("until=soon old", "`until=soon` is not a date"),
        ("until=2020-01-01 old", "`until=2020-01-01` is over"),
    ],
)
def test_what_is_no_reason_writes_nothing(tmp_path: Path, reason: str, said: str) -> None:
    path = tmp_path / "pod.yaml"
    path.write_text(POD.replace("WRITTEN", ""))
    with pytest.raises(gpuspec.InputError) as raised:
        gpuspec.suppress(str(path), reason=reason)
    assert [one.message for one in raised.value.problems] == [said]
    assert path.read_text() == POD.replace("WRITTEN", "")
