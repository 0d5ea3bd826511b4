"""What is tried: each command with all its options. A test holds the table to the program's own.

A word that begins with `@` is a file of a role, `@…/` a folder of some; with `:` one of a git revision; with
`+` a file that is there and not named; with `%` a word of a kind; with `>` a file to write, `>…/` a folder.
"""

from dataclasses import dataclass, field

from tests.fuzz.commands import choices

Words = tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """A command, and how it may be asked."""

    command: Words
    """Its words; options that are always given may follow them."""
    given: Words = ()
    """Its arguments."""
    options: tuple[Words, ...] = ()
    """What may be added, each by itself."""
    beside: Words = ()
    """Roles of files that may lie in the folder, found without being named."""
    stdin: str = ""
    """The role of standard input, where the command reads nothing else."""
    environment: dict[str, str] = field(default_factory=dict)
    """Variables that may be set, and the role or kind of word that they hold."""
    output: str = "text"
    """What it prints where there is no `--format`."""
    weight: int = 4
    """How many tries it gets, compared with others."""
    program: str = "gpuspec"
    git: bool = False
    """Whether what was made lies in a repository's first commit."""
    about: str = ""
    """What tells it from others of its command."""

    @property
    def name(self) -> str:
        """What it is called: its words."""
        return " ".join(filter(None, (self.program, *self.command, self.about))).removeprefix(
            "gpuspec "
        )

    @property
    def formats(self) -> Words:
        """What `--format` takes; nothing where there is no such option, or it makes no difference."""
        if self.program != "gpuspec" or {"--diff", "--show-settings", "--write-baseline"} & {
            *self.command
        }:
            return ()
        return choices(self.command, "--format")


_CLUSTER = (("-c", "@profile"), ("-c", "%profile"))
_RULES = (("--select", "%rule"), ("--ignore", "%rule"))
_SEVERITY = tuple(("--severity", level) for level in ("error", "warning"))
_FAIL = tuple(("--fail-on", level) for level in ("warning", "info"))
_LINTED = ("config", "kustomization", "spec", "pyproject")
_PLACED = (
    ("--mix", "@mix"), ("--mix", "@manifests"), ("--seeds", "2"), ("--seeds", "%number"), ("-o", ">report"),
    *(("--policy", each) for each in choices(("fit",), "--policy")),
)  # fmt: skip

