"""Whoever takes away from Pod Security says why, however it is written."""

import pytest

from tests.stories.conftest import Desk, MakeSpec

HEAD = "  overrides:\n  - kind: Job\n    patch: {spec: {template: {spec: "
NETWORK = HEAD + "{hostNetwork: true}}}}\n"
MAIN = HEAD + "{containers: [{name: main, securityContext: %s}]}}}}\n"
INIT = "  initContainers: [{name: own, image: 'ghcr.io/example/own:1'}]\n"
OWNER = HEAD + (
    "{initContainers: [{name: own, securityContext: {runAsUser: 0, runAsNonRoot: false}}]}}}}\n"
)
ALL = HEAD + (
    "{hostNetwork: true, volumes: [{name: host, hostPath: {path: /}}],"
    " securityContext: {runAsUser: 0},"
    " containers: [{name: main, securityContext: {privileged: true,"
    " capabilities: {add: [SYS_ADMIN]}, readOnlyRootFilesystem: false}}]}}}}\n"
)
FIELDS = ("root", "writableRoot", "hostPath", "capabilities", "hostNetwork", "privileged")
PROFILE = """\
apiVersion: gpuspec.dev/v1alpha1
kind: ClusterProfile
metadata: {name: here}
spec: {kubernetes: "1.36", namespaces: [{name: ml, podSecurity: %s}]}
"""


def waivers(*fields: str) -> str:
    return "  waivers: {" + ", ".join(f"{one}: the probe needs it" for one in fields) + "}\n"


def test_all_that_is_taken_away_is_said_at_once(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", ALL))
    done = desk.run("render a.yaml --no-lint")
    assert (done.code, done.out) == (2, "")
    for field in FIELDS:
        assert f"give the reason in `waivers.{field}`" in done.said, field
    assert "a.yaml:17:" in done.said


def test_with_its_reasons_it_renders_and_they_stand_on_the_pod(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", ALL + waivers(*FIELDS)))
    done = desk.run("render a.yaml --no-lint")
    assert done.code == 0, done.said
    for name in ("root", "writable-root", "host-path", "capabilities", "host-network"):
        assert f"        gpuspec.dev/waiver-{name}: the probe needs it\n" in done.out
    assert "not needed" not in done.said


@pytest.mark.parametrize(
    ("more", "field"),
    [
        (NETWORK, "hostNetwork"),
        (MAIN % "{privileged: true}", "privileged"),
        (MAIN % "{capabilities: null}", "capabilities"),
        (MAIN % "{allowPrivilegeEscalation: null}", "privileged"),
        (MAIN % "{readOnlyRootFilesystem: null}", "writableRoot"),
        (HEAD + "{securityContext: {seccompProfile: {type: Unconfined}}}}}}\n", "privileged"),
        (HEAD + "{containers: [{name: more, image: 'a:1'}]}}}}\n", "capabilities"),
        (INIT + OWNER, "root"),
    ],
)
def test_one_reason_lets_off_one_thing(desk: Desk, spec: MakeSpec, more: str, field: str) -> None:
    desk.write("a.yaml", spec("a", more))
    assert f"`waivers.{field}`" in desk.run("render a.yaml --no-lint").said
    others = [one for one in FIELDS if one != field]
    desk.write("a.yaml", spec("a", "  user: {uid: 7}\n" + more + waivers(*others)))
    done = desk.run("render a.yaml --no-lint")
    assert done.code == 2 and f"`waivers.{field}`" in done.said


def test_one_container_is_root_and_the_others_are_not(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a", INIT + OWNER + waivers("root") + "  user: {uid: 7}\n"))
    done = desk.run("render a.yaml --no-lint")
    assert done.code == 0, done.said
    assert "runAsUser: 7\n" in done.out and done.out.count("runAsUser: 0\n") == 1
    assert "not needed" not in done.said


def test_a_waiver_that_nothing_needs_is_a_note_and_keeps_its_reason(
    desk: Desk, spec: MakeSpec
) -> None:
    desk.write("a.yaml", spec("a", "  user: {uid: 7}\n" + waivers("root", "hostPath")))
    done = desk.run("render a.yaml")
    assert done.code == 0, done.said
    for name in ("root", "host-path"):
        assert f"note: a: waiver {name} is not needed" in done.said
        assert f"gpuspec.dev/waiver-{name}: the probe needs it\n" in done.out


def test_what_the_namespace_refuses_needs_no_reason_but_another_namespace(
    desk: Desk, spec: MakeSpec
) -> None:
    desk.write("a.yaml", spec("a", NETWORK))
    for level, rule in (("baseline", "GPU601"), ("restricted", "GPU601")):
        desk.write("here.yaml", PROFILE % level)
        done = desk.run("render a.yaml -c here.yaml")
        assert done.code != 0 and rule in done.said and "waivers" not in done.said
    desk.write("here.yaml", PROFILE % "privileged")
    assert "`waivers.hostNetwork`" in desk.run("render a.yaml -c here.yaml").said


def test_templates_of_ones_own_may_and_it_is_said(desk: Desk, spec: MakeSpec) -> None:
    from tests.stories.test_own_templates import OURS

    pod = (OURS / "parts/pod.yaml.j2").read_text()
    desk.write("mine/parts/pod.yaml.j2", pod.replace("\nspec:\n", "\nspec:\n  hostPID: true\n"))
    desk.write("a.yaml", spec("a"))
    done = desk.run("render a.yaml --templates mine --no-lint")
    assert done.code == 0, done.said
    assert "your templates weaken Job a-" in done.said and "`hostPID` is true" in done.said
    desk.write("a.yaml", spec("a", waivers("privileged")))
    assert "weaken" not in desk.run("render a.yaml --templates mine --no-lint").said
