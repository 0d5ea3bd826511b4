"""What workloads ask for: the totals of `table`, and what `fit` has to place."""
