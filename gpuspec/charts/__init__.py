"""Charts: the objects that known charts make from their values, so that the pods of a release can
be linted.
"""
