"""Which values the templates of charts read, by release: tables that `schemas/make_charts.py` writes."""
