"""GPU825: who may choose a user on a platform that assigns it."""

import pytest

from tests.lint.pages import HERE, raised

BASE = (HERE / "bases" / "deployment.yaml").read_text()
ROLE = """
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: scc, namespace: serving}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: scc}
subjects: [{kind: ServiceAccount, name: default, namespace: serving}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: scc, namespace: serving}
rules: [{apiGroups: [GROUP], resources: [RESOURCE], verbs: [use]}]
"""
OTHER = ROLE.replace("GROUP", "example.com").replace("RESOURCE", "things")
LETS = ROLE.replace("GROUP", "security.openshift.io").replace(
    "RESOURCE", "securitycontextconstraints"
)
PINNED = "metadata: {labels: {app: chat}, annotations: {openshift.io/required-scc: NAME}}"


def said(text: str, profile: str | None = "openshift") -> list[str]:
    found = [one.finding() for one in raised(text, profile)]
    return [f"{one.message} {one.note}" for one in found if one.rule == "GPU825"]


def pinned(name: str) -> str:
    template, labels = "  template:\n    ", "metadata: {labels: {app: chat}}"
    return BASE.replace(template + labels, template + PINNED.replace("NAME", name))


def test_a_number_is_said_with_the_constraint_that_it_takes() -> None:
    (one,) = said(BASE)
    assert "`restricted-v2` forbids `runAsUser: 2000`" in one
    assert "add-scc-to-user nonroot-v2 -z default -n serving" in one


def test_root_takes_another() -> None:
    root = BASE.replace("runAsNonRoot: true", "runAsNonRoot: false")
    (one,) = said(root.replace("runAsUser: 2000", "runAsUser: 0"))
    assert "add-scc-to-user anyuid -z default" in one


@pytest.mark.parametrize(
    "text",
    [
        BASE + LETS,
        BASE + ROLE.partition("---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n")[0],
        pinned("nonroot-v2"),
        BASE.replace("2000", "1000680000"),
        BASE.replace("      restartPolicy: Always\n", "      serviceAccountName: ranker\n"),
    ],
    ids=["a role lets it", "a role that is elsewhere", "it requires another", "its own", "profile"],
)
def test_whoever_may_be_let_is_passed_over(text: str) -> None:
    assert text != BASE
    assert said(text) == []


@pytest.mark.parametrize("text", [BASE + OTHER, pinned("restricted-v2")])
def test_what_does_not_let_it_changes_nothing(text: str) -> None:
    assert len(said(text)) == 1


@pytest.mark.parametrize("profile", [None, "h100"])
def test_elsewhere_a_user_is_written(profile: str | None) -> None:
    assert said(BASE, profile) == []


def test_without_a_user_the_image_may_be_roots() -> None:
    text = BASE.replace("        runAsUser: 2000\n", "")
    found = {one.rule.code for one in raised(text)}
    assert "GPU619" in found
    assert {
        one.rule.code for one in raised(text.replace("fsGroup: 2000", ""), "openshift")
    } == set()
