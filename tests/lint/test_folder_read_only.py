"""GPU774: beyond what its page shows."""

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
      containers:
        - name: main
          image: IMAGE
          args: ARGS
          env: ENV
          volumeMounts: [{name: held, mountPath: /held, readOnly: READ_ONLY}MORE]
          resources: {limits: {nvidia.com/gpu: 1}}
      volumes: [{name: held, VOLUME}, {name: more, emptyDir: {}}]
"""
VLLM = "vllm/vllm-openai:v0.19.1"
CLAIM = "persistentVolumeClaim: {claimName: held}"
READ_ONLY_CLAIM = "persistentVolumeClaim: {claimName: held, readOnly: true}"
SECRET = "secret: {secretName: held}"


def said(
    volume: str,
    args: str = "[serve]",
    env: str = "[]",
    *,
    image: str = "example.com/app:1",
    read_only: str = "false",
    more: str = "",
) -> list[tuple[str, str]]:
    made = POD.replace("IMAGE", image).replace("ARGS", args).replace("ENV", env)
    made = made.replace("READ_ONLY", read_only).replace("MORE", more).replace("VOLUME", volume)
    found = [one for one in raised(made) if one.rule.code == "GPU774"]
    return [(one.severity, one.found.message) for one in found]


@pytest.mark.parametrize(
    ("volume", "args", "level"),
    [
        (SECRET, "[--cache_dir=/held/cache]", "error"),
        (SECRET, "[--checkpoint-dir, /held]", "error"),
        ("projected: {sources: []}", "[--output-dir, /held/out]", "error"),
        (READ_ONLY_CLAIM, "[--output-dir, /held/out]", "warning"),
        ("image: {reference: example.com/m:1}", "[--output-dir, /held/out]", "warning"),
        ("nfs: {server: a, path: /b, readOnly: true}", "[--log-dir, /held/logs]", "warning"),
    ],
)
def test_what_an_option_names(volume: str, args: str, level: str) -> None:
    ((severity, message),) = said(volume, args)
    assert severity == level
    assert "`/held" in message


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("XDG_CACHE_HOME", True),
        ("MODEL_CACHE", True),
        ("APP_OUTPUT_DIR", True),
        ("TMPDIR", True),
        ("CACHE_CONFIG", False),
        ("CACHED_PATHS", False),
        ("CONFIG_PATH", False),
    ],
)
def test_what_a_variable_names(name: str, *, found: bool) -> None:
    assert bool(said(SECRET, env=f"[{{name: {name}, value: /held/x}}]")) is found


@pytest.mark.parametrize(
    ("volume", "args", "more"),
    [
        (CLAIM, "[--output-dir, /held]", ""),
        (READ_ONLY_CLAIM, "[--checkpoint-dir, /held]", ""),
        (READ_ONLY_CLAIM, "[--cache-dir, /held]", ""),
        ("image: {reference: example.com/m:1}", "[--cache-dir, /held]", ""),
        (SECRET, "[--output-dir, /elsewhere]", ""),
        (SECRET, "[--output-dir, $(OUT)]", ""),
        (SECRET, "[--output-dir, held]", ""),
        (SECRET, "[--output-dir, /held]", ", {name: more, mountPath: /held/out}"),
        (SECRET, "[--output-dir, /held/out/a]", ", {name: more, mountPath: /held/out}"),
    ],
)
def test_what_can_be_written_or_is_not_known(volume: str, args: str, more: str) -> None:
    assert said(volume, args, more=more) == []


@pytest.mark.parametrize(
    ("args", "env", "found"),
    [
        ("[--model, Qwen/Qwen3-8B]", "[{name: HF_HUB_CACHE, value: /held}]", True),
        ("[--model, Qwen/Qwen3-8B, --download-dir, /held]", "[]", True),
        ("[--model, /held/qwen3-8b]", "[{name: HF_HUB_CACHE, value: /held}]", False),
        ("[--model, Qwen/Qwen3-8B]", "[{name: HF_HUB_CACHE, value: /tmp/hub}]", False),
        (
            "[--model, Qwen/Qwen3-8B]",
            '[{name: HF_HUB_CACHE, value: /held}, {name: HF_HUB_OFFLINE, value: "1"}]',
            False,
        ),
    ],
)
def test_the_hubs_cache_of_a_server(args: str, env: str, *, found: bool) -> None:
    assert bool(said(CLAIM, args, env, image=VLLM, read_only="true")) is found
    assert said(CLAIM, args, env, image=VLLM) == []


@pytest.mark.parametrize(
    ("env", "more", "found"),
    [
        ("[{name: HF_HOME, value: /home/app/hf}]", "", True),
        ("[{name: TMPDIR, value: /scratch}]", "", True),
        ("[{name: HF_HOME, value: /home/app/hf}]", ", {name: more, mountPath: /home/app}", False),
        (
            '[{name: HF_HOME, value: /hf}, {name: HF_HUB_OFFLINE, value: "1"}]',
            "",
            False,
        ),
        ("[{name: TMPDIR, value: /dev/shm/tmp}]", "", False),
        ("[{name: CHECKPOINT_DIR, value: /model}]", "", False),
    ],
)
def test_a_root_file_system_that_is_read_only(env: str, more: str, found: bool) -> None:
    made = POD.replace("IMAGE", "example.com/app:1").replace("ARGS", "[serve]").replace("ENV", env)
    made = made.replace("VOLUME", CLAIM).replace("READ_ONLY", "false").replace("MORE", more)
    closed = "          securityContext: {readOnlyRootFilesystem: true}\n          volumeMounts"
    made = made.replace("          volumeMounts", closed)
    assert ("GPU774" in {one.rule.code for one in raised(made)}) is found
