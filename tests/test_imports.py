"""What each command must not import: start-up time is a feature.

What is imported is compared, not the time. The interpreter's own imports (those of `python -c pass`
in the same environment) do not count.
"""

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPEC = "examples/chat.yaml"
PROFILE = "examples/clusters/bare-metal.yaml"
MANIFEST = "examples/rendered/generic/chat.yaml"

# Needed by no command that answers a good input without colour: a slow validator that only words
# messages, the editor of YAML, terminal art, what only libraries' side doors need, and what works
# out the expressions of kinds that these inputs have none of.
NEVER = {"jsonschema", "ruamel", "rich", "asyncio", "pydantic", "kubernetes_validate", "unittest"}
NEVER |= {"gpuspec.cel", "gpuspec.validation.cel"}
RENDERING = {
    *("jinja2", "markupsafe", "jsonschema_rs"),
    *("gpuspec.plan", "gpuspec.render", "gpuspec.validation", "gpuspec.report"),
}
READING = {"yaml", "msgspec", "gpuspec.manifests", "gpuspec.spec", "gpuspec.hardware"}
# Half of the time that one spec or one manifest would take: see gpuspec/startup/.
SLOW = {"typing_extensions", "inspect", "hashlib", "pathlib", "difflib", "tempfile", "typer"}
# What judges objects, what only one kind of workload has, and what words a mistake.
JUDGING = {
    "gpuspec.lint.engine",
    "gpuspec.lint.registry",
    "gpuspec.lint.rows",
    "gpuspec.lint.rules",
    "gpuspec.settings.config",
}
FINITE = {
    "gpuspec.targets.job",
    "gpuspec.targets.cronjob",
    "gpuspec.spec.rules.batch",
}
# What leads clients to a server, where its spec has a route.
ROUTED = {
    *(f"gpuspec.plan.{name}" for name in ("traffic", "route", "pool", "picker", "edge")),
    *("gpuspec.plan.openshift_route", "gpuspec.runtimes.gateways", "gpuspec.runtimes.pickers"),
}
# What is watched of a workload, where its profile has monitoring.
WATCHED = {"gpuspec.plan.observing.workload", "gpuspec.plan.observing.scraping"}
NOTES = {"gpuspec.report.problems"}
WORDING = {"gpuspec.spec.errors", "gpuspec.validation.messages", "gpuspec.cli.suggestions"}
REPORTS = {"gpuspec.report.lint", "gpuspec.report.explain", "gpuspec.report.short"}
RENDER = (
    NEVER
    | SLOW
    | JUDGING
    | FINITE
    | ROUTED
    | WATCHED
    | WORDING
    | NOTES
    | REPORTS
    | {"jinja2", "gpuspec.render.jinja", "gpuspec.render.folder", "gpuspec.validation.custom"}
)
# Rules that a clean Deployment without a profile is none of the business of.
OTHERS = {
    f"gpuspec.lint.rules.{name}"
    for name in (
        *("launch.ray_gpus", "launch.mpi_slots", "queues.queue_too_small", "sharing.claim_shape"),
        *("governance.image_contract", "disruption.no_checkpoint", "devices.server_without_device"),
    )
}
LINT = (
    NEVER
    | SLOW - {"difflib"}
    | OTHERS
    | {
        *("jinja2", "gpuspec.plan", "gpuspec.render", "gpuspec.spec"),
        *(
            "gpuspec.lint.fixing",
            "gpuspec.lint.suppressions.suppress",
            "gpuspec.lint.suppressions.baseline",
        ),
        *("gpuspec.lint.mending", "gpuspec.settings.read", "gpuspec.startup.render_checks"),
        "gpuspec.fleet.scheduler.filters",
    }
)

# Command line: what it must not import, names of modules or packages. `explain` renders: the path
# of a field is known when the objects are laid out, and a spec that cannot be rendered is refused.
COMMANDS: dict[str, set[str]] = {
    # It leaves something out, and says so.
    f"render {SPEC}": RENDER - NOTES,
    f"render {SPEC} -c {PROFILE}": RENDER,
    f"render {SPEC} -c {PROFILE} --format json": RENDER,
    f"render --no-lint {SPEC} -c {PROFILE}": RENDER | {"gpuspec.lint"},
    f"explain {SPEC} -c {PROFILE}": NEVER,
    f"lint {MANIFEST}": LINT,
    # What everybody asks of objects is no business of the linter's.
    f"fit {SPEC} -c {PROFILE}": NEVER | {"gpuspec.lint"},
    "table examples/rendered/gke": NEVER | {"gpuspec.lint"},
    "diff examples/rendered/gke examples/rendered/gke": NEVER | {"gpuspec.lint"},
    "rules": NEVER | {"jinja2", "gpuspec.plan", "gpuspec.render"},
    "schema inference": NEVER | RENDERING,
    "init inference": NEVER | RENDERING,
    "--help": NEVER | RENDERING | READING,
    "render --help": NEVER | RENDERING | READING,
    "fleet drift --help": NEVER | RENDERING | READING,
}


