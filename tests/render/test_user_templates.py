"""`--templates DIR`: shadowing file by file, and every way to get a template wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gpuspec
from tests.render.conftest import Render

Shadow = Callable[..., Path]
OURS = Path(gpuspec.__file__).parents[1] / "templates"


@pytest.fixture
def shadow(tmp_path: Path) -> Shadow:
    """Write templates into a folder and return it."""

    def write(**files: str | bytes) -> Path:
        folder = tmp_path / "mine"
        for name, text in files.items():
            path = folder / f"{name.replace('__', '/')}.yaml.j2"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder

    return write


def changed(name: str, old: str, new: str) -> str:
    """One of our templates with one thing changed."""
    text = (OURS / f"{name}.yaml.j2").read_text()
    assert text.count(old) == 1, f"{old!r} is not once in {name}"
    return text.replace(old, new)


def job(rendering: gpuspec.Rendering) -> dict[str, Any]:
    return rendering.objects[-1]


METADATA = "metadata:\n  name: {{ name }}\n"
OBJECT = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {{ plan.job.name }}\n"


def problem(render_spec: Render, folder: Path) -> gpuspec.Problem:
    with pytest.raises(gpuspec.InputError) as caught:
        render_spec(templates=folder)
    (one,) = caught.value.problems
    return one


def test_the_same_template_gives_the_same_bytes(render_spec: Render, shadow: Shadow) -> None:
    folder = shadow(job=(OURS / "job.yaml.j2").read_bytes())
    assert render_spec(templates=folder).objects == render_spec().objects


def test_a_shadowed_part_is_seen_by_our_templates(render_spec: Render, shadow: Shadow) -> None:
    folder = shadow(
        parts__pod=changed("parts/pod", "spec:\n", "spec:\n  hostname: {{ plan.meta.name }}-x\n")
    )
    rendering = render_spec(templates=folder)
    assert job(rendering)["spec"]["template"]["spec"]["hostname"] == "train-x"


def test_a_key_that_a_template_leaves_out_is_gone(render_spec: Render, shadow: Shadow) -> None:
    line = "affinity: {{ pod.affinity }}\n"
    folder = shadow(**{"parts__pod-spec": changed("parts/pod-spec", line, "")})
    before = job(render_spec())["spec"]["template"]["spec"]
    after = job(render_spec(templates=folder))["spec"]["template"]["spec"]
    assert before.keys() - after.keys() == {"affinity"}


def test_a_template_may_ask_for_truth_length_and_equality(
    render_spec: Render, shadow: Shadow
) -> None:
    more = (
        "  annotations:\n"
        "    service: '{% if plan.service %}yes{% else %}no{% endif %}'\n"
        "    several: '{% if plan.pod.volumes | default(none) %}yes{% endif %}'\n"
        "    zero: '{% if plan.job.backoff_limit %}is written{% endif %}'\n"
        "    target: '{% if plan.target == 'job' %}a job{% endif %}'\n"
        "    first: '{% for c in plan.pod.containers %}{{ c.name }}{% endfor %}'\n"
    )
    text = changed("job", "spec:\n", "spec:\n").replace(
        '{% include "parts/metadata.yaml.j2" %}', METADATA.rstrip() + "\n" + more.rstrip()
    )
    rendering = render_spec("  retries: {limit: 0}\n", templates=shadow(job=text))
    metadata = job(rendering)["metadata"]
    assert metadata["annotations"] == {
        "service": "no",
        "several": "yes",
        "zero": "is written",
        "target": "a job",
        "first": "main",
    }


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: {{ plan.nothing }}", 1, "`plan` has no `nothing`; it has: "),
        (
            "a: {{ plan.meta.carrier_annotations }}",
            1,
            "`plan.meta.carrier_annotations` is now `plan.meta.workload_annotations`",
        ),
        ("a: b\nc: {{ plan.meta.nothing }}", 2, "`plan.meta` has no `nothing`; it has: name, "),
        ("a: {{ plan.meta.name.nothing }}", 1, "`plan.meta.name` is one value and has no"),
        ("a: {{ plan.cron.schedule }}", 1, "there is no `plan.cron` for this workload"),
        ("a: {{ plan.case.profile }}", 1, "`plan` has no `case`"),
        ("a: {{ nothing }}", 1, "`nothing` is not defined; templates see `plan`"),
        ("a: b\n\n{% if %}", 3, "Expected an expression"),
        ("a: {{ plan.meta.name", 1, "unexpected end of template"),
        ("{% for x in plan.pod.containers %}", 1, "endfor"),
        ("a: {{ plan.meta.name | upper }}", 1, "No filter named 'upper'"),
        ("a: {{ plan.__class__ }}", 1, "__class__"),
        ("a: {{ plan._node }}", 1, "_node"),
        ("a: {{ ''.__class__.__mro__ }}", 1, "__class__"),
        ("a: {{ plan.meta.name.__init__.__globals__ }}", 1, "__init__"),
        ("{% for i in range(1000000000) %}{% endfor %}", 1, "calls are not supported"),
        ("a: {{ 'x' * 10 ** 9 }}", 1, "cannot compute"),
        ("a: {{ '%s' % plan.meta.name }}", 1, "cannot compute"),
        ("a: {{ 1 / 0 }}", 1, "division by zero"),
        ("a: {{ none }}", 1, "not NoneType"),
        ("a: {{ plan.meta.name + 'x' }}", 1, "unsupported operand"),
        ("{% for x in plan.meta.labels %}{% endfor %}", 1, "`plan.meta.labels` is not a list"),
        ("{% for x in plan.meta.name %}{% endfor %}", 1, "`plan.meta.name` is not a list"),
        ("{% include '/etc/passwd' %}", 1, "there is no template /etc/passwd"),
        ("{% include '../spec.yaml' %}", 1, "there is no template ../spec.yaml"),
        ("{% include 'job.yaml.j2' %}", 1, "includes itself in a loop"),
        (b"a: \xff", 1, "not UTF-8"),
    ],
)
def test_a_wrong_template_is_said_with_file_and_line(
    render_spec: Render, shadow: Shadow, text: str | bytes, line: int, said: str
) -> None:
    found = problem(render_spec, shadow(job=text))
    assert said in found.message
    assert str(found.place) == f"{shadow() / 'job.yaml.j2'}:{line}:1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "renders 0 documents"),
        ("- a", "must render one object"),
        ("word", "must render one object"),
        (f"{OBJECT}---\n{OBJECT}", "renders 2 documents"),
        ("kind: Job\nmetadata: {}", "`apiVersion` is missing"),
        ("a: b\n c: {{ plan.meta.name }}", "where it renders `c: …`"),
        ("a: b\na: c", "where it renders `a: c`"),
        ("a: &x [*x]", "template job.yaml.j2"),
        (f"{OBJECT}spec: {{{{ plan.job }}}}", "at spec: a group of fields (name, labels, "),
        (f"{OBJECT}spec: x{{{{ plan.job.labels }}}}", "at spec: a mapping inside a string"),
        (f"{OBJECT}spec: x{{{{ plan.pod.automount_token }}}}", "true or false inside a string"),
        (f"{OBJECT}spec: x{{{{ plan.cron }}}}", "nothing inside a string"),
        (f"{OBJECT}{{{{ plan.job.labels }}}}: x", "a key is not a string"),
        (f"{OBJECT}{{{{ plan.meta.name }}}}: x\n{{{{ plan.meta.name }}}}: y", "appears twice"),
        (f"{OBJECT}spec: \ue0009\ue001", "U+E000 and U+E001 are reserved"),
    ],
)
def test_a_template_that_lays_out_no_object_is_said(
    render_spec: Render, shadow: Shadow, text: str, said: str
) -> None:
    found = problem(render_spec, shadow(job=text))
    assert said in found.message
    assert found.place is not None and found.place.file == str(shadow() / "job.yaml.j2")


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("pod", "spec:\n", "spec:\n  hosthame: x\n", "hosthame"),
        ("pod", "spec:\n", "spec:\n  hostPID: maybe\n", "expected"),
        ("pod-spec", "containers:\n", "nocontainers:\n", "containers"),
    ],
)
def test_what_is_not_valid_is_the_fault_of_whose_template_it_is(
    render_spec: Render, shadow: Shadow, name: str, old: str, new: str, said: str
) -> None:
    text = (OURS / f"parts/{name}.yaml.j2").read_text()
    head, _, tail = text.rpartition(old)
    with pytest.raises(gpuspec.InputError) as caught:
        render_spec(templates=shadow(**{f"parts__{name}": head + new + tail}))
    assert all(f"templates of {shadow()}" in one.message for one in caught.value.problems)
    assert any(said in one.message for one in caught.value.problems)
    mine = str(shadow() / f"parts/{name}.yaml.j2")
    assert {one.place.file for one in caught.value.problems if one.place} == {mine}


def test_an_object_without_a_name_is_the_templates_fault(
    render_spec: Render, shadow: Shadow
) -> None:
    found = problem(render_spec, shadow(parts__metadata="metadata: {labels: {a: b}}\n"))
    assert "metadata.name: every object needs this field" in found.message


def test_a_kind_of_another_api_is_passed(render_spec: Render, shadow: Shadow) -> None:
    text = "apiVersion: example.org/v1\nkind: Run\n" + METADATA.replace(
        "name }", "plan.meta.name }"
    )
    assert job(render_spec(templates=shadow(job=text)))["kind"] == "Run"


def test_a_template_that_shadows_nothing_is_an_error(render_spec: Render, shadow: Shadow) -> None:
    found = problem(render_spec, shadow(jobb="a: b"))
    assert "jobb.yaml.j2 replaces no built-in template" in found.message
    assert found.hint is not None and "job.yaml.j2" in found.hint


def test_a_folder_without_templates_is_an_error(render_spec: Render, tmp_path: Path) -> None:
    assert "contains no template" in problem(render_spec, tmp_path).message
    assert "is not a folder" in problem(render_spec, tmp_path / "none").message
    assert "is not a folder" in problem(render_spec, tmp_path / "spec.yaml").message


def test_a_mounted_configmap_is_a_folder_of_templates(render_spec: Render, tmp_path: Path) -> None:
    """Files in a hidden folder, and links to them, as the kubelet mounts it."""
    hidden = tmp_path / "mine" / "..2026_01_01"
    hidden.mkdir(parents=True)
    (hidden / "job.yaml.j2").write_bytes((OURS / "job.yaml.j2").read_bytes())
    (tmp_path / "mine" / "..data").symlink_to("..2026_01_01")
    (tmp_path / "mine" / "job.yaml.j2").symlink_to("..data/job.yaml.j2")
    assert render_spec(templates=tmp_path / "mine").objects == render_spec().objects


def test_two_sets_of_templates_do_not_mix(render_spec: Render, shadow: Shadow) -> None:
    """What was read for one set must not be taken for another."""
    first = render_spec()
    shadowed = render_spec(
        templates=shadow(parts__pod=changed("parts/pod", "spec:\n", "spec:\n  hostname: a\n"))
    )
    assert job(shadowed)["spec"]["template"]["spec"]["hostname"] == "a"
    assert render_spec().objects == first.objects
