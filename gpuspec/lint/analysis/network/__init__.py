"""Networks of pods besides the cluster's pod network, and access to pods."""
