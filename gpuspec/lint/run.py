"""One run of the linter: it reads the inputs, applies the rules, and compares the findings with the
baseline."""

from __future__ import annotations

from collections import Counter
from os.path import normpath
from typing import TYPE_CHECKING

import msgspec

from gpuspec.charts.release import HELM
from gpuspec.lint import unreadable
from gpuspec.lint.drafts import Draft, Drafts, completed
from gpuspec.lint.engine import Engine
from gpuspec.lint.result import LintInterrupt, LintResult
from gpuspec.lint.rounds import merged, rounds
from gpuspec.lint.suppressions.verdict import verdict
from gpuspec.loading.charted import charted
from gpuspec.loading.custom import Custom
from gpuspec.loading.kustomize import GROUP as KUSTOMIZE
from gpuspec.loading.notes import LoadingNote
from gpuspec.loading.specs import Specs, Together
from gpuspec.loading.text_loader import TextLoader, untold
from gpuspec.loading.values_files import values_files
from gpuspec.manifests import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from gpuspec.lint.policy import ReportingPolicy
    from gpuspec.lint.rounds import Compiled, Round
    from gpuspec.lint.suppressions.annotations import Annotation
    from gpuspec.loading.inputs import Inputs
    from gpuspec.loading.specs import WorkloadResult
    from gpuspec.loading.units import Unit
    from gpuspec.manifests import SourceFile
    from gpuspec.spec import Profile, Workload

    Tell = Callable[[int, int], None]

_LOCAL = (f"{KUSTOMIZE}/", f"{HELM}/", "krm.gpuspec.dev/")
_SHOWN = 12
"""The number of kinds without a schema that are listed."""

MANY = 100
"""The number of texts with pods from which several processes may pay off."""


class _RoundResult(msgspec.Struct, frozen=True):
    """The result of one round."""

    drafts: list[Draft]
    notes: list[LoadingNote]
    annotations: list[Annotation]
    sources: list[SourceFile]
    documents: int
    unreadable: bool
    elsewhere: list[Workload]
    """The workloads for other clusters."""
    interrupted: bool
    """Whether it ended early."""
    unopened: int
    """The number of texts that were not read."""


def run(
    inputs: Inputs, policy: ReportingPolicy, compiled: Sequence[Compiled], tell: Tell | None = None
) -> LintResult:
    """Lint some inputs, and compare the findings with what is known already.

    `compiled` are the profiles of the run, or None, each with its compiler of workloads. `tell` is
    called with the number of finished texts with pods, and of all. Raises `Interrupted` if Ctrl-C
    ends it while rules run.
    """
    results: list[tuple[Round, _RoundResult]] = []
    profiles = [profile.name for profile, _ in compiled if profile is not None]
    for lint_round in rounds(compiled, inputs.clusters):
        results.append((lint_round, _told(inputs, policy, lint_round, profiles, tell or untold)))
        if results[-1][1].interrupted:
            break
    drafts = merged(
        [(lint_round, result_of_round.drafts) for lint_round, result_of_round in results],
        inputs.clusters,
    )
    first = results[0][1]
    annotations = [
        *dict.fromkeys(
            annotation
            for _, result_of_round in results
            for annotation in result_of_round.annotations
        )
    ]
    findings = [draft.finding for draft in drafts]
    result = completed(verdict(findings, policy, first.sources, annotations), drafts, policy)
    notes = dict.fromkeys(note for _, result_of_round in results for note in result_of_round.notes)
    notes |= dict.fromkeys(_elsewhere(results, profiles))
    result = msgspec.structs.replace(
        result,
        notes=(*notes, *result.notes),
        files=inputs.files,
        documents=first.documents,
        unreadable=first.unreadable,
    )
    if results[-1][1].interrupted:
        unopened = results[-1][1].unopened
        raise LintInterrupt(msgspec.structs.replace(result, interrupted=True, unopened=unopened))
    return result


def _told(
    inputs: Inputs, policy: ReportingPolicy, lint_round: Round, profiles: Sequence[str], tell: Tell
) -> _RoundResult:
    """Return the findings of one round; `profiles` are those of all rounds."""
    custom = Custom(policy.configuration.config.pod_paths)
    loader = TextLoader(inputs.sources, custom, inputs.clusters, inputs.fillings, tell)
    specs = Specs()
    early = list(loader.ours)
    _read(specs, early, lint_round)
    engine = Engine(
        policy.anywhere, lint_round.profile, policy.configuration.facts(), lint_round.judges
    )
    engine.patches = {normpath(patch.name): patch for patch in inputs.patches}
    valued = list(values_files(inputs.named, loader.plain()))
    drafts: list[Draft] = []
    interrupted = False
    try:
        _find(engine, loader, specs, policy, valued, drafts, tell, inputs.rendered)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        tell(1, 1)
    # What names one of our versions and none of our kinds may be met among the objects with pods.
    _read(specs, loader.ours[len(early) :], lint_round)
    findings = [*map(unreadable.unread, (*inputs.unread, *loader.unread))]
    findings += map(unreadable.wrong, specs.wrong)
    findings += map(unreadable.doubtful, specs.doubts)
    # A single profile may be one of many.
    for workload in specs.workloads if len(profiles) > 1 else ():
        findings += unreadable.misspelt_clusters(workload, profiles)
    notes = [
        *sorted((*inputs.notes, *loader.passed)),
        *(LoadingNote("", note) for note in loader.custom.notes()),
        *_unvalidated(engine.unvalidated),
    ]
    annotations = engine.annotations
    # What is known of objects is not asked for any more, and what comes takes its room.
    del engine
    if lint_round.profile is None:
        notes += (unreadable.not_rendered(*refusal) for refusal in specs.refused)
    else:
        findings += (
            finding for _, reasons in specs.refused for finding in unreadable.refused(reasons)
        )
    return _RoundResult(
        [*drafts, *map(Draft, findings)],
        notes,
        annotations,
        _with_values(inputs.sources, valued),
        loader.objects + len(loader.ours) + len(valued),
        _nothing_read(inputs, loader),
        specs.elsewhere,
        interrupted,
        loader.unopened(),
    )


