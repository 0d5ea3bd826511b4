"""One run of the linter: what was named is read, ruled on, and set against what is known already."""

from __future__ import annotations

from os.path import normpath
from typing import TYPE_CHECKING

import msgspec

from gpuspec.charts.release import HELM
from gpuspec.lint import unreadable
from gpuspec.lint.drafts import Draft, Drafts, completed
from gpuspec.lint.engine import Engine
from gpuspec.lint.result import LintResult
from gpuspec.lint.waiving.verdict import verdict
from gpuspec.loading.charted import charted
from gpuspec.loading.custom import Custom
from gpuspec.loading.feeds import TextFeed
from gpuspec.loading.kustomize import GROUP as KUSTOMIZE
from gpuspec.loading.notes import Note
from gpuspec.loading.specs import Specs, Together
from gpuspec.loading.values_files import values_files
from gpuspec.manifests import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gpuspec.lint.policy import Policy
    from gpuspec.loading.inputs import Inputs
    from gpuspec.loading.specs import Compile, Made
    from gpuspec.loading.units import Unit
    from gpuspec.manifests import Source
    from gpuspec.spec import Profile, Workload

_LOCAL = (f"{KUSTOMIZE}/", f"{HELM}/", "krm.gpuspec.dev/")
_SHOWN = 12
"""Kinds without a schema that are named; more of them nobody reads."""

MANY = 100
"""Texts with pods among which more than one process may be worth while."""


def run(
    inputs: Inputs, policy: Policy, compile: Compile, profile: Profile | None = None
) -> LintResult:
    """Everything that the rules say of some inputs, set against what is known already.

    `compile` renders a workload, on `profile` or on the one that stands in for it.
    """
    feed = TextFeed(inputs.sources, Custom(policy.configuration.config.pod_paths))
    specs = Specs()
    early = list(feed.ours)
    for document in early:
        specs.read(document, compile)
    engine = Engine(policy.anywhere, profile, policy.configuration.facts())
    engine.patches = {normpath(one.name): one for one in inputs.patches}
    valued = list(values_files(inputs.named, feed.plain()))
    drafts = _found(engine, feed, specs, policy, valued)
    # What names one of our versions and none of our kinds may be met among the objects with pods.
    for document in feed.ours[len(early) :]:
        specs.read(document, compile)
    found = [one.finding for one in drafts]
    found += map(unreadable.unread, (*inputs.unread, *feed.unread))
    found += map(unreadable.wrong, specs.wrong)
    found += map(unreadable.doubtful, specs.doubts)
    notes = [
        *sorted((*inputs.notes, *feed.passed)),
        *(Note("", said) for said in feed.custom.notes()),
        *_unvalidated(engine.unvalidated),
    ]
    annotations = engine.annotations
    # What is known of objects is not asked for any more, and what comes takes its room.
    del engine
    if profile is None:
        notes += (unreadable.not_rendered(*each) for each in specs.refused)
    else:
        found += (one for _, reasons in specs.refused for one in unreadable.refused(reasons))
    sources = _with_values(inputs.sources, valued)
    result = completed(verdict(found, policy, sources, annotations), drafts, policy)
    return msgspec.structs.replace(
        result,
        notes=(*notes, *result.notes),
        files=inputs.files,
        documents=feed.objects + len(feed.ours) + len(valued),
        unreadable=_nothing_read(inputs, feed),
    )


def check(
    made: Iterable[tuple[Workload, Made]],
    policy: Policy,
    profile: Profile | None = None,
    rules: set[str] | None = None,
) -> LintResult:
    """Everything that the rules say of workloads that are rendered already; `rules`: only these."""
    specs = Specs()
    for workload, one in made:
        specs.add(workload, one)

    def wanted(code: str) -> bool:
        return (rules is None or code in rules) and policy.anywhere(code)

    engine = Engine(wanted, profile, policy.configuration.facts())
    drafts = _found(engine, TextFeed(()), specs, policy)
    documents = [one.document for one in specs.workloads]
    sources = {one.source.name: one.source for one in documents if isinstance(one, Document)}
    found = [one.finding for one in drafts]
    result = completed(verdict(found, policy, sources.values(), engine.annotations), drafts, policy)
    files = {one.place(()).file for one in documents}
    return msgspec.structs.replace(result, files=len(files), documents=len(documents))


def _found(
    engine: Engine, feed: TextFeed, specs: Specs, policy: Policy, valued: Iterable[Unit] = ()
) -> list[Draft]:
    """What the rules say of objects that were read or rendered, of the releases that files of values
    are for, and of specs as they are written."""
    made = (*specs.units, *valued, *charted((*feed.plain(), *valued)))
    say, both = Drafts(engine, policy).draft, Together(feed, made)
    plain = engine.begin(both)
    if len(feed.waiting) > MANY:
        from gpuspec.lint import crew

        found = crew.look(engine, plain, feed, say)
    else:
        found = [*map(say, engine.judge(plain)), *map(say, engine.look(feed.podded()))]
    found += map(say, engine.look(both.rendered()))
    found += map(say, engine.finish())
    for workload in specs.workloads:
        found += map(say, engine.spec(workload))
    return found


def _with_values(sources: Iterable[Source], valued: Iterable[Unit]) -> list[Source]:
    """The texts that were read, with those of files of values, each once."""
    read = {one.name: one for one in sources}
    for unit in valued:
        if unit.document is not None:
            read.setdefault(unit.file, unit.document.source)
    return list(read.values())


def _unvalidated(counts: dict[tuple[str, str], int]) -> Iterator[Note]:
    """What no schema was there for, counted by kind; Kustomize's own files, and the configs of our
    function for it, are given to no server."""
    foreign = {key: count for key, count in counts.items() if not key[0].startswith(_LOCAL)}
    most = sorted(foreign.items(), key=lambda entry: (-entry[1], entry[0]))
    said = [f"{count} {kind} ({version})" for (version, kind), count in most[:_SHOWN]]
    if len(most) > _SHOWN:
        said.append(f"{sum(count for _, count in most[_SHOWN:])} of other kinds")
    if said:
        way = "`gpuspec schema add CRD.yaml` makes one of a definition"
        yield Note("", f"not validated, for want of a schema: {', '.join(said)}; {way}")


def _nothing_read(inputs: Inputs, feed: TextFeed) -> bool:
    """Whether nothing of what was given could be parsed."""
    failed = {one.place.file for one in (*inputs.unread, *feed.unread)}
    return bool(failed) and not feed.documents and len(failed) == inputs.files
