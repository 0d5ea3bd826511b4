"""RDMA between workers."""


def rdma(**fields):
    return {"resource": "rdma/hca_shared_devices_a", "env": {"NCCL_IB_HCA": "mlx5"}, **fields}


def test_workers_ask_for_the_pools_fabric_and_its_settings(make, words) -> None:
    """C-52: RDMA and NCCL settings from the profile, where several pods talk to each other."""
    made = make("Training", words.cluster(words.pool(rdma=rdma())), workers=2, gpu={"count": 8})
    assert made.requests["rdma/hca_shared_devices_a"] == "1"
    assert made.limits["rdma/hca_shared_devices_a"] == "1"
    assert made.env["NCCL_IB_HCA"] == "mlx5"


def test_a_single_pod_leaves_the_fabric_alone(make, words) -> None:
    made = make("Training", words.cluster(words.pool(rdma=rdma())))
    assert not [name for name in made.requests if name.startswith("rdma/")]
    assert "NCCL_IB_HCA" not in made.env


def test_devices_and_huge_pages_go_with_the_share_of_gpus(make, words) -> None:
    efa = rdma(resource="vpc.amazonaws.com/efa", count=32, perGpu=True, hugepages="5120Mi")
    profile = words.cluster(words.pool(rdma=efa))
    whole = make("Training", profile, workers=2, gpu={"count": 8})
    assert whole.requests["vpc.amazonaws.com/efa"] == "32"
    assert whole.requests["hugepages-2Mi"] == whole.limits["hugepages-2Mi"] == "5Gi"
    half = make("Training", profile, workers=2, gpu={"count": 4})
    assert half.requests["vpc.amazonaws.com/efa"] == "16"
    assert half.requests["hugepages-2Mi"] == "2560Mi"


def test_a_fabric_that_restricted_pods_cannot_use_is_refused_when_it_is_required(refused, words):
    """IPC_LOCK is forbidden, and does nothing for a process that is not root."""
    profile = words.cluster(words.pool(rdma=rdma(memlock="limited")))
    text = refused("Training", profile, workers=2, gpu={"interconnect": "rdma"})
    assert "it limits locked memory, and restricted pods cannot add IPC_LOCK" in text


def test_a_fabric_that_restricted_pods_cannot_use_is_not_asked_for(make, words) -> None:
    """C-52: the fall back to TCP is said, not silent."""
    profile = words.cluster(words.pool(rdma=rdma(memlock="limited")))
    made = make("Training", profile, workers=2)
    assert not [name for name in made.requests if name.startswith("rdma/")]
    assert "NCCL_IB_HCA" not in made.env
    assert "its RDMA fabric is not used, and 2 workers talk over TCP" in made.loud()


def test_workers_without_any_fabric_are_said(make, words) -> None:
    made = make("Training", words.cluster(words.pool()), workers=2)
    assert "pool a100 has no RDMA fabric: 2 workers talk over TCP" in made.loud()


def test_pools_with_another_fabric_are_left_out(make, words) -> None:
    other = words.pool("other", rdma=rdma(resource="rdma/ib"))
    made = make("Training", words.cluster(words.pool(rdma=rdma()), other), workers=2)
    assert "pool other is left out: its RDMA fabric is not that of the first choice" in (
        made.notes()
    )
    assert "NotIn" not in str(made.terms), "its nodes do not have the device that is asked for"