# Small objects, and what a server's judgement of them does not ask: pods, and how to word a mistake.
PODS = {
    f"gpuspec.validation.apiserver.{name}"
    for name in ("core", "core_containers", "core_resources", "core_security", "core_volumes")
}
SMALL = {
    "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: c}}": PODS,
    "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}": PODS,
    """
    apiVersion: batch/v1
    kind: CronJob
    metadata: {name: a}
    spec:
      schedule: 0 3 * * *
      timeZone: Europe/Berlin
      jobTemplate:
        spec: {template: {spec: {restartPolicy: Never, containers: [{name: b, image: c}]}}}
    """: {"difflib"},
}


# The process itself.
STARTUP = {"gpuspec.startup", "gpuspec.startup.process"}


def modules(*arguments: str) -> frozenset[str]:
    """Every module that an interpreter imports while it runs with these arguments."""
    command = [sys.executable, "-X", "importtime", *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"{command}:\n{run.stdout}\n{run.stderr}"
    lines = (line for line in run.stderr.splitlines() if line.startswith("import time:"))
    return frozenset(line.rpartition("|")[2].strip() for line in lines)


@cache
def interpreter() -> frozenset[str]:
    return modules("-c", "pass")


def imports_of(command: str) -> set[str]:
    """Every module that is there when a command has run: `-X importtime` does not see all of them."""
    program = (
        "import sys\nfrom gpuspec.startup.process import main\ncode = main()\n"
        "sys.stderr.write('\\nmodules: ' + ' '.join(sys.modules))\nsys.exit(code)"
    )
    line = [sys.executable, "-c", program, *command.split()]
    run = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"{command}:\n{run.stdout}\n{run.stderr}"
    found = set(run.stderr.rpartition("modules: ")[2].split())
    assert "gpuspec.startup" in found, "the list of modules was not read"
    return found - interpreter()


def within(module: str, names: set[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in names)


@pytest.mark.parametrize("command", COMMANDS)
def test_command_imports_only_what_it_needs(command: str) -> None:
    wrong = sorted(m for m in imports_of(command) if within(m, COMMANDS[command]))
    assert not wrong


@pytest.mark.parametrize("text", SMALL)
def test_an_object_is_validated_with_only_what_it_needs(text: str) -> None:
    program = "import yaml; from gpuspec.validation import validate"
    asked = f"assert validate(yaml.safe_load({text!r}), '1.37') == ()"
    found = modules("-c", f"{program}; {asked}")
    assert "gpuspec.validation.apiserver" in found
    assert not sorted(m for m in found if within(m, SMALL[text]))


def test_version_is_answered_before_anything_is_imported() -> None:
    """Nothing but the standard library's light part, the package itself and its version."""
    found = modules("-m", "gpuspec", "--version") - interpreter()
    ours = {m for m in found if within(m, {"gpuspec"})}
    assert ours <= {"gpuspec", "gpuspec.__main__", "gpuspec.version", *STARTUP}
    others = {m.partition(".")[0] for m in found - ours}
    assert others <= sys.stdlib_module_names
    assert not others & {
        "argparse",
        "asyncio",
        "dataclasses",
        "inspect",
        "json",
        "pathlib",
        "typing",
    }


def test_importing_the_library_is_light() -> None:
    """`import gpuspec` brings no dependency; a function brings what it needs when it is called."""
    found = modules("-c", "import gpuspec") - interpreter()
    assert "gpuspec" in found
    assert {m.partition(".")[0] for m in found} <= sys.stdlib_module_names | {"gpuspec"}


def test_every_public_name_is_where_the_package_says() -> None:
    import gpuspec

    for name in gpuspec.__all__:
        assert getattr(gpuspec, name) is not None
