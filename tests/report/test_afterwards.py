"""What is said when a render is done, from facts as they come from the other rooms."""

import pytest

from gpuspec.objects.needed import RequiredObject
from gpuspec.report.afterwards import Afterwards, afterwards_text

CLAIM, SECRET, CLASS = "PersistentVolumeClaim", "Secret", "PriorityClass"
SMALL = Afterwards(
    [("generic", None)],
    [("3 CPUs a pod", ()), ("weights are read at 200Mi/s", ())],
    [
        RequiredObject("", CLASS, "gpu-serving"),
        RequiredObject("", "Namespace", "serving"),
        RequiredObject("", "API", "jobset.x-k8s.io"),
        RequiredObject("serving", CLAIM, "b"),
        RequiredObject("serving", CLAIM, "a"),
        RequiredObject("serving", SECRET, "hf", ("token",)),
    ],
    ["pipe it into kubectl apply -f -", "gpuspec explain chat.yaml says why"],
)
LARGE = Afterwards(
    [(f"cluster-{n}", f"clusters/cluster-{n}.yaml") for n in range(40)],
    [(f"{n} CPUs a pod, as nobody said", [f"w{n}", "x", "y", "z"]) for n in range(40)],
    [RequiredObject(f"space-{n % 3}", CLAIM, f"claim-{n}") for n in range(40)],
    ["kubectl apply -f out/", "gpuspec explain " + " ".join(f"specs/{n}.yaml" for n in range(40))],
)


def test_each_sentence_is_one_line_where_nothing_is_folded() -> None:
    assert afterwards_text(SMALL).splitlines() == [
        "profile: generic, built in, without nodes; make your own: gpuspec init cluster-profile",
        "assumed: 3 CPUs a pod; weights are read at 200Mi/s",
        "must exist: API jobset.x-k8s.io; Namespace serving; PersistentVolumeClaims a, b; "
        "Secret hf (token); PriorityClass gpu-serving",
        "next: pipe it into kubectl apply -f -; gpuspec explain chat.yaml says why",
    ]


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_it_is_eight_lines_at_most_whatever_was_rendered(width: int) -> None:
    lines = afterwards_text(LARGE, width=width).splitlines()
    assert len(lines) <= 8
    assert [line.partition(":")[0] for line in lines if not line.startswith(" ")] == [
        "profile",
        "assumed",
        "must exist",
        "next",
    ]
    assert sum(line.endswith(" more") for line in lines) == 3
    assert "explain" not in lines[-1]


def test_a_log_is_told_all_of_it() -> None:
    said = afterwards_text(LARGE)
    assert len(said.splitlines()) == 4
    assert "39 CPUs a pod, as nobody said (w39, x, y and 1 more)" in said
    assert "space-1/claim-37" in said
    assert "specs/39.yaml" in said


def test_nothing_is_said_of_nothing() -> None:
    bare = Afterwards([("eu", "eu.yaml")], [], [], ["kubectl apply -f out/"])
    assert afterwards_text(bare) == "profile: eu (eu.yaml)\nnext: kubectl apply -f out/\n"


def test_heads_are_painted_and_names_do_not_steer_the_terminal() -> None:
    odd = Afterwards([("eu", "a\x1b[2J.yaml")], [], [], ["kubectl apply -f out/"])
    painted = afterwards_text(odd, color=True)
    assert painted.startswith("\x1b[1;36mprofile:\x1b[0m eu (a\\x1b[2J.yaml)\n")
