"""The story of `gpuspec lint --suppress`: a repository with old findings says once why they stay."""

from pathlib import Path

from tests.cli.conftest import ONE, POD, Program

WHY = ("--suppress", "a webhook sets the limit")
COMMENT = "# gpuspec: ignore[GPU102] a webhook sets the limit"


def test_all_that_is_found_is_suppressed_with_one_reason(gpuspec: Program, pod: Path) -> None:
    (pod / "k8s/second.yaml").write_text(POD.replace("name: p,", "name: q,"))
    assert gpuspec("lint", "k8s", *ONE).code == 1
    patch = gpuspec("lint", "k8s", *ONE, *WHY, "--diff")
    assert (patch.code, patch.out.count(COMMENT)) == (1, 2)
    assert (pod / "k8s/pod.yaml").read_text() == POD
    done = gpuspec("lint", "k8s", *ONE, *WHY)
    assert (done.code, done.out) == (0, "")
    assert done.err == (
        "suppressed 2 in 2 files\nno findings in 3 documents of 3 files; 2 suppressed\n"
    )
    line = "        requests: {nvidia.com/gpu: 1}"
    assert (pod / "k8s/pod.yaml").read_text() == POD.replace(line, f"{line}  {COMMENT}")
    again = gpuspec("lint", "k8s", *ONE, *WHY)
    assert again.err == "no findings in 3 documents of 3 files; 2 suppressed\n"
    (pod / "k8s/third.yaml").write_text(POD.replace("name: p,", "name: r,"))
    assert gpuspec("lint", "k8s", *ONE).code == 1


def test_what_no_comment_can_suppress_is_found_still(gpuspec: Program, pod: Path) -> None:
    (pod / "k8s/pod.json").write_text(
        '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{'
        '"name": "m", "image": "a:1", "resources": {"requests": {"nvidia.com/gpu": 1}}}]}}\n'
    )
    done = gpuspec("lint", "k8s", *ONE, *WHY)
    assert done.code == 1
    assert "k8s/pod.json:1:" in done.out
    assert done.err.startswith(
        "suppressed 1 in 1 file\nfindings remain in JSON, in files that cannot be"
    )


def test_it_is_one_thing_at_a_time(gpuspec: Program, pod: Path) -> None:
    for option in ("--fix", "--unsafe-fixes", "--write-baseline"):
        done = gpuspec("lint", "k8s", *WHY, option)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"error: --suppress and {option} cannot be combined\n")
    assert (pod / "k8s/pod.yaml").read_text() == POD


def test_an_expired_suppression_is_renewed(gpuspec: Program, pod: Path) -> None:
    old = "  # gpuspec: ignore[GPU102, GPU108] until=2020-01-01: an old reason\n"
    (pod / "k8s/pod.yaml").write_text(POD.rstrip("\n") + old)
    select = ("--select", "GPU102,GPU108,GPU09")
    assert "until=2020-01-01" in gpuspec("lint", "k8s", *select).out
    done = gpuspec("lint", "k8s", *select, "--suppress", "until=2199-01-01 a webhook sets it")
    assert (done.code, done.out) == (0, "")
    new = "  # gpuspec: ignore[GPU102, GPU108] until=2199-01-01 a webhook sets it\n"
    assert (pod / "k8s/pod.yaml").read_text() == POD.rstrip("\n") + new


def test_standard_input_is_suppressed_to_standard_output(gpuspec: Program) -> None:
    done = gpuspec("lint", "-", *ONE, *WHY, "--diff", stdin=POD)
    assert (done.code, COMMENT in done.out) == (1, True)
    done = gpuspec("lint", "-", *ONE, *WHY, stdin=POD)
    assert (done.code, COMMENT in done.out) == (0, True)
    assert done.err.startswith("suppressed 1 in 1 file\n")


def test_a_day_that_is_none_is_named(gpuspec: Program, pod: Path) -> None:
    done = gpuspec("lint", "k8s", *ONE, "--suppress", "until=soon a webhook sets it")
    assert done.code == 2
    assert "`until=soon` is not a date" in done.err
    assert "no reason" not in done.err
