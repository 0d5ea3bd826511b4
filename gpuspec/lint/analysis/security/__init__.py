"""The user of a container, the devices that it sees, and secrets."""
