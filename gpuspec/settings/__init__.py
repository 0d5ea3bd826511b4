"""The configuration of a repository: found, read and checked."""
