"""What the room keeps a copy of, because it may not know who has the original."""

import subprocess
import sys

from gpuspec.spec.layout import DATA, HOME, MODELS, own_mounts


def test_own_mounts_are_where_the_plan_mounts() -> None:
    import gpuspec
    from gpuspec.manifests import read
    from gpuspec.spec import parse_workload

    text = """\
apiVersion: gpuspec.dev/v1alpha1
kind: FineTune
metadata: {name: w}
spec:
  image: ghcr.io/example/w:1
  baseModel: {id: org/m, size: 1Gi, source: {pvc: weights}}
  gpu: {count: 2}
  dataset: {pvc: d}
  checkpoint: {pvc: c, every: 10m}
  output: {pvc: o}
"""
    workload = parse_workload(read(text, "w.yaml")[0])
    (job,) = (o for o in gpuspec.render(workload).objects if o["kind"] == "Job")
    (container,) = job["spec"]["template"]["spec"]["containers"]
    mounted = {
        m["name"]: (m["mountPath"], m.get("readOnly", False)) for m in container["volumeMounts"]
    }
    assert mounted == {m.volume: (m.path, m.read_only) for m in own_mounts(workload.model.spec)}
    assert {HOME, MODELS, DATA} <= {path for path, _ in mounted.values()}


def test_a_good_spec_imports_no_more_than_it_needs() -> None:
    program = """\
import sys
from gpuspec.spec import parse_workload
from gpuspec.spec.starters import starter
from gpuspec.manifests import read
for name in ("inference", "training", "fine-tune"):
    parse_workload(read(starter(name), name)[0])
print(*sorted(sys.modules))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "gpuspec.spec.rules.workload" in loaded
    unwanted = {
        "jsonschema",
        "difflib",
        "tzdata",
        "zoneinfo",
        "gpuspec.spec.errors",
        "gpuspec.spec.salvage",
    }
    assert loaded & unwanted == set()
