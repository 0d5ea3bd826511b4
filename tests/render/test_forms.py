"""Forms: what a template has laid out once is what it would lay out again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import gpuspec
from gpuspec.plan import Plan
from gpuspec.render import Templates
from gpuspec.render.forms import Forms
from gpuspec.render.layout import lay_out
from gpuspec.render.view import View
from gpuspec.startup.prebuilt import file_of, made_of
from tests.render.conftest import Render

Renderings = dict[tuple[str, str], gpuspec.Rendering]


class Forgetful(Forms):
    """Lays out anew every time."""

    def find(self, template: str, plan: dict[str, Any]) -> None:
        return None


def templates(forms: Forms) -> Templates:
    made = Templates()
    made.forms = forms
    return made


def laid_out(plan: Plan, forms: Forms) -> list[Any]:
    return [(one.value, one.provenance) for one in lay_out(plan, templates(forms))]


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jinja2 must not be asked."""

    def loud(*_: object) -> str:
        raise AssertionError("a template was laid out")

    monkeypatch.setattr(Templates, "lay_out", loud)


def test_shipped_forms_are_what_templates_lay_out(renderings: Renderings) -> None:
    for rendering in renderings.values():
        shipped = laid_out(rendering.plan, Templates().forms)
        assert shipped == laid_out(rendering.plan, Forgetful())


@pytest.mark.usefixtures("silent")
def test_examples_need_no_template(renderings: Renderings) -> None:
    """But those with roles of their own, of which each set has another form."""
    made = Templates()
    for rendering in renderings.values():
        assert rendering.resolution.roles or lay_out(rendering.plan, made)


def test_forms_are_learnt(renderings: Renderings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second plan of the same form is not laid out; one with another answer is."""
    plan = renderings["chat", "generic"].plan
    made = templates(Forms())
    first = [one.value for one in lay_out(plan, made)]
    asked: list[str] = []
    usual = Templates.lay_out

    def counted(self: Templates, name: str, view: View) -> str:
        asked.append(name)
        return usual(self, name, view)

    monkeypatch.setattr(Templates, "lay_out", counted)
    assert [one.value for one in lay_out(plan, made)] == first
    assert asked == []
    helped = msgspec.structs.replace(plan.pod, init_containers=plan.pod.containers)
    roles = {"server": msgspec.structs.replace(plan.roles["server"], pod=helped)}
    more = lay_out(msgspec.structs.replace(plan, roles=roles), made)[-1]
    assert asked == ["deployment.yaml.j2"]
    assert len(more.value["spec"]["template"]["spec"]["initContainers"]) == 1


def test_forms_of_other_templates_are_none(renderings: Renderings, tmp_path: Path) -> None:
    assert made_of("forms/job.yaml.j2", "sha256:other") is None
    assert Templates().forms.of("job.yaml.j2") != []
    shadow = tmp_path / "service.yaml.j2"
    shadow.write_text("{}")
    assert Templates(tmp_path).forms.of("job.yaml.j2") == []


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("{% if plan.target == 'job' %}yes{% else %}no{% endif %}", "job", "cronjob"),
        ("{% if plan.target %}yes{% else %}no{% endif %}", "job", ""),
        ("{% if plan.account %}yes{% else %}no{% endif %}", "job", None),
    ],
)
def test_no_plan_gets_the_answer_of_another(
    render_spec: Render,
    tmp_path: Path,
    text: str,
    one: Any,
    other: Any,
) -> None:
    """Values that are compared, truth, parts that are there."""
    metadata = "metadata:\n  name: x\n  labels:\n    a: '" + text + "'\n"
    (tmp_path / "job.yaml.j2").write_text(f"apiVersion: batch/v1\nkind: Job\n{metadata}")
    plan = render_spec().plan
    made = Templates(tmp_path)
    plans = [_changed(plan, value) for value in (one, other, one)]
    assert [_label(each, made) for each in plans] == ["yes", "no", "yes"]


def _changed(plan: Plan, value: Any) -> Plan:
    target = msgspec.structs.replace(plan.target, value=value)
    (job,) = plan.objects
    parts = {**job.parts, "account": None if value is None else plan.target}
    job = msgspec.structs.replace(job, parts=parts)
    return msgspec.structs.replace(plan, target=target, objects=(job,))


def _label(plan: Plan, made: Templates) -> str:
    from gpuspec.render.layout import lay_out_one

    return str(lay_out_one(plan.objects[0], plan, made).value["metadata"]["labels"]["a"])


def test_a_part_that_is_sometimes_missing(render_spec: Render, tmp_path: Path) -> None:
    """What a template finds out by asking whether it is there is remembered as such."""
    text = "{{ 'yes' if plan.meta.labels.x is defined else 'no' }}"
    (tmp_path / "job.yaml.j2").write_text(
        f"apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: x\n  labels:\n    a: '{text}'\n"
    )
    plan, made = render_spec().plan, Templates(tmp_path)
    labels = {**plan.meta.labels, "x": plan.target}
    more = msgspec.structs.replace(plan, meta=msgspec.structs.replace(plan.meta, labels=labels))
    assert [_label(each, made) for each in (plan, more, plan, more)] == ["no", "yes", "no", "yes"]


NO_EXAMPLE = {
    *("appwrapper.yaml.j2", "job-group.yaml.j2", "kserve.yaml.j2", "knative.yaml.j2"),
    *("kserve-knative.yaml.j2", "llminferenceservice.yaml.j2", "volcano.yaml.j2"),
    *("nimservice.yaml.j2", "raycluster.yaml.j2", "ray-head-policy.yaml.j2"),
    *("compute-domain.yaml.j2", "service-monitor.yaml.j2"),
}
"""Templates that no example asks for on its profiles, which are laid out when somebody does."""


def shipped() -> Iterator[tuple[str, list[Any]]]:
    templates = Templates()
    for name in templates.names:
        kept = json.loads(Path(file_of(f"forms/{name}")).read_text())
        assert kept["of"] == templates.digest(name), "run `make docs`"
        yield name, kept["value"]


def test_what_is_shipped_is_of_these_templates() -> None:
    """One form for each template, or one for each number of helper containers."""
    counts = {name: len(forms) for name, forms in shipped()}
    assert counts.keys() == set(Templates().names)
    assert {name for name, count in counts.items() if count == 0} == NO_EXAMPLE
    assert set(counts.values()) == {0, 1, 5}
