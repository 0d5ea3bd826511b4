"""gpuspec: typed GPU workload specs become Kubernetes objects that start.

The library's whole surface, one function for each thing a command does; they stand in
`gpuspec.facade`. Everything is imported when it is first asked for, so that importing the package
costs nothing.
"""

from __future__ import annotations

import sys

from gpuspec.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gpuspec.cluster.check import ProfileFinding
    from gpuspec.cluster.discover import Discovery
    from gpuspec.cluster.platform import Platform
    from gpuspec.demand.totals import Table
    from gpuspec.diff import Diff
    from gpuspec.facade.diffing import cluster_profile, diff, names_revision
    from gpuspec.facade.drifting import fleet_drift
    from gpuspec.facade.fitting import fit, fleet_report
    from gpuspec.facade.fixed_names import check_fixed
    from gpuspec.facade.hosting import (
        ClusterVerdict,
        compare_cluster,
        confined,
        find_specs,
        runs_again,
        settable,
        standard_input,
    )
    from gpuspec.facade.linting import (
        baseline_file,
        fails,
        lint,
        lint_renderings,
        lint_settings,
        mend,
        rule,
        rules,
        suppress,
        write_baseline,
    )
    from gpuspec.facade.profiles import (
        check_profile,
        discover,
        load_profiles,
        operator_values,
        platform,
        profile_names,
        validation_jobs,
    )
    from gpuspec.facade.schemas import SchemaAddition, add_schemas
    from gpuspec.facade.starting import nearest_model, starter
    from gpuspec.facade.tables import table
    from gpuspec.facade.texts import (
        Proposal,
        amend,
        lint_text,
        load_documents,
        mend_text,
        parts,
        proposal,
        read_text,
    )
    from gpuspec.facade.workloads import (
        Folder,
        compare_folders,
        dump,
        explain,
        explain_field,
        load,
        needed,
        render,
        schema,
        target_names,
        write_folder,
        write_folders,
    )
    from gpuspec.fleet.fit import FitReport, FleetReport
    from gpuspec.lint.mending import FixResult
    from gpuspec.lint.model import Finding, Rule
    from gpuspec.lint.result import LintInterrupt, LintResult
    from gpuspec.manifests import Document, InputError, Place, Problem
    from gpuspec.manifests.writing import write_file
    from gpuspec.objects.needed import RequiredObject
    from gpuspec.plan import Explanation, Note, Refusal
    from gpuspec.render import InternalError, Rendering
    from gpuspec.render.compare import Differences
    from gpuspec.render.folder import Written
    from gpuspec.spec import Profile, Workload

__all__ = [
    "ClusterVerdict",
    "Diff",
    "Differences",
    "Discovery",
    "Document",
    "Explanation",
    "Finding",
    "FitReport",
    "FixResult",
    "FleetReport",
    "Folder",
    "InputError",
    "InternalError",
    "LintInterrupt",
    "LintResult",
    "Note",
    "Place",
    "Platform",
    "Problem",
    "Profile",
    "ProfileFinding",
    "Proposal",
    "Refusal",
    "Rendering",
    "RequiredObject",
    "Rule",
    "SchemaAddition",
    "Table",
    "Workload",
    "Written",
    "__version__",
    "add_schemas",
    "amend",
    "baseline_file",
    "check_fixed",
    "check_profile",
    "cluster_profile",
    "compare_cluster",
    "compare_folders",
    "confined",
    "diff",
    "discover",
    "dump",
    "explain",
    "explain_field",
    "fails",
    "find_specs",
    "fit",
    "fleet_drift",
    "fleet_report",
    "lint",
    "lint_renderings",
    "lint_settings",
    "lint_text",
    "load",
    "load_documents",
    "load_profiles",
    "mend",
    "mend_text",
    "names_revision",
    "nearest_model",
    "needed",
    "operator_values",
    "parts",
    "platform",
    "profile_names",
    "proposal",
    "read_text",
    "render",
    "rule",
    "rules",
    "runs_again",
    "schema",
    "settable",
    "standard_input",
    "starter",
    "suppress",
    "table",
    "target_names",
    "validation_jobs",
    "write_baseline",
    "write_file",
    "write_folder",
    "write_folders",
]

