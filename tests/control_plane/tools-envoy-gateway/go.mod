module gpuspec.dev/tests/control-plane/tools-envoy-gateway

go 1.26.0

// Only its definitions are read.
require github.com/envoyproxy/gateway v1.9.1
