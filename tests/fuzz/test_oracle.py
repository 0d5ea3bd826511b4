"""What must not be is found: faults that are planted in the program, and outputs that are wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.oracle import reasons

ROOT = Path(__file__).parents[2]
# A run of a command that reads nothing, in which a function of the façade is another.
PLANTED = """\
import sys
import gpuspec
from tests.fuzz import world, workers
from tests.fuzz.targets import TARGETS
from gpuspec.cli import rules
world.SECONDS, workers.WAIT = 1, {wait}
def planted():
    {code}
    return []
gpuspec.rules = planted
(target,) = [one for one in TARGETS if one.name == "rules"]
for done in workers.run([(target, range(2))], 1, 1):
    print(done.name, done.code, [fault.kind for fault in done.faults])
"""


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("raise KeyError(1)", "exit 4: KeyError in gpuspec/cli/rules.py rules"),
        ("while True: pass", "TooLong in gpuspec/cli/rules.py rules"),
        ("import time; time.sleep(60)", "never ends"),
        ("import os; os.kill(os.getpid(), 9)", "dies of -9"),
        ("bytearray(4 << 30)", "takes more memory than a try may"),
        ("planted()", "exit 4: RecursionError"),
        ("sys.stderr.write('note: \\x1b]0;a')", "rules: stderr as text: a raw U+001B"),
        ("sys.stderr.write('note:\\n  ::error::a')", "rules: stderr as text: a command of CI, ::"),
        ("open('x', 'w').close()", "rules: a file is new"),
        ("open('/dev/full', 'w').close()", "rules: outside of its folder: open"),
        ("import subprocess; subprocess.run(['true'])", "rules: outside of its folder: subprocess"),
        (
            "import socket; socket.getaddrinfo('localhost', 1)",
            "rules: outside of its folder: socket",
        ),
    ],
)
def test_a_planted_fault_is_found_in_every_try(code: str, found: str) -> None:
    # Only what uses none of the processor's time is waited for by the clock.
    text = PLANTED.format(code=code, wait=2 if "sleep" in code else 90)
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["rules:0", "rules:1"], done.stderr
    assert all(found in line for line in lines), done.stdout


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("text", "a\x85b"),
        ("text", "a\u202eb"),
        ("markdown", "a\rb"),
        ("text", "a\n  ##[error]b"),
        ("github", "::error title=a::b\nwhatever\n"),
        ("github", "::set-output name=a::b\n"),
        ("json", "{'a': 1}"),
        ("sarif", '{"a": nan}'),
        ("junit", "<a>&b;</a>"),
        ("svg", "<a>\x7f</a>"),
        ("html", "<script>x</script>"),
        ("csv", "a,b\n=1+1,2\n"),
        ("csv", "a,b\n1,-1+1\n"),
        ("csv", "a,b\n1\n"),
        ("yaml", "a: [\n"),
    ],
)
def test_a_wrong_output_is_found(format: str, text: str) -> None:
    assert list(reasons(text.encode(), format))


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("text", "error[GPU201]: a::b ##[c] é 雪\n\t--> a.yaml:1:2\n"),
        ("github", "::error file=a,line=1::b%0Ac\n"),
        ("json", "[1]\n"),
        ("csv", "a,b\n-1,'=1+1\n"),
        ("yaml", "a: 1\n---\nb: 2\n"),
        ("svg", "<svg>&lt;</svg>"),
    ],
)
def test_a_right_output_is_none(format: str, text: str) -> None:
    assert not list(reasons(text.encode(), format))


def test_a_refusal_may_say_nothing_and_an_answer_may_not() -> None:
    assert not list(reasons(b"", "json", 2))
    assert list(reasons(b"", "json", 0))
