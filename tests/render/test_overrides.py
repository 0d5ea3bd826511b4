"""Overrides: what they change, where the changes point, and what is refused."""

from typing import Any

import pytest

import gpuspec
from gpuspec.manifests import parse_path
from tests.render.conftest import Render

HEAD = "overrides:\n- kind: Job\n  patch:\n"


def override(patch: str, indent: str = "    ") -> str:
    """The end of a spec: one override of the Job."""
    lines = (HEAD + "".join(f"{indent}{line}\n" for line in patch.splitlines())).splitlines()
    return "".join(f"  {line}\n" for line in lines)


def pod(rendering: gpuspec.Rendering) -> dict[str, Any]:
    job = next(made for made in rendering.objects if made["kind"] == "Job")
    return job["spec"]["template"]["spec"]


def explanation(rendering: gpuspec.Rendering, path: str) -> gpuspec.Explanation:
    return next(
        d for d in rendering.explanations() if d.path == path and d.object.startswith("Job")
    )


def origin(rendering: gpuspec.Rendering, path: str) -> str:
    """Where a field of the Job comes from: itself, or the nearest thing that holds it."""
    made = next(made for made in rendering.rendered if made.kind == "Job")
    decision = made.decision(parse_path(path))
    return str(decision.origin) if decision else ""


def refused(render_spec: Render, patch: str) -> gpuspec.InputError:
    with pytest.raises(gpuspec.InputError) as caught:
        render_spec(override(patch))
    return caught.value


def env(patch: str) -> str:
    return f"spec: {{template: {{spec: {{containers: [{{name: main, env: {patch}}}]}}}}}}"


ENV = "spec.template.spec.containers[0].env"


def names(rendering: gpuspec.Rendering) -> list[str]:
    return [item["name"] for item in pod(rendering)["containers"][0]["env"]]


def test_what_an_override_sets_points_at_it(render_spec: Render) -> None:
    rendering = render_spec(override("spec:\n  template:\n    spec:\n      hostname: here"))
    assert pod(rendering)["hostname"] == "here"
    made = explanation(rendering, "spec.template.spec.hostname")
    assert made.value == "here"
    assert made.origin == "override spec.overrides[0].patch.spec.template.spec.hostname"
    assert made.place is not None and made.place.endswith("spec.yaml:25:23")


def test_what_an_override_deletes_is_a_decision_of_its_own(render_spec: Render) -> None:
    rendering = render_spec(override("spec: {template: {spec: {tolerations: null}}}"))
    assert "tolerations" not in pod(rendering)
    made = explanation(rendering, "spec.template.spec.tolerations")
    assert made.value is None
    assert made.origin.startswith("override ")
    assert "delete" in made.reason


def test_other_items_keep_their_origins_when_one_is_deleted(render_spec: Render) -> None:
    before = render_spec()
    first, second, third = (names(before).index(name) for name in ("FIRST", "SECOND", "THIRD"))
    rendering = render_spec(override(env("[{name: SECOND, $patch: delete}]")))
    assert names(rendering) == [name for name in names(before) if name != "SECOND"]
    moved = third - 1 if third > second else third
    assert names(rendering)[moved] == "THIRD"
    assert origin(rendering, f"{ENV}[{moved}].value").startswith("spec spec.env.THIRD")
    assert origin(rendering, f"{ENV}[{first}].value").startswith("spec spec.env.FIRST")
    assert not [d for d in rendering.explanations() if d.origin.startswith("spec spec.env.SECOND")]
    whole = explanation(rendering, ENV)
    assert whole.origin.startswith("override ") and "deletes an item" in whole.reason


def test_other_items_keep_their_origins_when_one_comes_in_front(render_spec: Render) -> None:
    rendering = render_spec(override(env('[{name: NEW, value: "0"}]')))
    assert names(rendering)[0] == "NEW"
    assert explanation(rendering, f"{ENV}[0]").value == {"name": "NEW", "value": "0"}
    at = names(rendering).index("THIRD")
    assert origin(rendering, f"{ENV}[{at}].value").startswith("spec spec.env.THIRD")


def test_a_changed_item_points_at_the_override_in_what_was_changed(render_spec: Render) -> None:
    rendering = render_spec(override(env('[{name: SECOND, value: "9"}]')))
    at = names(rendering).index("SECOND")
    assert explanation(rendering, f"{ENV}[{at}].value").origin == (
        "override spec.overrides[0].patch.spec.template.spec.containers[0].env[0].value"
    )
    assert origin(rendering, f"{ENV}[{at}].name").startswith("spec spec.env.SECOND")


def test_values_of_decisions_are_those_of_the_object(render_spec: Render) -> None:
    rendering = render_spec(override("spec: {template: {spec: {securityContext: {runAsUser: 7}}}}"))
    for made in rendering.explanations():
        if made.path.startswith("spec.template.spec.securityContext") and "runAsUser" in made.path:
            assert made.value == 7
    assert pod(rendering)["securityContext"]["runAsUser"] == 7
    assert pod(rendering)["securityContext"]["runAsNonRoot"] is True


