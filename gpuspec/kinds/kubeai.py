"""KubeAI: its operator chooses a model's image and devices. Sources: its CRDs; `model_types.go`."""

from gpuspec.kinds.owned import REPLICAS, Owned
from gpuspec.kinds.parts import served

_ITSELF = Owned(REPLICAS, "KubeAI", off=("spec", "autoscalingDisabled"))

KINDS = (served("kubeai.org", "Model", scaled=REPLICAS, sets=(_ITSELF,), starts_server=True),)
