"""Dynamic Resource Allocation: devices of nodes that pods request by claims."""
