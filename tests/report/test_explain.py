"""What `gpuspec explain` prints, from decisions as they come from the other rooms.

`chat.txt` is the whole page for the decisions of `chat.json`, reviewed by eye.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gpuspec.plan import Explanation, Note, Origin
from gpuspec.report.explain import explain_json, explain_text

HERE = Path(__file__).parent
CHAT = json.loads((HERE / "chat.json").read_text(encoding="utf-8"))
TITLE = "Inference chat on bare-metal"


def explanation(
    path: str,
    value: Any = 1,
    *,
    of: str = "Job a",
    reason: str = "a reason",
    origin: str = "derived a-rule",
    place: str | None = None,
) -> Explanation:
    return Explanation(of, path, value, reason, origin, place)


def page(*explanations: Explanation, notes: tuple[Note, ...] = (), width: int = 80) -> list[str]:
    return explain_text("A title", explanations, notes, width=width).splitlines()


def chat(**options: Any) -> str:
    explanations = [Explanation(**made) for made in CHAT["decisions"]]
    notes = [Note("it can run on pool a100", Origin("profile", ("spec", "pools", 1)))]
    return explain_text(TITLE, explanations, notes, **options)


def test_the_whole_page_is_as_it_was_reviewed() -> None:
    assert chat() == (HERE / "chat.txt").read_text(encoding="utf-8")


def test_a_line_is_longer_than_the_page_only_when_it_is_one_word() -> None:
    long = [line for line in chat().splitlines() if len(line) > 80]
    assert all(len(line.split()) == 1 for line in long)


@pytest.mark.parametrize("width", [40, 60, 100])
def test_every_width_says_the_same_words(width: int) -> None:
    def words(text: str) -> str:
        return re.sub(r"[\s#{}\[\],]|- ", "", text)

    assert words(chat(width=width)) == words(chat())


def test_colour_adds_nothing_but_colour() -> None:
    coloured = chat(color=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == chat()


def test_json_has_every_decision_with_its_whole_path() -> None:
    explanations = [Explanation(**made) for made in CHAT["decisions"]]
    assert explain_json("chat", "bare-metal", explanations, []) == {**CHAT, "notes": []}


def test_a_container_is_headed_by_its_name_and_its_paths_go_on_from_there() -> None:
    where = "spec.template.spec.containers[0]"
    lines = page(explanation(f"{where}.name", "main"), explanation(f"{where}.workingDir", "/work"))
    assert lines[3:] == [
        "",
        "  Container main  spec.template.spec.containers[0]",
        "    name = main",
        "    workingDir = /work",
        "        # a reason [derivation a-rule]",
    ]


def test_the_pod_of_a_cronjob_is_found_too() -> None:
    lines = page(explanation("spec.jobTemplate.spec.template.spec.restartPolicy", "Never"))
    assert "  Pod  spec.jobTemplate.spec.template.spec" in lines
    assert "    restartPolicy = Never" in lines


def test_a_template_with_the_pods_in_it_is_no_pod() -> None:
    job = "spec.replicatedJobs[0].template.spec"
    pod = f"{job}.template.spec"
    lines = page(
        explanation(f"{job}.backoffLimit", 0),
        explanation(f"{pod}.restartPolicy", "Never"),
        explanation(f"{pod}.containers[0].name", "main"),
    )
    assert [line for line in lines if line.endswith(".spec")] == [
        f"  Template  {job}",
        f"  Pod  {pod}",
    ]


def test_an_init_container_is_called_one() -> None:
    where = "spec.template.spec.initContainers[1]"
    lines = page(explanation(f"{where}.name", "fetch"))
    assert f"  Init container fetch  {where}" in lines


@pytest.mark.parametrize(
    ("item", "value", "row"),
    [
        ("env[3]", {"name": "HOME", "value": "/home/app"}, "HOME = /home/app"),
        (
            "env[0]",
            {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}},
            "KEY = {valueFrom: {secretKeyRef: {name: a, key: b}}}",
        ),
        ("ports[0]", {"name": "http", "containerPort": 80}, "http = {containerPort: 80}"),
        ("volumeMounts[0]", {"name": "tmp", "mountPath": "/tmp"}, "/tmp = tmp"),
        (
            "volumeMounts[0]",
            {"name": "model", "mountPath": "/models", "readOnly": True},
            "/models = {name: model, readOnly: true}",
        ),
    ],
)
def test_an_item_of_a_list_goes_by_its_name(item: str, value: Any, row: str) -> None:
    lines = page(explanation(f"spec.template.spec.containers[0].{item}", value))
    assert f"    {item.partition('[')[0]}" in lines
    assert f"      {row}" in lines


def test_what_is_requested_and_limited_alike_is_one_row() -> None:
    where = "spec.template.spec.containers[0].resources"
    lines = page(
        explanation(f'{where}.requests["nvidia.com/gpu"]', "8"),
        explanation(f'{where}.limits["nvidia.com/gpu"]', "8"),
    )
    assert lines[-3:] == [
        "    resources",
        '      requests["nvidia.com/gpu"], limits["nvidia.com/gpu"] = "8"',
        "          # a reason [derivation a-rule]",
    ]


def test_a_reason_is_said_once_for_rows_that_share_it() -> None:
    lines = page(
        explanation("spec.a", 1), explanation("spec.b", 2), explanation("spec.c", 3, reason="b")
    )
    assert lines[3:] == [
        "  spec.a = 1",
        "  spec.b = 2",
        "      # a reason [derivation a-rule]",
        "  spec.c = 3",
        "      # b [derivation a-rule]",
    ]


def test_what_every_object_has_is_said_once_and_provenance_last() -> None:
    digest = 'metadata.annotations["gpuspec.dev/digest"]'
    shared = {"metadata.namespace": "ml"}
    lines = page(
        *(
            explanation(path, value, of=name)
            for name in ("Service a", "Job a")
            for path, value in {**shared, "spec.x": name}.items()
        ),
        explanation(digest, "sha256:" + "ab" * 32, of="Job a"),
    )
    assert lines == [
        "A title",
        "",
        "Every object",
        "  metadata.namespace = ml",
        "      # a reason [derivation a-rule]",
        "",
        "Service a",
        "  spec.x = Service a",
        "      # a reason [derivation a-rule]",
        "",
        "Job a",
        "  spec.x = Job a",
        "      # a reason [derivation a-rule]",
        "",
        "Provenance",
        "  metadata.annotations",
        "    gpuspec.dev/digest = sha256:abababababab…",
    ]


def test_provenance_hides_no_field_of_the_same_value() -> None:
    image = "registry/train:1"
    lines = page(
        explanation("spec.image", image, origin="spec spec.image", place="train.yaml:8:10"),
        explanation('metadata.annotations["gpuspec.dev/image"]', image, origin="spec spec.image"),
    )
    assert lines[2:5] == [
        "Job a",
        f"  spec.image = {image}",
        "      # a reason [spec.image, train.yaml:8:10]",
    ]
    assert not any("as above" in line for line in lines)


def test_a_value_of_an_earlier_object_is_counted_not_repeated() -> None:
    lines = page(
        explanation("spec.selector.app", "a", of="Service a"),
        explanation("spec.selector.matchLabels.app", "a", of="Job a"),
        explanation("spec.selector.matchLabels.app", "a", of="Job a", reason="another"),
    )
    job = lines[lines.index("Job a") :]
    assert job[1:] == [
        "  spec.selector.matchLabels.app = a",
        "      # another [derivation a-rule]",
        "  … 1 more as above",
    ]


@pytest.mark.parametrize(
    ("origin", "place", "shown"),
    [
        ("spec spec.gpu.models", "chat.yaml:17:13", "[spec.gpu.models, chat.yaml:17:13]"),
        ("profile spec.pools[0]", "eu.yaml:9:5", "[spec.pools[0], eu.yaml:9:5]"),
        ("profile spec.kubernetes", None, "[profile spec.kubernetes]"),
        ("spec spec.retries.limit", None, "[default of spec.retries.limit]"),
        ("override spec.overrides[0]", "chat.yaml:30:7", "[spec.overrides[0], chat.yaml:30:7]"),
        ("table runtimes/vllm ports", None, "[table runtimes/vllm ports]"),
        ("derived drain", None, "[derivation drain]"),
    ],
)
def test_an_origin_says_where_to_look(origin: str, place: str | None, shown: str) -> None:
    lines = page(explanation("spec.a", origin=origin, place=place))
    assert lines[-1] == f"      # a reason {shown}"


def test_a_decision_without_a_reason_still_says_where_it_came_from() -> None:
    assert page(explanation("spec.a", reason=""))[-1] == "      # [derivation a-rule]"


def test_an_origin_is_kept_on_one_line() -> None:
    lines = page(explanation("spec.a", reason="word " * 14, origin="table some/table some row"))
    assert lines[-1] == "      # [table some/table some row]"


def test_a_name_cannot_steer_the_terminal() -> None:
    text = explain_text(
        "t",
        [
            explanation("spec.a", "red \x1b[31m", place="\x1b]0;x\x07.yaml:1:1", origin="spec a"),
            explanation('spec.env["\x1b[2J"]', "a\u202eb", reason="because \x9b31m"),
        ],
        [Note("note \x1b[31m", Origin("derived", row="x"))],
    )
    assert all(line.isprintable() for line in text.splitlines())


def test_long_values_are_laid_out_as_yaml() -> None:
    value = {
        "rules": [
            {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
            {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [126, 127]}},
        ]
    }
    assert page(explanation("spec.podFailurePolicy", value), width=60)[3:] == [
        "  spec.podFailurePolicy =",
        "    rules:",
        "      - action: Ignore",
        "        onPodConditions: [{type: DisruptionTarget}]",
        "      - action: FailJob",
        "        onExitCodes: {operator: In, values: [126, 127]}",
        "      # a reason [derivation a-rule]",
    ]


def test_notes_come_with_where_they_come_from() -> None:
    note = Note("pool a is left out", Origin("profile", ("spec", "pools", 0)))
    assert page(explanation("spec.a"), notes=(note,))[-2:] == [
        "Notes",
        "  - pool a is left out [profile spec.pools[0]]",
    ]
