"""KubeAI: its operator chooses a model's image and devices. Source: its CRDs."""

from gpuspec.kinds.parts import served

KINDS = (served("kubeai.org", "Model"),)