TARGETS = (
    Target(
        ("lint",),
        ("@manifests",),
        (*_CLUSTER, ("-c", "@profile/"), *_RULES, *_SEVERITY, *_FAIL, ("--exit-zero",), ("--baseline", "@baseline"), ("-o", ">report"), ("--schema-location", "default"), ("@spec",),
         ("--allow-empty",), ("--force-exclude",), ("--statistics",), ("-q",), ("--config", "@config"), ("--stdin-filename", "a.yaml"), ("--color", "never")),
        _LINTED,
        weight=24,
    ),
    Target(
        ("lint", "--show-settings"), ("@manifests",), (*_RULES, ("--config", "@config"), ("--baseline", "@baseline"), *_CLUSTER), _LINTED, output="yaml", weight=2
    ),
    Target(
        ("lint", "--fix"),
        ("@manifests",),
        (*_CLUSTER, *_RULES, ("--unsafe-fixes",), ("--unsafe-fixes",), ("--baseline", "@baseline")),
        _LINTED,
        weight=10,
    ),
    Target(
        ("lint", "--diff"),
        ("@manifests",),
        (*_CLUSTER, *_RULES, ("--unsafe-fixes",), ("--suppress", "it is meant so")),
        _LINTED,
        output="patch",
        weight=6,
    ),
    Target(
        ("lint", "--write-baseline"), ("@manifests", "--baseline", ">known.json"), (*_CLUSTER, *_RULES), _LINTED
    ),
    Target(
        ("render",),
        ("@spec",),
        (
            *_CLUSTER, ("-c", "@profile/"), ("--set", "%setting"), ("--set", "%setting"), ("--templates", "@template/"),
            ("--target", "jobset"),
            ("--no-lint",), ("--no-lint",), ("-o", ">out/"), ("-o", ">out/", "--check"),
            ("-o", ">out/{profile}/", "--skip-refused"), ("-o", "%place"),
        ),
        ("config", "record"),
        weight=14,
    ),
    Target(
        ("explain",), ("@spec",), (*_CLUSTER, ("--set", "%setting"), ("--templates", "@template/"), ("--target", "lws"), ("--path", "resources")), weight=8
    ),
    Target(("fit",), ("@manifests", "-c", "@profile"), (("@spec",), *_PLACED), _LINTED, weight=10),
    Target(("fit",), ("@spec", "-c", "@profile"), _PLACED, weight=6, about="of specs"),
    Target(("fit", "--live"), ("@dump", "@manifests"), (*_CLUSTER, ("@spec",), *_PLACED), _LINTED, weight=8),
    Target(
        ("fleet", "report"),
        ("-c", "@profile"),
        (("--live", "@dump"), ("--mix", "@mix"), ("--mix", "@manifests"), ("-o", ">report")),
        weight=5,
    ),
    Target(
        ("fleet", "report", "--live"), ("@dump",), (("-c", "@profile"), ("--mix", "@mix"), ("--mix", "@spec"), ("-o", ">report")), weight=5
    ),
    Target(("fleet", "drift"), ("-c", "@profile", "--live", "@dump"), (("@spec",), ("@manifests",), ("-o", ">report")), _LINTED, weight=8),
    Target(("table",), ("@manifests",), (*_CLUSTER, ("@spec",), ("--config", "@config"), ("--force-exclude",), ("--allow-empty",)), _LINTED, weight=8),
    Target(
        ("diff",),
        ("@manifests", "@manifests"),
        (*_CLUSTER, *_CLUSTER, *(("--fail-on", each) for each in choices(("diff",), "--fail-on")), ("-o", ">report")),
        _LINTED,
        weight=10,
    ),
    Target(("diff",), (":manifests", "@manifests"), (*_CLUSTER, ("-c", ":profile")), _LINTED, weight=1, git=True, about="of a revision"),
    Target(("diff",), ("%revision", "@manifests"), _CLUSTER, weight=1, git=True, about="of some revision"),
    Target(("cluster", "check"), ("@profile",), weight=8),
    Target(
        ("cluster", "render"),
        ("@profile",),
        (("-o", ">out/"), ("-o", "%place"), ("--values",), ("--validation",)),
        ("record",),
        weight=8,
    ),
    Target(("cluster", "discover"), ("@dump",), (("--name", "%word"),), output="yaml", weight=10),
    Target(("schema",), ("%kind",), output="json", weight=1),
    Target(("schema",), ("add", "@manifests", "-o", ">schemas/"), weight=4, about="of definitions"),
    Target(
        ("init",), ("%kind",), (("--model", "%word"), ("--gpu", "%word"), ("--count", "%number")), output="yaml", weight=2
    ),
    Target(("rule",), ("%rule",), weight=1),
    Target(("rules",), weight=1),
    Target(
        ("argocd", "generate"),
        ("+spec",),
        (("@spec",), ("%word",)),
        ("config",),
        environment={
            "ARGOCD_APP_PARAMETERS": "@parameters", "ARGOCD_APP_SOURCE_PATH": "%app", "ARGOCD_ENV_GPUSPEC_PROFILE": "%profile",
            "ARGOCD_ENV_GPUSPEC_LINT": "%lint", "KUBE_VERSION": "%version", "KUBE_API_VERSIONS": "%word",
        },
        output="yaml",
        weight=6,
    ),
    Target(("argocd", "discover"), (), (), ("spec", "kustomization"), environment={"ARGOCD_APP_SOURCE_PATH": "%app"}, weight=1),
    Target(
        ("argocd", "parameters"), ("+spec",), (), ("config",), environment={"ARGOCD_APP_PARAMETERS": "@parameters"}, output="json", weight=2
    ),
    Target(
        ("helm", "postrender"),
        (),
        (*_CLUSTER, *_SEVERITY, *_FAIL, ("--fix", "safe"), ("--fix", "all"), ("--report", ">report")),
        ("config",),
        stdin="manifests",
        environment={"GPUSPEC_PROFILE": "%profile", "GPUSPEC_SEVERITY": "%severity", "GPUSPEC_FIX": "%fix"},
        output="passed",
        weight=6,
    ),
    Target((), stdin="resources", output="yaml", weight=8, program="gpuspec-krm"),
)  # fmt: skip
