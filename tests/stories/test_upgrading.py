"""A run is pinned before an upgrade: its name stays, whatever is rendered."""

import re

from tests.stories.conftest import Desk, MakeSpec


def test_a_run_is_pinned_to_the_digest_that_it_is_named_by(desk: Desk, spec: MakeSpec) -> None:
    desk.write("a.yaml", spec("a"))
    before = desk.run("render a.yaml").out
    desk.write("before.yaml", before)
    (name,) = re.findall(r"^  name: (a-\w+)$", before, re.MULTILINE)
    digest = name.removeprefix("a-")
    changed = "  env: {A: '1'}\n"
    desk.write("a.yaml", spec("a", changed))
    told = desk.run("diff before.yaml a.yaml")
    assert "a new run, started beside" in told.out and "stays until it is pruned" in told.out
    desk.write("a.yaml", spec("a", f'{changed}  run: "{digest}"\n'))
    assert f"  name: {name}\n" in desk.run("render a.yaml").out
    told = desk.run("diff before.yaml a.yaml")
    assert "the API server refuses the apply" in told.out and "a new run" not in told.out