def test_decisions_are_in_the_order_of_the_fields(render_spec: Render) -> None:
    rendering = render_spec(override("metadata: {labels: {a: b}}"))
    paths = [made.path for made in rendering.explanations()]
    assert paths.index("metadata.labels.a") < paths.index("spec.template.spec.restartPolicy")


def test_overrides_apply_one_after_another(render_spec: Render) -> None:
    more = override(env('[{name: NEW, value: "1"}]')) + (
        "  - kind: Job\n    patch:\n      " + env('[{name: NEW, value: "2"}]') + "\n"
    )
    rendering = render_spec(more)
    assert pod(rendering)["containers"][0]["env"][0] == {"name": "NEW", "value": "2"}
    assert "overrides[1]" in origin(rendering, f"{ENV}[0].value")
    assert "overrides[0]" in origin(rendering, f"{ENV}[0].name")


def test_a_job_named_by_its_template_gets_another_name(render_spec: Render) -> None:
    def name(patch: str = "") -> str:
        return render_spec(override(patch) if patch else "").objects[-1]["metadata"]["name"]

    assert name() != name("spec: {template: {spec: {hostname: here}}}")
    assert name() == name("metadata: {labels: {a: b}}")


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        ("spec: {nothing: null}", "there is no `nothing` to delete"),
        (env("[{name: NONE, $patch: delete}]"), "there is no name NONE to delete"),
        (env("[]"), "an empty list changes nothing here"),
        (env("[{value: x}]"), "an item of this list needs `name`"),
        (env("[text]"), "an item of this list needs `name`"),
        (env("[{name: A, value: '1'}, {name: A, value: '2'}]"), "name A is listed twice"),
        (env("[{name: FIRST, $patch: replace, value: x}]"), "`$patch: replace` does not belong"),
        (env("[{name: FIRST, $patch: delete, value: x}]"), "an item to delete has only"),
        ("spec: {template: {spec: {$patch: merge}}}", "`$patch` is not supported here"),
        ("spec: {template: {spec: {$retainKeys: [a]}}}", "`$retainKeys` is not supported here"),
        ("$setElementOrder/x: [a]", "`$setElementOrder/x` is not supported here"),
        ("spec: {template: {spec: {hostAliases: [{ip: null}]}}}", "there is no `ip` to delete"),
        ("spec: {template: {spec: {dnsConfig: {$patch: delete}}}}", "there is nothing to delete"),
        ("kind: CronJob", "`kind` cannot be overridden"),
        ("$patch: delete", "`$patch` cannot be overridden"),
        ("metadata: {name: null}", "`metadata.name` cannot be overridden"),
        ("metadata: null", "metadata.name: every object needs this field"),
        ("metadata: {name: other}", "`metadata.name` cannot be overridden"),
        ("metadata: {namespace: other}", "`metadata.namespace` cannot be overridden"),
        ("spec: {template: {spec: {hosthame: x}}}", "hosthame"),
        ("spec: {backoffLimit: many}", "backoffLimit"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_its_line(
    render_spec: Render, patch: str, said: str
) -> None:
    problems = refused(render_spec, patch).problems
    assert any(said in problem.message for problem in problems), problems
    assert all(p.place is not None and p.place.line >= 20 for p in problems), problems


def test_all_that_is_wrong_is_said_at_once(render_spec: Render) -> None:
    more = override("spec: {nothing: null, template: {spec: {none: null}}}")
    more += "  - kind: Job\n    name: other\n    patch: {spec: {backoffLimit: 1}}\n"
    with pytest.raises(gpuspec.InputError) as caught:
        render_spec(more)
    said = [problem.message for problem in caught.value.problems]
    assert len(said) == 3
    assert "override of Job other matches nothing" in said[2]
    assert "Job train-" in (caught.value.problems[2].hint or "")


def test_a_name_that_no_object_has_matches_nothing(render_spec: Render) -> None:
    more = "  overrides:\n  - kind: Job\n    name: other\n    patch: {spec: {backoffLimit: 1}}\n"
    with pytest.raises(gpuspec.InputError, match="override of Job other matches nothing"):
        render_spec(more)


def test_a_mapping_is_replaced_and_emptied_on_request(render_spec: Render) -> None:
    rendering = render_spec(
        override(
            "spec: {template: {spec: {securityContext: {$patch: replace, runAsNonRoot: true, "
            "seccompProfile: {type: RuntimeDefault}}}}}"
        )
    )
    kept = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
    assert pod(rendering)["securityContext"] == kept
    rendering = render_spec(override("spec: {template: {spec: {affinity: {$patch: delete}}}}"))
    assert pod(rendering)["affinity"] == {}


def test_a_named_list_is_replaced_on_request(render_spec: Render) -> None:
    rendering = render_spec(override(env("[{$patch: replace}, {name: ONLY, value: x}]")))
    assert names(rendering) == ["ONLY"]
    assert explanation(rendering, ENV).origin.endswith(".env")
    assert not [d for d in rendering.explanations() if d.origin.startswith("spec spec.env.FIRST")]
