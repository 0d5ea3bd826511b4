"""A run for several profiles: one round for each, and the merged findings.

A finding of all rounds is reported once; one of only some rounds names their profiles. A file that
was rendered for one cluster is linted in that round only; if the cluster's profile is not given, it
is linted without a profile.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gpuspec.lint.drafts import Draft
    from gpuspec.lint.model import Finding
    from gpuspec.loading.specs import Compile
    from gpuspec.spec import Profile

    Compiled = tuple[Profile | None, Compile]
    """A profile, or none, and what renders a workload on it or on the one that stands in for it."""


class Round(msgspec.Struct, frozen=True):
    """A run for one profile, or for none."""

    profile: Profile | None = None
    compile: Compile | None = None
    """The compiler of specs; None if specs are not linted."""
    clusters: frozenset[str] | None = None
    """The clusters whose objects are linted; an empty string stands for objects of no cluster. None
    for all."""

    def judges(self, cluster: str) -> bool:
        """Return whether objects of a cluster are linted."""
        return self.clusters is None or cluster in self.clusters


def rounds(compiled: Sequence[Compiled], clusters: Mapping[str, str]) -> list[Round]:
    """Return the rounds for some profiles, or for none, given the known clusters of files."""
    names = {profile.name for profile, _ in compiled if profile is not None}
    cluster_names = {*clusters.values()}
    others = cluster_names - names
    if len(compiled) == 1 and not (names & cluster_names and others):
        return [Round(*compiled[0])]
    # Who names none of the clusters asks what it would all be on another one.
    shared = {""} if names & cluster_names else {"", *others}
    profile_rounds = [
        Round(profile, compile, frozenset({*shared, profile.name if profile else ""}))
        for profile, compile in compiled
    ]
    return (
        [*profile_rounds, Round(clusters=frozenset(others))]
        if names & cluster_names and others
        else profile_rounds
    )


def merged(
    drafts_by_round: Sequence[tuple[Round, Sequence[Draft]]], clusters: Mapping[str, str]
) -> list[Draft]:
    """Return the findings of all rounds, each once, with its profiles unless it applies to all."""
    if len(drafts_by_round) == 1:
        return [*drafts_by_round[0][1]]
    drafts: dict[tuple[Finding, int], Draft] = {}
    found_by: dict[tuple[Finding, int], list[Round]] = {}
    for lint_round, round_drafts in drafts_by_round:
        times: Counter[Finding] = Counter()
        for draft in round_drafts:
            key = draft.finding, times[draft.finding]
            times[draft.finding] += 1
            drafts.setdefault(key, draft)
            found_by.setdefault(key, []).append(lint_round)
    merged_drafts: list[Draft] = []
    for key, draft in drafts.items():
        finding, mine = key[0], found_by[key]
        cluster = clusters.get(finding.file, "")
        if all(
            finding_round in mine
            for finding_round, _ in drafts_by_round
            if finding_round.judges(cluster)
        ):
            merged_drafts.append(draft)
            continue
        names = tuple(
            finding_round.profile.name
            for finding_round in mine
            if finding_round.profile is not None
        )
        finding = msgspec.structs.replace(finding, profiles=names)
        merged_drafts.append(msgspec.structs.replace(draft, finding=finding))
    return merged_drafts
