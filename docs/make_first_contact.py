"""Write the page of the first contact: `python docs/make_first_contact.py`, from `tests/first_contact`."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.lint.contacts import GATHERINGS, Contact, Gathering

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "first-contact.md"
FIXES = ROOT / "tests" / "first_contact" / "fixes"
DRAWS = ROOT / "tests" / "first_contact" / "repositories" / "draws.yaml"
FIRST = ("found", "found in part", "said wrongly", "not found")
KINDS = {
    "objects": "objects that do not match each other",
    "operators": "values and configuration of GPU operators, plugins and drivers",
    "files": "users, files and mounts inside the pod",
    "arguments": "arguments, environment and metrics of model servers",
    "fields": "fields that a controller requires or ignores",
    "launch": "how a distributed job starts and ends",
    "sizes": "sizes and times that are known only from experience",
    "gateways": "gateways, routes and endpoint pickers",
    "scheduling": "queues, gangs and where pods may run",
    "permissions": "permissions that a program needs",
    "images": "images that do not fit the GPU, its driver or the machine",
    "releases": "releases with a bug",
    "charts": "values of the charts of applications",
}

HEAD = """# First contact

<!-- Made by docs/make_first_contact.py from tests/first_contact. Do not edit. -->

This page measures how many faults the linter finds in reports that it was not built for.
[Cases from the field](cases.md) cannot show this, because rules were made for them. These reports were gathered after the
rules were written, without checking whether a rule matches.

1. Queries were fixed: faults of GPU work on Kubernetes, as users describe them.
2. Answers were taken in rounds, the first of each query before the second of any, until fifty were usable: from the last
   two years, with a fault that is visible in YAML, and a resolution that gives the right answer.
3. For each report a complete manifest was written with the fault, and a twin with the smallest right change. The places
   of a possible finding, the level, and one sentence that the linter should report were written down too.
4. All of this was fixed before any manifest was linted. Then each was judged by hand: *found* if a finding at the place
   reports the fault; *found in part* if it reports something else that is true of the place; *said wrongly* if the message
   misleads; else *not found*.

The fifth, the sixth and the seventh list were gathered in other ways, which their sections describe. The reports are few,
most of them from English threads of projects on GitHub, and each list was read by one person.
`tests/lint/test_first_contact.py` checks what is found and what is reported for the twins; a report that becomes found
must be removed from the list of open ones.

The lists cannot be compared with each other. Each has other sources or other queries: a lower figure may come from the
sources as well as from the rules. A report is known if an earlier list or the cases from the field have it, or the page
of a rule cites it. Only new reports are a first contact, so the last column is the one to read. The table counts what was
found at first contact; rules that were written since do not change it.
"""

SOURCES = {
    "first": "issue threads, some web pages",
    "second": "issue threads",
    "third": "issue threads, some web pages",
    "fourth": "web pages and documentation, then issue threads",
    "fifth": "issue threads, pull requests and commits, known ones left out",
    "sixth": "issue threads",
    "seventh": "issue threads, one web page",
    "eighth": "issue threads and pull requests, known ones left out",
    "ninth": "issue threads and pull requests, known ones left out",
    "tenth": "issue threads and pull requests, known ones left out",
    "eleventh": "web pages, then issue threads and pull requests, known ones left out",
}


def text() -> str:
    """Return the whole page, with each list that has been judged."""
    lines = [HEAD, *_summary(), ""]
    for gathering in GATHERINGS:
        if gathering.judged:
            lines += [f"## The {gathering.name} list", "", *_list(gathering)]
    return "\n".join([*lines, *_fixes(), "", *_draws(), ""])


def _summary() -> Iterator[str]:
    """Yield a table of all lists: what was found at first contact, of all reports and of the new ones."""
    yield "| list | gathered from | reports | found | new reports | new and found | % of the new |"
    yield "|---|---|---|---|---|---|---|"
    for gathering in GATHERINGS:
        if gathering.judged:
            contacts = gathering.contacts()
            new = [contact for contact in contacts if not contact.known]
            found, found_new = _found(contacts), _found(new)
            yield (
                f"| {gathering.name} | {SOURCES[gathering.name]} | {len(contacts)} | {found} "
                f"| {len(new)} | {found_new} | {_percent(found_new, len(new))} |"
            )


def _found(contacts: list[Contact]) -> int:
    """Return how many reports were found at first contact."""
    return sum(contact.verdict["first"] == "found" for contact in contacts)


def _percent(part: int, whole: int) -> int:
    """Return a share in percent, rounded."""
    return round(100 * part / whole)


def _fixes() -> Iterator[str]:
    """Yield the findings on files before a fix in a public history that disappear with it."""
    figures = yaml.safe_load((FIXES / "figures.yaml").read_text())
    rows = (FIXES / "measured.tsv").read_text().splitlines()[1:]
    assert len(rows) == sum(figures["pairs"].values())
    yield "## Fixes in public histories\n"
    yield (
        (FIXES / "gathered.md")
        .read_text()
        .format(repositories=len({row.split("\t")[0] for row in rows}), pairs=len(rows))
    )
    yield "| what the fix changes | pairs | reported at first | now |"
    yield "|---|---|---|---|"
    for kind, words in (("HelmRelease", "values of a HelmRelease"), ("other", "anything else")):
        first, now = figures["first"][kind], figures["now"][kind]
        yield f"| {words} | {figures['pairs'][kind]} | {first} | {now} |"
    first, now = (figures[when]["loud"] for when in ("first", "now"))
    yield f"| all, as a warning or an error | {len(rows)} | {first} | {now} |"


FALSE_ALARMS = """## False alarms in repositories

