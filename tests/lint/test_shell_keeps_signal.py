"""GPU772: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: ml}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      SPEC
      containers:
        - name: main
          image: vllm/vllm-openai:v0.19.1
          command: COMMAND
          HOOK
          resources: {limits: {nvidia.com/gpu: 1}}
"""
SERVE = "vllm serve /m --port 8000"


def said(
    script: str, shell: str = "[/bin/sh, -c]", spec: str = "", hook: str = "", of: str = POD
) -> list[str]:
    text = of.replace("COMMAND", f"{shell[:-1]}, {json.dumps(script)}]")
    text = text.replace("SPEC", spec or "dnsPolicy: Default").replace("HOOK", hook or "tty: false")
    return [one.found.message for one in raised(text) if one.rule.code == "GPU772"]


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (f"{SERVE} 2>&1 | tee /tmp/log", "the output is piped"),
        (f"{SERVE} &\nsleep 60\nwait", "in the background"),
        (f"set -e\n{SERVE} \\\n  --enforce-eager\necho ended", "other commands follow"),
        (f"{SERVE}; sleep infinity", "other commands follow"),
    ],
)
def test_a_shell_that_stays(script: str, why: str) -> None:
    (message,) = said(script)
    assert why in message
    assert "until the grace period of 30 s is over" in message


@pytest.mark.parametrize(("spec", "seconds"), [("", 300), ("timeoutSeconds: 600", 600)])
def test_a_revision_of_knative_has_the_time_of_a_request(spec: str, seconds: int) -> None:
    service = POD.replace("apps/v1", "serving.knative.dev/v1").replace("Deployment", "Service")
    (message,) = said(f"{SERVE} | tee /tmp/log", spec=spec, of=service)
    assert f"until the grace period of {seconds} s is over" in message


@pytest.mark.parametrize(
    "script",
    [
        SERVE,
        f"cd /m && {SERVE} > /tmp/log 2>&1",
        f"pip install x; {SERVE} # and no more; than this",
        f"exec {SERVE} 2>&1 | tee /tmp/log",
        f"trap 'kill $P' TERM\n{SERVE} &\nP=$!\nwait",
        f"if true; then {SERVE}; fi",
        f"cat > /tmp/run <<E\n{SERVE} | tee /log\nE\nsleep 1",
        "echo it's broken | tee /log; " + SERVE + " | tee",
        "python other.py | tee /log",
    ],
)
def test_what_may_be_told_to_stop_is_quiet(script: str) -> None:
    assert said(script) == []


def test_others_may_tell_the_server() -> None:
    piped = f"{SERVE} | tee /log"
    assert said(piped, spec="shareProcessNamespace: true") == []
    assert said(piped, hook="lifecycle: {preStop: {exec: {command: [pkill, vllm]}}}") == []
    assert said(piped, shell="[tini, --, sh, -c]") == []
    assert len(said(piped, shell="[bash, -e, -o, pipefail, -c]")) == 1
    assert len(said(piped, spec="terminationGracePeriodSeconds: 90")) == 1
