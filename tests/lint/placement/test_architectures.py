"""C-65: CPU architectures of images and of nodes."""

from tests.lint.placement.pods import findings, pod


def test_architectures() -> None:
    """C-65"""
    selected = pod("nodeSelector: {kubernetes.io/arch: ARCH, nvidia.com/gpu.product: NVIDIA-GB200}")
    assert findings(selected.replace("ARCH", "amd64"), "GPU209")
    assert not findings(selected.replace("ARCH", "arm64"), "GPU209")
    named = pod().replace("a/b:1", "a/b:1-arm64")
    assert findings(named, "GPU209", profile="h100")
    assert not findings(named, "GPU209")
    assert not findings(named.replace("arm64", "amd64"), "GPU209", profile="h100")
    [either] = findings(named, "GPU209", profile="two-architectures")
    assert either.severity == "warning"
    [unsaid] = findings(pod(), "GPU209", profile="two-architectures")
    assert unsaid.severity == "info"