def _elsewhere(
    results: Sequence[tuple[Round, _RoundResult]], profiles: Sequence[str]
) -> Iterator[LoadingNote]:
    """Yield findings for the workloads that are for none of the profiles."""
    workloads = {
        workload.place(()): workload
        for _, result_of_round in results
        for workload in result_of_round.elsewhere
    }
    times = Counter(
        workload.place(())
        for _, result_of_round in results
        for workload in result_of_round.elsewhere
    )
    for place, workload in workloads.items():
        if times[place] == len(profiles):
            yield unreadable.elsewhere(workload, profiles)


def _read(specs: Specs, documents: Iterable[Document], lint_round: Round) -> None:
    """Lint specs, if the round includes them."""
    if lint_round.compile is not None:
        for document in documents:
            specs.read(document, lint_round.compile)


def check(
    rendered: Iterable[tuple[Workload, WorkloadResult]],
    policy: ReportingPolicy,
    profile: Profile | None = None,
    rules: set[str] | None = None,
) -> LintResult:
    """Lint rendered workloads; `rules` restricts the rules."""
    specs = Specs()
    for workload, workload_result in rendered:
        specs.add(workload, workload_result)

    def wanted(code: str) -> bool:
        return (rules is None or code in rules) and policy.anywhere(code)

    engine = Engine(wanted, profile, policy.configuration.facts())
    drafts: list[Draft] = []
    _find(engine, TextLoader(()), specs, policy, (), drafts)
    documents = [workload.document for workload in specs.workloads]
    sources = {
        document.source.name: document.source
        for document in documents
        if isinstance(document, Document)
    }
    findings = [draft.finding for draft in drafts]
    result = completed(
        verdict(findings, policy, sources.values(), engine.annotations), drafts, policy
    )
    files = {document.place(()).file for document in documents}
    return msgspec.structs.replace(result, files=len(files), documents=len(documents))


def _find(
    engine: Engine,
    loader: TextLoader,
    specs: Specs,
    policy: ReportingPolicy,
    valued: Iterable[Unit],
    drafts: list[Draft],
    tell: Tell = untold,
    rendered: Collection[tuple[str, str]] = (),
) -> None:
    """Lint objects that were read or rendered, the releases of values files, and specs as written.
    The findings are kept even if it is interrupted."""
    units = (*specs.units, *valued, *charted((*loader.plain(), *valued), rendered))
    say, together = Drafts(engine, policy).draft, Together(loader, units, specs.clusters)
    plain = engine.begin(together)
    if len(loader.waiting) > MANY:
        from gpuspec.lint import parallel

        parallel.look(engine, plain, loader, say, drafts, tell)
    else:
        drafts.extend(map(say, engine.judge(plain)))
        drafts.extend(map(say, engine.look(loader.podded())))
    drafts.extend(map(say, engine.look(together.rendered())))
    drafts.extend(map(say, engine.finish()))
    for workload in specs.workloads:
        drafts.extend(map(say, engine.spec(workload)))


def _with_values(sources: Iterable[SourceFile], valued: Iterable[Unit]) -> list[SourceFile]:
    """Return the texts that were read, including values files, each once."""
    sources_by_name = {source.name: source for source in sources}
    for unit in valued:
        if unit.document is not None:
            sources_by_name.setdefault(unit.file, unit.document.source)
    return list(sources_by_name.values())


def _unvalidated(counts: dict[tuple[str, str], int]) -> Iterator[LoadingNote]:
    """Yield notes on kinds without a schema, with counts; kinds that only Kustomize reads are left
    out."""
    foreign = {key: count for key, count in counts.items() if not key[0].startswith(_LOCAL)}
    most = sorted(foreign.items(), key=lambda entry: (-entry[1], entry[0]))
    counted = [f"{count} {kind} ({version})" for (version, kind), count in most[:_SHOWN]]
    if len(most) > _SHOWN:
        counted.append(f"{sum(count for _, count in most[_SHOWN:])} of other kinds")
    if counted:
        way = "add one with `gpuspec schema add CRD.yaml`"
        yield LoadingNote(
            "", f"not validated, because no schema is known: {', '.join(counted)}; {way}"
        )


def _nothing_read(inputs: Inputs, loader: TextLoader) -> bool:
    """Return whether none of the input could be parsed."""
    failed = {unread_part.place.file for unread_part in (*inputs.unread, *loader.unread)}
    return bool(failed) and not loader.documents and len(failed) == inputs.files