_HOMES = {
    "ClusterVerdict": "facade.hosting",
    "Explanation": "plan",
    "Diff": "diff",
    "Differences": "render.compare",
    "Discovery": "cluster.discover",
    "Document": "manifests",
    "Finding": "lint.model",
    "FitReport": "fleet.fit",
    "FleetReport": "fleet.fit",
    "Folder": "facade.workloads",
    "InputError": "manifests",
    "InternalError": "render",
    "LintInterrupt": "lint.result",
    "LintResult": "lint.result",
    "FixResult": "lint.mending",
    "RequiredObject": "objects.needed",
    "Note": "plan",
    "Place": "manifests",
    "Platform": "cluster.platform",
    "Problem": "manifests",
    "Profile": "spec",
    "ProfileFinding": "cluster.check",
    "Proposal": "facade.texts",
    "Refusal": "plan",
    "Rendering": "render",
    "Rule": "lint.model",
    "Table": "demand.totals",
    "Workload": "spec",
    "Written": "render.folder",
    "amend": "facade.texts",
    "baseline_file": "facade.linting",
    "check_fixed": "facade.fixed_names",
    "check_profile": "facade.profiles",
    "cluster_profile": "facade.diffing",
    "compare_cluster": "facade.hosting",
    "confined": "facade.hosting",
    "compare_folders": "facade.workloads",
    "diff": "facade.diffing",
    "discover": "facade.profiles",
    "dump": "facade.workloads",
    "explain": "facade.workloads",
    "explain_field": "facade.workloads",
    "fails": "facade.linting",
    "find_specs": "facade.hosting",
    "fit": "facade.fitting",
    "fleet_drift": "facade.drifting",
    "fleet_report": "facade.fitting",
    "lint": "facade.linting",
    "lint_renderings": "facade.linting",
    "lint_settings": "facade.linting",
    "lint_text": "facade.texts",
    "load": "facade.workloads",
    "load_documents": "facade.texts",
    "load_profiles": "facade.profiles",
    "mend": "facade.linting",
    "mend_text": "facade.texts",
    "nearest_model": "facade.starting",
    "names_revision": "facade.diffing",
    "needed": "facade.workloads",
    "operator_values": "facade.profiles",
    "parts": "facade.texts",
    "platform": "facade.profiles",
    "profile_names": "facade.profiles",
    "proposal": "facade.texts",
    "read_text": "facade.texts",
    "render": "facade.workloads",
    "rule": "facade.linting",
    "rules": "facade.linting",
    "runs_again": "facade.hosting",
    "SchemaAddition": "facade.schemas",
    "add_schemas": "facade.schemas",
    "schema": "facade.workloads",
    "settable": "facade.hosting",
    "standard_input": "facade.hosting",
    "starter": "facade.starting",
    "target_names": "facade.workloads",
    "suppress": "facade.linting",
    "table": "facade.tables",
    "validation_jobs": "facade.profiles",
    "write_baseline": "facade.linting",
    "write_file": "manifests.writing",
    "write_folder": "facade.workloads",
    "write_folders": "facade.workloads",
}


class _Facade(type(sys)):  # type: ignore[misc]
    """The package, whose functions `render` and `lint` stay so when packages of those names are imported.

    Python puts an imported submodule into its package's namespace; rooms are reached by
    `from gpuspec.render import …`, which does not go through it.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in __all__ and isinstance(value, type(sys))):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Facade


def __getattr__(name: str) -> Any:
    """Return functions and types, imported when they are first asked for."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"gpuspec.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'gpuspec' has no attribute {name!r}")
