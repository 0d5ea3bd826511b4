"""Objects, pods and containers as rules see them."""
