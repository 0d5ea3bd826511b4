"""Expressions in CEL, the Common Expression Language, as Kubernetes reads them.

`syntax` takes a text apart, `checking` finds its type before it runs, `running` makes a function of
it, and `library` names the files with the functions that it may call; nothing of it is imported
before there is an expression.
"""
