"""A program that uses a part of NVIDIA's driver which its container is not given."""

import re
from collections.abc import Iterator

import msgspec

from gpuspec.lint.analysis.serving.scripts import handler_words
from gpuspec.lint.context import Context
from gpuspec.lint.model import Fix, Put, RawFinding, Rule
from gpuspec.objects.containers import PodContainer
from gpuspec.objects.objects import Pod
from gpuspec.runtimes.recognise import is_image

RULE = Rule(
    "GPU776",
    "driver-part-missing",
    "warning",
    "`NVIDIA_DRIVER_CAPABILITIES` omits a driver library that the program uses",
    fix="unsafe",
)

_VARIABLE = "NVIDIA_DRIVER_CAPABILITIES"


class _Part(msgspec.Struct, frozen=True):
    """A part of the driver, and what gives away that it is used."""

    name: str
    given_by: frozenset[str]
    """The capabilities that bring it."""
    words: re.Pattern[str]
    """A word of a command line, or one side of its `=`; the whole value of a variable too."""
    variables: dict[str, re.Pattern[str]]
    """Patterns of variables' values."""
    images: frozenset[str] = frozenset()
    """Repositories of programs that use it on any GPU that they are given, by the last part."""


_NVIDIA = re.compile("nvidia")
_PARTS = (
    _Part(
        "video",
        frozenset({"video", "all"}),
        # FFmpeg's codecs, and GStreamer's elements.
        re.compile(
            r"(?:h264|hevc|av1|mjpeg|mpeg[124]|vc1|vp[89])_(?:nvenc|cuvid)|nv(?:h26[45]|av1)(?:enc|dec)"
        ),
        {},
        # Media servers and transcoders; network video recorders, which decode every camera.
        frozenset(
            {
                *("jellyfin", "plex", "pms-docker", "emby", "embyserver"),
                *("tdarr", "tdarr_node", "unmanic", "fileflows", "handbrake"),
                *("frigate", "immich-server"),
            }
        ),
    ),
    _Part(
        "graphics",
        frozenset({"graphics", "display", "all"}),
        re.compile(r"vulkaninfo|vkcube|eglinfo|vglrun"),
        {
            "MUJOCO_GL": re.compile("^egl$"),
            "PYOPENGL_PLATFORM": re.compile("^egl$"),
            "VGL_DISPLAY": re.compile("^egl"),
            "VK_ICD_FILENAMES": _NVIDIA,
            "VK_DRIVER_FILES": _NVIDIA,
            "__GLX_VENDOR_LIBRARY_NAME": _NVIDIA,
            "__EGL_VENDOR_LIBRARY_FILENAMES": _NVIDIA,
        },
        # Renderers, with and without a window.
        frozenset({"isaac-sim", "isaac-lab", "omniverse-kit"}),
    ),
    _Part(
        "utility",
        frozenset({"utility", "all"}),
        re.compile(r"nvidia-smi|nvtop|gpustat"),
        {},
    ),
)
# What the images themselves say in the variable, by the repository's last parts.
_OF_IMAGES = {"nvidia/cuda": "compute,utility", "pytorch/pytorch": "compute,utility"}


def check(pod: Pod, context: Context) -> Iterator[RawFinding]:
    """Yield containers that name the driver capabilities they need; if they do not, their image
    may."""
    for container in pod.every:
        env_value = container.env_value(_VARIABLE)
        is_of_image = _VARIABLE not in container.env and container.gpus > 0
        if is_of_image and not container.value.get("envFrom"):
            env_value = next(
                (value for name, value in _OF_IMAGES.items() if is_image(container.image, (name,))),
                None,
            )
        if not env_value or "$" in env_value or "{{" in env_value:
            continue
        requested_parts = {part_name.strip() for part_name in env_value.split(",")}
        for part in _PARTS:
            user = None if requested_parts & part.given_by else _user(container, part)
            if user is None:
                continue
            at = (
                container.path("image")
                if is_of_image
                else (*container.env_path(_VARIABLE), "value")
            )
            more = part.name if requested_parts <= {"", "none"} else f"{env_value},{part.name}"
            yield RawFinding(
                at,
                f"`{user}` needs NVIDIA's driver capability `{part.name}`, but the container has "
                f"only `{env_value}`{' of its image' if is_of_image else ''}: the program fails, or "
                "falls back to the CPU",
                note=f"set `{_VARIABLE}` to `{more}`",
                confidence="likely",
                fix=None if is_of_image else Fix(f"add `{part.name}`", (Put(at, more),)),
            )


def _user(container: PodContainer, part: _Part) -> str | None:
    """Return what gives it away."""
    probed = (word for _, line in handler_words(container) for word in line.words)
    for text in (*(word.text for word in container.words), *probed):
        for side in text.split("=", 1):
            if part.words.fullmatch(side.rpartition("/")[2]):
                return side
    for name in container.env:
        value = container.env_value(name) or ""
        pattern = part.variables.get(name)
        if part.words.fullmatch(value) or (pattern is not None and pattern.search(value)):
            return f"{name}={value}"
    return container.image if _repository(container.image) in part.images else None


def _repository(image: str) -> str:
    """Return the last part of an image's repository."""
    return image.partition("@")[0].rpartition("/")[2].partition(":")[0]
