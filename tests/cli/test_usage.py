"""Wrong usage: exit code 2, nothing on stdout, and what to write instead."""

import re
from pathlib import Path

import pytest

from tests.cli.conftest import PROFILE, Program

KINDS = "inference, training, fine-tune, batch-inference, cluster-profile"

WRONG = {
    "rendr train.yaml": "error: no command `rendr`\n  did you mean `gpuspec render`?\n",
    "deploy": (
        "error: no command `deploy`\n"
        "  commands: init, render, explain, lint, fit, diff, table, rule, rules, schema, cluster, fleet, argocd, helm; see gpuspec --help\n"
    ),
    "--vrsion": "error: gpuspec has no option `--vrsion`\n  did you mean `--version`?\n",
    "render": (
        "error: SPEC is missing: spec files, folders of them, or - for standard input\n"
        "  see gpuspec render --help\n"
    ),
    "render train.yaml --frmat json": (
        "error: gpuspec render has no option `--frmat`\n  did you mean `--format`?\n"
    ),
    "render train.yaml -z": (
        "error: gpuspec render has no option `-z`\n"
        "  one of: --cluster, --output, --format, --set, --templates, --target, --no-lint, --skip-refused, --check, --color, --help\n"
    ),
    "lint train.yaml --live x": (
        "error: gpuspec lint has no option `--live`\n"
        "  `gpuspec fit`, `gpuspec fleet report`, `gpuspec fleet drift` have it\n"
    ),
    "diff train.yaml": (
        "error: NEW is missing: the new state, in any form that OLD can have\n"
        "  see gpuspec diff --help\n"
    ),
    "rule GPU000": 'error: no rule "GPU000"\n  the nearest code is GPU001\n',
    "rules GPU102": (
        "error: `gpuspec rules` lists all rules and takes no argument\n"
        "  did you mean `gpuspec rule GPU102`?\n"
    ),
    "rules gpu000": (
        "error: `gpuspec rules` lists all rules and takes no argument\n"
        '  `gpuspec rule CODE` prints one rule: no rule "gpu000", the nearest code is GPU001\n'
    ),
    "lint train.yaml --severity warn": (
        "error: --severity: 'warn' is not one of 'error', 'warning', 'info'\n"
        "  did you mean `--severity warning`?\n"
    ),
    "lint train.yaml --format=sarif,github": (
        "error: --format sarif,github: unknown format\n"
        "  give each its own --format, all but one with a file: --format sarif -o FILE --format github\n"
    ),
    "lint train.yaml --statistics --format json": (
        "error: --statistics prints text, but the format is json\n"
        "  to get both: --statistics --format json -o FILE --format text\n"
    ),
    "lint train.yaml --statistics -o out.txt": (
        "error: --statistics prints text, but all reports go to files\n"
        "  to get both: --statistics --format text -o out.txt --format text\n"
    ),
    "lint train.yaml --statistics --diff": (
        "error: --statistics and --diff cannot be combined\n  run it twice, once without --diff\n"
    ),
    "diff train.yaml k8s-of-before": (
        "error: k8s-of-before: no such file or folder\n"
        "  name a file, a folder, or a path of a git revision, such as main:k8s\n"
    ),
    "argocd generate --set chat:replicas=3": (
        "error: gpuspec argocd generate has no option `--set`\n"
        "  a parameter of the Application sets a field: name it NAME:path, such as chat:replicas.max\n"
    ),
    "rule 201": 'error: no rule "201"\n  did you mean `GPU201`?\n',
    "render train.yaml --format xml": (
        "error: --format: 'xml' is not one of 'yaml', 'json'\n  see gpuspec render --help\n"
    ),
    "render train.yaml -c": "error: option '-c' requires an argument\n",
    "init traning": "error: no kind `traning`\n  did you mean `training`?\n",
    "init": f"error: KIND is missing\n  one of: {KINDS}, smoke-test\n",
    "schema foo": f"error: no kind `foo`\n  one of: {KINDS}, configuration, add\n",
    "schema ad": "error: no kind `ad`\n  did you mean `add`?\n",
    "schema add": (
        "error: FILE is missing\n  name the CustomResourceDefinitions: gpuspec schema add crds/\n"
    ),
    "schema training more": (
        "error: files and -o are only for `gpuspec schema add`\n"
        "  write `gpuspec schema training`, or `gpuspec schema add FILE`\n"
    ),
    "schema add trian.yaml": (
        "error: trian.yaml: no such file or folder\n  did you mean `train.yaml`?\n"
    ),
    "schema add train.yaml": (
        "error: no CustomResourceDefinition in train.yaml\n"
        "  write them out first: helm template CHART --include-crds, or kubectl get crd -o yaml\n"
    ),
    "init training more": (
        "error: got unexpected extra argument(s) (more)\n  see gpuspec init --help\n"
    ),
    "render trian.yaml tarin.yml": (
        "error: trian.yaml: no such file or folder\n  did you mean `train.yaml`?\n"
        "error: tarin.yml: no such file or folder\n  did you mean `train.yaml`?\n"
        "2 errors\n"
    ),
    "render nosuch/train.yaml -c nosuch": (
        "error: nosuch/train.yaml: no such file or folder\n"
        "error: nosuch: no such file, folder or built-in profile\n"
        "  give a file, a folder or a built-in name: generic, aks, "
        "coreweave, eks, eks-auto, gke, gpu-operator, openshift\n"
        "2 errors\n"
    ),
    "render train.yaml -c clusters": (
        "error: 2 profiles (eu, us) have one output\n"
        "  write -o 'out/{profile}/' for one folder per profile, or name one profile with -c\n"
    ),
    "render train.yaml -c clusters -c clusters/eu.yaml -o {profile}": (
        "clusters/eu.yaml:4:9: error: two profiles are called `eu`\n  it is given twice\n"
    ),
    "render - -c -": (
        "error: specs and profile both from standard input, which can be read only once\n"
        "  name a file for one of them\n"
    ),
    "cluster foo": (
        "error: no command `foo`\n  commands: discover, check, render; see gpuspec cluster --help\n"
    ),
    "cluster dicsover": (
        "error: no command `dicsover`\n  did you mean `gpuspec cluster discover`?\n"
    ),
    "cluster check train.yaml": (
        "train.yaml:2:7: error: Training is not a cluster profile\n"
        "  pass it to `gpuspec render`, as a spec\n"
    ),
    "render train.yaml -o out/{cluster}": (
        "error: -o out/{cluster}: unknown placeholder\n"
        "  only {profile} is replaced, with the profile's name\n"
    ),
}


