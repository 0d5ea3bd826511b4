"""kube-scheduler: its filters, messages and scores."""
