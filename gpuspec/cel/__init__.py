"""Expressions in CEL, the Common Expression Language, as Kubernetes reads them.

`syntax` parses an expression, `checking` finds its type before it runs, `running` turns it into a
function, and `library` lists the modules that define the functions it may call. None of them is
imported until an expression has to be read.
"""