The lists above show what is missed. This table shows what is reported although nothing is wrong. Whole repositories were
linted as their owners would lint them. Findings were drawn by a seed, in repositories of others only errors and warnings,
and judged by readers who had written no rule. After each draw its false kinds were mended, nearly all with a test
in `tests/field/silent`. So the figures are those of a first contact: the same draw would be better today. Most of the false
errors had few causes, such as a patch of a parent Kustomization, which completes all Kustomizations of a cluster.
"""


def _draws() -> Iterator[str]:
    """Yield what readers judged of findings on whole repositories."""
    yield FALSE_ALARMS
    yield "| findings of | drawn | right | hard to understand | false | % false | all errors, before and after |"
    yield "|---|---|---|---|---|---|---|"
    for draw in yaml.safe_load(DRAWS.read_text()):
        false = draw["drawn"] - draw["right"] - draw["hard"]
        errors = ", then ".join(map(str, draw.get("errors", ())))
        yield (
            f"| {draw['of']} | {draw['drawn']} | {draw['right']} | {draw['hard']} | {false} "
            f"| {_percent(false, draw['drawn'])} | {errors} |"
        )


def _list(gathering: Gathering) -> Iterator[str]:
    """Yield one list: how it was gathered, and its results."""
    them = gathering.contacts()
    yield _gathered(gathering, them)
    for title, part in (
        ("Results", _figures(them)),
        ("Missed reports by kind", _kinds(them)),
        ("Findings on the twins", _twins(them)),
        ("Each report", _rows(them)),
        ("Reports left out", _exclusions(gathering)),
    ):
        yield from (f"### {title}", "", *part, "")


def _gathered(gathering: Gathering, them: list[Contact]) -> str:
    """Return how one list was gathered, with its figures."""
    told = (gathering.folder / "gathered.md").read_text()
    found, found_known = _found(them), _found([one for one in them if one.known])
    known = sum(one.known for one in them)
    return told.format(
        queries=len(gathering.queries()),
        zero=sum(not one.case.row["query"] for one in them),
        found=found,
        all=len(them),
        percent=_percent(found, len(them)),
        known=known,
        new=len(them) - known,
        found_known=found_known,
        found_new=found - found_known,
        percent_new=_percent(found - found_known, len(them) - known),
        raised=", ".join(one.id for one in them if one.verdict.get("raised")),
    )


def _figures(them: list[Contact]) -> Iterator[str]:
    first = Counter(one.verdict["first"] for one in them)
    now = Counter(_now(one) for one in them)
    yield f"| of {len(them)} | at first contact | now |"
    yield "|---|---|---|"
    for word in FIRST:
        if word == "found in part" and not first[word]:
            continue
        yield f"| {word} | {first[word]} | {now[word]} |"
    yield ""
    yield (
        "The second figure is no measure: it shows which faults the linter has learned to find since, "
        "from these reports among others."
    )


def _kinds(them: list[Contact]) -> Iterator[str]:
    """Yield what was missed at first, and what is still missed, the largest kind first."""
    missed = [one for one in them if one.verdict["first"] != "found"]
    count = Counter(one.verdict["miss"] for one in missed)
    yield "| kind | at first contact | still missed |"
    yield "|---|---|---|"
    for kind in sorted(filter(count.get, KINDS), key=lambda kind: -count[kind]):
        still = [one.id for one in missed if one.verdict["miss"] == kind and not one.verdict["now"]]
        yield f"| {KINDS[kind]} | {count[kind]} | {', '.join(still) or '–'} |"


def _twins(them: list[Contact]) -> Iterator[str]:
    """Yield the warnings and errors on the twins."""
    true = Counter(rule for one in them for rule in one.verdict.get("twin", ()))
    shown = ", ".join(f"{_link(rule)} {count}" for rule, count in sorted(true.items()))
    yield f"True, although the report is about something else: {shown}."
    yield ""
    yield f"False at first contact: {_false(them, 'alarmed')}. Now: {_false(them, 'alarm')}."


def _false(them: list[Contact], key: str) -> str:
    false = (f"{_link(rule)} of {one.id}" for one in them for rule in one.verdict.get(key, ()))
    return ", ".join(false) or "none"


def _rows(them: list[Contact]) -> Iterator[str]:
    yield "| report | symptom | expected message | at first contact | now |"
    yield "|---|---|---|---|---|"
    for one in them:
        row, first = one.case.row, one.verdict["first"]
        if "note" in one.verdict:
            first += f": {one.verdict['note']}"
        now = ", ".join(map(_link, sorted(one.listed("now")))) or "open"
        said = row["what_the_linter_ought_to_say"]
        known = ", known" if one.known else ""
        yield f"| [{one.id}]({row['source']}){known} | {row['symptom']} | {said} | {first} | {now} |"


def _exclusions(gathering: Gathering) -> Iterator[str]:
    yield f"`tests/first_contact/{gathering.name}/exclusions.yaml` lists them."
    yield (
        "Older reports were left out without being listed."
        if gathering.queries()
        else "No other report that was read was recorded."
    )
    yield ""
    yield "| reason | reports |"
    yield "|---|---|"
    for why, sources in gathering.exclusions().items():
        yield f"| {why} | {len(sources)} |"


def _now(one: Contact) -> str:
    return "found" if one.verdict["now"] else one.verdict["first"]


def _link(rule: str) -> str:
    return f"[{rule}](rules.md#{rule.lower()})"


if __name__ == "__main__":
    PAGE.write_text(text())
