"""Go's random numbers: against figures that Go 1.26 gave, and against the Go that is here."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.openb.gorand import GoRand

# Two numbers; ten shuffled and eight in random order; and after a thousand more, below bounds.
RECORDED = {
    42: (
        (3440579354231278675, 608747136543856411),
        ([7, 9, 3, 5, 8, 4, 2, 0, 1, 6], [3, 2, 5, 4, 0, 1, 6, 7]),
        (294, 643, 13, 0, 562418538, 5509208749910053177),
    ),
    51: (
        (3893522058333705853, 6164845938608892732),
        ([1, 2, 7, 8, 0, 9, 4, 5, 6, 3], [0, 2, 7, 5, 1, 6, 3, 4]),
        (202, 699, 13, 0, 1062859034, 6796941651424062323),
    ),
    0: (
        (8717895732742165505, 2259404117704393152),
        ([5, 9, 8, 4, 3, 1, 7, 2, 0, 6], [3, 6, 7, 2, 1, 5, 4, 0]),
        (141, 687, 61, 0, 33439958, 7474361332565584186),
    ),
    -7: (
        (747107023976529931, 7084732931963018726),
        ([8, 9, 1, 4, 6, 3, 5, 2, 0, 7], [6, 7, 0, 2, 5, 4, 3, 1]),
        (69, 1131, 54, 0, 214409120, 7446117534754282637),
    ),
}


@pytest.mark.parametrize("seed", RECORDED)
def test_the_figures_that_go_gave(seed: int) -> None:
    first, orders, last = RECORDED[seed]
    random = GoRand(seed)
    assert (random.int63(), random.int63()) == first
    line = list(range(10))
    random.shuffle(line)
    assert (line, random.perm(8)) == orders
    for _ in range(1000):
        random.int63()
    bounds = (1000, 1213, 64, 1, (1 << 30) + 1)
    assert (*map(random.intn, bounds), random.int63()) == last


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(1, (1 << 31) - 1))
def test_numbers_are_below_their_bound_and_orders_are_complete(seed: int, bound: int) -> None:
    random = GoRand(seed)
    assert 0 <= random.int63() < 1 << 63
    assert 0 <= random.intn(bound) < bound
    line = list(range(20))
    random.shuffle(line)
    assert sorted(line) == sorted(random.perm(20)) == list(range(20))


class Given(GoRand):
    """Numbers that are given, as the rare ones that have to be drawn anew do not come up."""

    def __init__(self, *numbers: int) -> None:
        super().__init__(1)
        self._numbers = iter(numbers)

    def int63(self) -> int:
        return next(self._numbers)


def test_what_would_make_some_numbers_likelier_is_drawn_anew() -> None:
    """Of 2^31 numbers the last two, of 2^32 the first, are too many for a bound of three."""
    top = 2**31 - 2
    assert Given((top + 1) << 32, top << 32, (top - 1) << 32).intn(3) == 2
    line = ["a", "b", "c"]
    Given(0, 1 << 62, (1 << 63) - 1).shuffle(line)
    assert line == ["a", "c", "b"]


@pytest.mark.binaries
def test_the_go_that_is_here_gives_the_same(tmp_path: Path) -> None:
    go = shutil.which("go")
    if go is None:
        pytest.skip("no Go on the path")
    seeds = [*range(42, 52), 0, 1, -1, 2**31 - 1, 2**40 + 7, -(2**63)]
    program = tmp_path / "stream.go"
    program.write_text(Path(__file__).with_name("stream.go").read_text())
    run = subprocess.run(
        [go, "run", "stream.go", *map(str, seeds)],
        cwd=tmp_path,
        env={**os.environ, "GOTOOLCHAIN": "local", "GOWORK": "off", "GOFLAGS": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.replace("[", "").replace("]", "").split() == [
        str(number) for seed in seeds for number in _numbers(seed)
    ]


def _numbers(seed: int) -> list[int]:
    """What stream.go prints."""
    random = GoRand(seed)
    found = [random.int63(), random.int63()]
    line = list(range(9000))
    random.shuffle(line)
    found += line
    bound = 1
    while bound < 1 << 30:
        found += random.intn(bound), random.intn(bound + 1)
        bound = bound * 3 + 1
    return [*found, *random.perm(1213), random.intn((1 << 30) + 1), random.int63()]
