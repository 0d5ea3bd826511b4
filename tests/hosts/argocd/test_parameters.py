"""Parameters: what is announced can be set, and what is hostile is refused or taken by the letter."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gpuspec
from gpuspec import InputError
from gpuspec.hosts.argocd_parameters import read_parameters
from tests.hosts.argocd.conftest import Argocd

ROOT = Path(__file__).parents[3]
NASTY = [
    "$(touch pwned)",
    "`touch pwned`",
    "; touch pwned",
    "x\napiVersion: v1\nkind: Secret",
    "--- \n...",
    "-c /etc/passwd",
    "&a [*a, *a]",
    "!!python/object/apply:os.system [touch pwned]",
    "{{ cycler.__init__.__globals__ }}",
    "{% raw %}",
    "\x1b[2J",
    "\u2028\u202e",
    "\x00",
    "a" * 5000,
    "",
]


def test_announcements_are_what_the_specs_say(argocd: Argocd) -> None:
    done = argocd("parameters")
    assert (done.code, done.err) == (0, "")
    found = {one["name"]: one for one in json.loads(done.out)}
    assert found["profile"]["string"] == "generic"
    assert found["specs"] == found["specs"] | {"collectionType": "array", "array": ["chat.yaml"]}
    assert found["lint"]["string"] == "fail"
    assert found["chat:gpu.models"]["string"] == "[L4, A100-80GB]"
    assert found["chat:replicas.max"] == {
        "name": "chat:replicas.max",
        "title": "chat: replicas.max",
        "tooltip": "A field of Inference serving/chat, as YAML.",
        "collectionType": "string",
        "string": "6",
    }


def test_announcements_do_not_wait_for_what_is_wrong(argocd: Argocd, repo: Path) -> None:
    """Parameters are edited where they are announced, the wrong ones too."""
    (repo / "apps/chat/broken.yaml").write_text("apiVersion: gpuspec.dev/v1alpha1\nkind: [\n")
    done = argocd("parameters", parameters={"lint": "never"})
    names = [one["name"] for one in json.loads(done.out)]
    assert {"profile", "specs", "lint", "chat:image"} <= {*names}
    assert done.code == 0
    assert "broken.yaml:" in done.err
    assert "parameter `lint`" in done.err


def test_announcements_are_of_the_specs_that_the_parameter_names(
    argocd: Argocd, repo: Path
) -> None:
    other = repo / "apps/other.yaml"
    other.write_text((repo / "apps/chat/chat.yaml").read_text().replace("name: chat", "name: two"))
    found = json.loads(argocd("parameters", parameters={"specs": ["../other.yaml"]}).out)
    names = [one["name"] for one in found]
    assert "two:image" in names
    assert "chat:image" not in names
    assert len({*names}) == len(names)


def test_a_profile_beside_a_spec_is_no_matter(argocd: Argocd, repo: Path) -> None:
    profile = (repo / "clusters/eu.yaml").read_text()
    with (repo / "apps/chat/chat.yaml").open("a") as file:
        file.write(f"---\n{profile}")
    done = argocd("parameters")
    assert done.err == ""
    assert "chat:image" in [one["name"] for one in json.loads(done.out)]


@pytest.mark.parametrize(
    "example", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda p: p.stem
)
def test_what_is_announced_sets_what_is_there_already(example: Path) -> None:
    (before,) = gpuspec.load(str(example))
    fields = gpuspec.settable(before)
    assert fields
    said = [f"{before.name}:{path}={value}" for path, value in fields.items()]
    (after,) = gpuspec.load(str(example), settings=said)
    assert after.model == before.model


@settings(max_examples=60)
@given(st.text(max_size=20), st.lists(st.text(max_size=8), max_size=3))
def test_any_text_is_announced_so_that_it_reads_back(one: str, many: list[str]) -> None:
    class Document:
        value = {"spec": {"one": one, "many": many}}

    class Workload:
        document = Document

    from gpuspec.manifests import parse_path, read

    if any("\ud800" <= letter <= "\udfff" or letter == "\0" for letter in one + "".join(many)):
        return
    found = gpuspec.settable(Workload)  # type: ignore[arg-type]
    for path, value in found.items():
        (document,) = read(f"x: {value}\n", "x")
        assert document.value == {"x": Document.value["spec"][str(parse_path(path)[0])]}


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"profil": "gke"}, "unknown parameter `profil`"),
        ({"profile": ["gke"]}, "parameter `profile` must have the form `string`"),
        ({"specs": "chat.yaml"}, "parameter `specs` must have the form `array`"),
        ({"specs": []}, "parameter `specs` is empty"),
        ({"lint": "Fail"}, "parameter `lint`: unknown value `Fail`"),
        ({"profile": ""}, "parameter `profile`: `` does not exist"),
        ({"profile": "-"}, "parameter `profile`: `-` does not exist"),
        ({"profile": "/etc/passwd"}, "`/etc/passwd` leads out of the repository"),
        ({"profile": "../../../x.yaml"}, "`../../../x.yaml` leads out of the repository"),
        ({"specs": ["link/x.yaml"]}, "`link/x.yaml` leads out of the repository"),
        ({"specs": ["a\0b"]}, "is not a path"),
        ({"chat:replicas=9": "1"}, "parameter `chat:replicas=9` is not a field of a workload"),
        ({"chat:replicas=9 #": ""}, "is not a field of a workload"),
        ({'chat:env["a': '"]=5'}, "is not a field of a workload"),
        ({"cha\nt:replicas": "1"}, "is not a field of a workload"),
        ({"": "1"}, "unknown parameter ``"),
        ({"other:replicas": "3"}, "other"),
        ({"chat:replicas": {"min": "1"}}, "must have the form `string`"),
        ([{"name": "lint", "string": "note"}] * 2, "parameter `lint` is set twice"),
        (
            [{"name": "lint", "string": 1}],
            "ARGOCD_APP_PARAMETERS: Expected `str | null`, got `int`",
        ),
        ([{"string": "x"}], "missing required field `name`"),
        ("x", "Expected `array | null`"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_printed(
    argocd: Argocd, repo: Path, parameters: Any, said: str
) -> None:
    (repo / "apps/chat/link").symlink_to("/etc")
    done = argocd("generate", parameters=parameters)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("value", ["[" * 40000, '"\udc80"', '{"a":', '[{"name":"\\ud800"}]'])
def test_what_is_no_json_is_said(argocd: Argocd, value: str) -> None:
    done = argocd("generate", ARGOCD_APP_PARAMETERS=value)
    assert (done.code, done.out) == (2, "")
    assert "ARGOCD_APP_PARAMETERS: " in done.err


def test_all_that_is_wrong_is_said_at_once(argocd: Argocd) -> None:
    done = argocd("generate", parameters={"profil": "x", "lint": "x", "specs": ["/a", "/b"]})
    assert done.err.count("error: ") == 4


def test_a_variable_that_means_nothing_is_said(argocd: Argocd) -> None:
    done = argocd("generate", ARGOCD_ENV_GPUSPEC_PROFIL="gke")
    assert (done.code, done.out) == (2, "")
    assert "unknown variable `GPUSPEC_PROFIL`" in done.err


@pytest.mark.parametrize("nasty", NASTY, ids=range(len(NASTY)))
@pytest.mark.parametrize("name", ["profile", "lint", "chat:owner", "chat:args", "{}", "chat:{}"])
def test_hostile_text_is_refused_or_taken_by_the_letter(
    argocd: Argocd, repo: Path, name: str, nasty: str
) -> None:
    parameters: dict[str, Any] = {"profile": "../../clusters/eu.yaml"}
    parameters[name.replace("{}", nasty)] = "3" if "{}" in name else nasty
    before = sorted(repo.rglob("*"))
    done = argocd("generate", parameters=parameters)
    assert done.code in (0, 1, 2)
    assert (done.out == "") is (done.code != 0)
    assert "kind: Secret" not in done.out.splitlines()
    assert "Traceback" not in done.err
    assert done.err.isprintable() or all(line.isprintable() for line in done.err.split("\n"))
    assert sorted(repo.rglob("*")) == before


def test_hostile_text_in_quotes_is_that_text(argocd: Argocd) -> None:
    """A value is YAML: in quotes it can be any text, and stays one string of one field."""
    line = "x\napiVersion: v1\nkind: Secret $(id) {{ x }}"
    asked = {"profile": "../../clusters/eu.yaml", "chat:env": json.dumps({"A": line})}
    done = argocd("generate", parameters=asked)
    assert done.code == 0
    from gpuspec.manifests import read

    found: list[Any] = [document.value for document in read(done.out, "out")]
    assert "Secret" not in [each["kind"] for each in found]
    (server,) = (each for each in found if each["kind"] == "Deployment")
    env = server["spec"]["template"]["spec"]["containers"][0]["env"]
    assert {"name": "A", "value": line} in env


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.fixed_dictionaries(
            {"name": st.text() | st.sampled_from(["profile", "specs", "lint", "chat:replicas"])},
            optional={
                "string": st.text() | st.none() | st.integers(),
                "array": st.lists(st.text()) | st.none(),
                "map": st.dictionaries(st.text(), st.text()) | st.none(),
            },
        ),
        max_size=3,
    )
)
def test_any_parameters_are_read_or_refused(found: Any) -> None:
    try:
        asked = read_parameters({"ARGOCD_APP_PARAMETERS": json.dumps(found)}, os.getcwd())  # noqa: PTH109
    except InputError:
        return
    assert all("=" not in one.partition("=")[0] for one in asked.settings)
    inside = Path.cwd().resolve()
    for each in (*asked.specs, asked.profile or "."):
        assert each in gpuspec.profile_names() or Path(each).resolve().is_relative_to(inside)
