module gpuspec.dev/tests/control-plane/tools-prometheus-operator

go 1.26.0

// Only its definitions are read.
require github.com/prometheus-operator/prometheus-operator v0.93.0