@pytest.mark.parametrize("line", WRONG)
def test_wrong_usage_says_what_to_write_instead(gpuspec: Program, line: str) -> None:
    done = gpuspec(*line.split())
    assert (done.code, done.out, done.err) == (2, "", WRONG[line])


def test_an_empty_folder_name_writes_nowhere(gpuspec: Program) -> None:
    done = gpuspec("render", "train.yaml", "-o", "")
    assert (done.code, done.err) == (2, "error: -o: the folder's name is empty\n")


@pytest.mark.parametrize("word", ["fine-tune", "FineTune", "fine_tune"])
def test_a_kind_may_be_spelled_as_kubernetes_does(gpuspec: Program, word: str) -> None:
    assert "\nkind: FineTune\n" in gpuspec("init", word).out


AMBIGUOUS = [
    ("ru", "no command `ru`", "it can mean rule, rules: name one of them"),
    ("rule toleration", 'no rule "toleration"',
     "it can mean no-toleration, toleration-without-device: name one of them"),
    ("render train.yaml -c ek", "ek: no such file, folder or built-in profile",
     "it can mean eks, eks-auto: name one of them"),
    ("lint . --for x", "gpuspec lint has no option `--for`",
     "it can mean --format, --force-exclude: name one of them"),
    ("init inference --gpu H100", '"H100" can mean H100-80GB, H100-94GB, H100-96GB',
     "name one of them, or list several"),
    ("cluster check h100.yaml", 'h100.yaml:9:20: error: "H100" can mean H100-80GB, H100-94GB, H100-96GB',
     "a pool has one model"),
    ("render train.yaml -c clusters/eu.yaml --set train:place.pools=[eu]",
     "the profile has no pool `eu`", "it can mean eu-pool, eu-big: name one of them"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "said", "hint"), AMBIGUOUS, ids=[one[0] for one in AMBIGUOUS])
def test_what_a_part_of_a_name_can_mean_is_said(
    gpuspec: Program, folder: Path, line: str, said: str, hint: str
) -> None:
    """Part of one name stands for it; part of several for none."""
    (folder / "h100.yaml").write_text(PROFILE.format(name="h100", model="H100"))
    eu = folder / "clusters/eu.yaml"
    pool = eu.read_text().partition("  pools:\n")[2]
    eu.write_text(eu.read_text() + pool.replace("eu-pool", "eu-big"))
    done = gpuspec(*line.split())
    assert done.code in (1, 2)
    assert (said in done.err, f"{hint}\n" in done.err) == (True, True), done.err


def test_the_beginning_of_several_codes_is_no_rule(gpuspec: Program) -> None:
    done = gpuspec("rule", "GPU10")
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(
        r'error: "GPU10" begins \d codes\n  name one: GPU10\d to GPU10\d\n', done.err
    )
