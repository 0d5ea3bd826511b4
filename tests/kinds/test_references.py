"""Every field that looks as if it named another object is in a record, or has a reason why it is not."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gpuspec.kinds import kind_of, kinds, traits_of
from gpuspec.kinds.references import CONTAINER, POD
from tests.lint.pages import raised
from tests.lint.references import CASES, SLIP, Case

DOCS = Path(__file__).parents[2] / "docs"


def _load(name: str) -> ModuleType:
    """A script of `docs/`, which is no package."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


walk = _load("reference_fields")
page = _load("make_references")
FIELDS = list(walk.fields())


def test_every_field_is_a_name_or_has_a_reason() -> None:
    patterns = [pattern for reason in walk.reasons() for pattern in reason.fields]
    unknown = [field for field in FIELDS if not walk.is_known(field)]
    left = [str(one) for one in unknown if not any(walk.matches(one, each) for each in patterns)]
    assert left == []


def test_no_reason_is_for_nothing() -> None:
    unknown = [field for field in FIELDS if not walk.is_known(field)]
    patterns = [pattern for reason in walk.reasons() for pattern in reason.fields]
    stale = [each for each in patterns if not any(walk.matches(one, each) for one in unknown)]
    assert stale == []


BEYOND = (
    # In maps of labels and annotations, in a pod with fields of its own, in Gateway API's experimental channel, and
    # what every object has.
    "spec.nodeSelector.",
    "metadata.annotations.kubernetes.io/service-account.name",
    "spec.predictor.",
    "externalAuth.backendRef.name",
    "metadata.name",
)


def test_a_record_knows_no_field_that_the_schema_has_not() -> None:
    found = {(field.kind, field.path) for field in FIELDS}
    walked = [kind for kind in kinds() if kind not in walk.unwalked()]
    asked = {(kind, row.path) for kind in walked for row in (*kind.refers, *kind.makes)}
    asked |= {(kind, row.path) for kind in walked for row in kind.selects}
    pod = traits_of("", "Pod")
    asked |= {(pod, f"spec.{row.path}") for row in POD}
    asked |= {(pod, f"spec.containers.*.{row.path}") for row in CONTAINER}
    left = [path for _, path in asked - found if not any(each in path for each in BEYOND)]
    assert sorted(left) == []


def test_the_page_is_up_to_date() -> None:
    assert page.PAGE.read_text() == page.text(), "stale: python docs/make_references.py"


SOME = [case for case in CASES if case.kind not in ("Probe", "PodMonitor", "RayJob", "RayService")]


@pytest.mark.parametrize("case", SOME[::3], ids=str)
def test_the_page_names_the_rule_that_speaks(case: Case) -> None:
    kind = None if case.base else kind_of(case.group, case.kind)
    code = page.rule_for(kind, case.row)
    if not case.row.kind:
        # What the object says, which here is one of many.
        return
    said = {one.rule.code for one in raised(case.objects(SLIP))}
    assert code in said or not code
