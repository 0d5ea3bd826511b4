module gpuspec.dev/tests/control-plane/tools-gpu-operator

go 1.26.0

// v25.3.4, whose tags are no versions of Go modules. Only its definitions and its chart are read.
require github.com/NVIDIA/gpu-operator v0.0.0-20250917190837-d73a0086a6ba
