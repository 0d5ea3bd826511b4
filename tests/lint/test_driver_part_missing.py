"""GPU776: beyond what its page shows."""

import json

import pytest

from tests.lint.pages import raised

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec:
  containers:
    - name: main
      image: example.com/app:1
      args: ARGS
      env: ENV
      resources: {limits: {nvidia.com/gpu: 1}}
"""


def said(given: str | None, args: list[str], **env: str) -> list[str]:
    variables = env if given is None else {"NVIDIA_DRIVER_CAPABILITIES": given, **env}
    entries = [{"name": name, "value": value} for name, value in variables.items()]
    text = POD.replace("ARGS", json.dumps(args)).replace("ENV", json.dumps(entries))
    return [one.found.message for one in raised(text) if one.rule.code == "GPU776"]


@pytest.mark.parametrize(
    ("args", "env", "part"),
    [
        (["--encoder=hevc_nvenc"], {}, "video"),
        (["sh", "-c", "ffmpeg -c:v h264_cuvid -i a.mp4 b.mp4"], {}, "video"),
        (["gst-launch-1.0", "nvh264enc"], {}, "video"),
        (["serve"], {"ENCODER": "av1_nvenc"}, "video"),
        (["serve"], {"MUJOCO_GL": "egl"}, "graphics"),
        (["serve"], {"VK_ICD_FILENAMES": "/etc/vulkan/icd.d/nvidia_icd.json"}, "graphics"),
        (["/usr/bin/vulkaninfo"], {}, "graphics"),
    ],
)
def test_what_gives_a_part_away(args: list[str], env: dict[str, str], part: str) -> None:
    (message,) = said("compute,utility", args, **env)
    assert f"`{part}`" in message
    for enough in ("all", f"compute,{part}"):
        assert said(enough, args, **env) == []


@pytest.mark.parametrize(
    ("given", "args", "env"),
    [
        (None, ["h264_nvenc"], {}),
        ("$(PARTS)", ["h264_nvenc"], {}),
        ("compute", ["/data/my_h264_nvenc.mp4"], {}),
        ("compute", ["libx264"], {"MUJOCO_GL": "osmesa"}),
        ("compute", ["serve"], {"VK_ICD_FILENAMES": "/etc/vulkan/icd.d/lvp_icd.json"}),
        ("display", ["vglrun"], {}),
    ],
)
def test_what_is_given_or_not_known(
    given: str | None, args: list[str], env: dict[str, str]
) -> None:
    assert said(given, args, **env) == []


@pytest.mark.parametrize(
    ("image", "given", "count"),
    [
        ("ghcr.io/jellyfin/jellyfin:10.11.0", "compute,utility", 1),
        ("lscr.io/linuxserver/plex@sha256:0123", "compute", 1),
        ("registry.example.com:5000/tdarr_node", "utility", 1),
        ("ghcr.io/jellyfin/jellyfin:10.11.0", "compute,video,utility", 0),
        ("example.com/plex-exporter:1", "compute", 0),
    ],
)
def test_programs_that_transcode(image: str, given: str, count: int) -> None:
    pod = POD.replace("example.com/app:1", image).replace("ARGS", "[]")
    env = json.dumps([{"name": "NVIDIA_DRIVER_CAPABILITIES", "value": given}])
    codes = [one.rule.code for one in raised(pod.replace("ENV", env))]
    assert codes.count("GPU776") == count
