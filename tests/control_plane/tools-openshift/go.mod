module gpuspec.dev/tests/control-plane/tools-openshift

go 1.26.0

// Only its definitions are read.
require github.com/openshift/api v0.0.0-20251214014457-bfa868a22401
