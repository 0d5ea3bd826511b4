"""Dynamic Resource Allocation: devices that nodes have, and pods ask for by claims."""
