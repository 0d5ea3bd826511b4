"""Memory and `/dev/shm`."""
