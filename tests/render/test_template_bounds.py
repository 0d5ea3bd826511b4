"""Templates of the user: whatever they hold, an answer comes, in bounded time and memory."""

import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import gpuspec
from gpuspec.manifests.limits import MAX_TEMPLATE
from tests.render.conftest import Render

OURS = Path(gpuspec.__file__).parents[1] / "templates"
STEPS = "more than 1,000,000 steps, the limit for one object"
TEXT = "more than 8 MiB of text, the limit for one object"
COMPUTE = "templates cannot compute"
KNOWN = "templates support only if, for, set, include and filter"
MANY = f"'{'x' * 1000}'"
LISTS = "{% set a = [1] %}{% set b = [1] %}"
FILE = "job.yaml.j2"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    made.mkdir()
    return made


def said(render_spec: Render, folder: Path) -> gpuspec.Problem:
    with pytest.raises(gpuspec.InputError) as caught:
        render_spec(templates=folder)
    (one,) = caught.value.problems
    assert one.place is not None
    assert one.place.file == str(folder / FILE)
    return one


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{% for a in M %}{% for b in M %}{% endfor %}{% endfor %}" * 2, STEPS),
        ("{% for a in M %}{% for b in M if not b %}{% endfor %}{% endfor %}" * 2, STEPS),
        ("{% for a in M %}{% for b in M %}{{ a }}{{ b }}{% endfor %}{% endfor %}", STEPS),
        ("{% for a in M %}" + "some words of a template " * 1000 + "{% endfor %}", TEXT),
        ("{% set a = 'x' %}" + "{% set a = a ~ a %}" * 60, TEXT),
        ("{% set a = 'x' %}" + "{% set a %}{{ a }}{{ a }}{% endset %}" * 60, TEXT),
        ("{% set a = M %}" + "{% set a = a ~ a %}" * 10 + "{% if a == a ~ a %}{% endif %}" * 9, TEXT),
        (LISTS + "{% set a = [a, a] %}{% set b = [b, b] %}" * 60 + "{{ a == b }}", STEPS),
        ("{{ 'x\ny' | indent(9999999999) }}", TEXT),
        ("{% filter indent(99999999) %}a\nb{% endfilter %}", TEXT),
        ("{{ 'a' + 'b' }}", COMPUTE),
        ("{{ [1] + [2] }}", COMPUTE),
        ("{% set a = 1 %}" + "{% set a = a + a %}" * 70, COMPUTE),
        ("{{ 'x'.ljust(9999999999) }}", KNOWN),
        ("{{ '%9999999999d' is odd }}", "No test named 'odd'"),
        ("{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", KNOWN),
        ("{% for a in 'ab' recursive %}{{ loop('ab') }}{% endfor %}", KNOWN),
        ("{% call m() %}{% endcall %}", "`call` is not supported"),
        ("{% autoescape true %}{% endautoescape %}", "`autoescape` is not supported"),
        ("{% import 'pod.yaml.j2' as x %}", "`import` is not supported"),
        ("{{ 'abc'[0:1] }}", KNOWN),
        ("{% if 1 %}" * 3000 + "{% endif %}" * 3000, "nested too deep"),
        ("{% for x in 'a' %}" * 40 + "{% endfor %}" * 40, "nested too deep"),
        ("{{ " + "(" * 500 + "1" + ")" * 500 + " }}", "nested too deep"),
        ("{{ " + "1 or " * 9000 + "1 }}", "nested too deep"),
        ("{{ " + "1" * 5000 + " }}", "4300 digits"),
        ("{#" * 5000, "Missing end of comment tag"),
        ("{% include 'job.yaml.j2' %}" * 2, "includes itself in a loop"),
    ],
)  # fmt: skip
def test_a_template_without_an_end_is_refused(
    render_spec: Render, folder: Path, text: str, wrong: str
) -> None:
    (folder / FILE).write_text(text.replace("M", MANY))
    assert wrong in said(render_spec, folder).message


