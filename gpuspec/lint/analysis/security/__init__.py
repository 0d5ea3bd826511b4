"""Who a container is, what it can see, and what is secret."""
