"""The requests of workloads: totals for `table`, and demands for `fit`."""