def test_parts_that_include_parts_end_too(render_spec: Render, folder: Path) -> None:
    """Nine files, each including the next many times, are more steps than anybody waits for."""
    names = [str(one.relative_to(OURS)) for one in sorted(OURS.rglob("*.j2"))]
    names.remove(FILE)
    for name, following in zip([FILE, *names], [*names, ""], strict=True):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{{% include '{following}' %}}" * 10 if following else "")
    with pytest.raises(gpuspec.InputError, match=STEPS):
        render_spec(templates=folder)


def test_what_lays_out_is_as_it_was(render_spec: Render, folder: Path) -> None:
    added = (
        "  annotations:\n"
        "    joined: '{{ plan.meta.name ~ '-' ~ 1 }}'\n"
        "    numbers: '{% for c in plan.pod.containers %}{{ loop.index + 1 }}{% endfor %}'\n"
        "    chosen: '{{ 'yes' if plan.target in ('job', 'cronjob') else 'no' }}'\n"
        "    pairs: '{% for a, b in [('x', 1), ('y', 2)] if b != 1 %}{{ a }}{{ b }}{% endfor %}'\n"
    )
    text = (OURS / FILE).read_text()
    (folder / FILE).write_text(
        text.replace(
            '{% include "parts/metadata.yaml.j2" %}\n', "metadata:\n  name: {{ name }}\n" + added
        )
    )
    made = render_spec(templates=folder).objects[-1]
    assert made["metadata"]["annotations"] == {
        "joined": "train-1",
        "numbers": "2",
        "chosen": "yes",
        "pairs": "y2",
    }


def test_a_long_line_is_not_said_in_full(render_spec: Render, folder: Path) -> None:
    (folder / FILE).write_text("b: c\n" + "a" * 1000 + "\n")
    message = said(render_spec, folder).message
    assert message.endswith(f"where it renders `{'a' * 100}…`")


def test_a_large_template_is_refused(render_spec: Render, folder: Path) -> None:
    (folder / FILE).write_bytes(b"#" * (MAX_TEMPLATE + 1))
    assert said(render_spec, folder).message == "larger than 64 KiB, the most that gpuspec reads"
    with (folder / FILE).open("wb") as file:
        file.truncate(1 << 40)
    assert said(render_spec, folder).message == "larger than 64 KiB, the most that gpuspec reads"


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        # The path of a socket is short.
        before = Path.cwd()
        os.chdir(path.parent)
        one.bind(path.name)
        os.chdir(before)


def _folder(path: Path) -> None:
    (path.parent / "other").mkdir()
    path.symlink_to("other")


def _circle(path: Path) -> None:
    path.symlink_to(path.name)


def _nowhere(path: Path) -> None:
    path.symlink_to("nothing")


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (_pipe, "a named pipe, not a file"),
        (_device, "a device, not a file"),
        (_socket, "No such device or address"),
        (_folder, "Is a directory"),
        (_circle, "Too many levels of symbolic links"),
        (_nowhere, "No such file or directory"),
    ],
)
def test_what_is_no_file_is_an_error(
    render_spec: Render, folder: Path, make: Callable[[Path], None], wrong: str
) -> None:
    make(folder / FILE)
    assert said(render_spec, folder).message == wrong


def test_a_deep_folder_of_templates_is_walked(render_spec: Render, folder: Path) -> None:
    """As deep as a path can be made step by step, which is deeper than functions may call themselves."""
    here = Path.cwd()
    try:
        os.chdir(folder)
        for _ in range(1500):
            os.mkdir("d")  # noqa: PTH102
            os.chdir("d")
    finally:
        os.chdir(here)
    with pytest.raises(gpuspec.InputError, match="contains no template"):
        render_spec(templates=folder)
    subprocess.run(["rm", "-r", str(folder)], check=True)
