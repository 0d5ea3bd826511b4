"""Scripts of the Jobs: a shell script that counts devices, and a PyTorch program for pools without
MPI."""

HOLD = 60
"""Seconds for which a pod keeps its devices, so that those of all nodes are held at the same time.
Longer than DNS caches a missing name."""

ALL_REDUCE = """\
import os, time
import torch
import torch.distributed as group

torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
group.init_process_group("nccl")
ranks = group.get_world_size()
for exponent in range(23, 31):
    ones = torch.ones(2**exponent // 4, device="cuda")
    group.all_reduce(ones)
    assert bool((ones == ranks).all()), f"a wrong sum of {2**exponent} bytes"
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(20):
        group.all_reduce(ones)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - start) / 20
    if group.get_rank() == 0:
        bus = 2**exponent / seconds * 2 * (ranks - 1) / ranks / 1e9
        print(f"{2**exponent} bytes among {ranks}: {bus:.1f} GB/s", flush=True)
group.destroy_process_group()
"""
"""The equivalent of all_reduce_perf, for processes that torchrun has started."""

_BEGIN = """\
set -eu
fail() { echo "failed on $NODE_NAME: $*" >&2; exit 1; }
"""
_MEET = """\
service=${MASTER_ADDR#*.} rank=0
while [ "$rank" -lt "$NNODES" ]; do
  until getent hosts "$service-$rank.$service" > /dev/null; do sleep 1; done
  rank=$((rank + 1))
done
"""
_COUNT = """\
listed=$(nvidia-smi -L) || fail "nvidia-smi finds no driver"
found=0
while read -r line; do
  case "$line" in "$WANTED "*) found=$((found + 1));; esac
done <<END
$listed
END
[ "$found" -eq "$DEVICES" ] || fail "$found of $DEVICES devices: $listed"
for driver in $(nvidia-smi --query-gpu=driver_version --format=csv,noheader); do
  [ "$driver" = "${DRIVER:-$driver}" ] || fail "driver $driver, and not $DRIVER"
done
"""
_SAMPLE = """\
if [ $# -gt 0 ]; then "$@" || fail "$1"; fi
"""
_PERF = """\
all_reduce_perf -b 8M -e 1G -f 2 -g "$DEVICES" -c 1 || fail all_reduce_perf
"""
_TORCH = """\
torchrun --nnodes "$NNODES" --nproc-per-node "$DEVICES" --node-rank "$NODE_RANK" \\
  --master-addr "$MASTER_ADDR" --master-port "$MASTER_PORT" \\
  --no-python python -c "$ALL_REDUCE" || fail "all-reduce over the fabric"
"""
_PASSED = """\
echo "passed on $NODE_NAME: $found of $WANTED"
"""
_HOLD = f"""\
sleep {HOLD}
"""

SHARE = "".join((_BEGIN, _COUNT, _SAMPLE, _PASSED, _HOLD))
"""For one slice or share, among as many pods as there are shares."""
NODE = "".join((_BEGIN, _COUNT, _SAMPLE, _PERF, _PASSED))
"""For one node by itself, or for several nodes with `mpirun`, through which all_reduce_perf learns
of them."""
NODES = "".join((_BEGIN, _MEET, _COUNT, _SAMPLE, _PERF, _PASSED, _HOLD))
"""For several nodes without a fabric. Each pod waits for all others, so that no pod counts as
two."""
FABRIC = "".join((_BEGIN, _COUNT, _SAMPLE, _PERF, _TORCH, _PASSED))
"""For several nodes over which PyTorch communicates."""
