"""Escaping of foreign text in output: one function for each output syntax.

A name, a value, a file's name or another program's output may contain anything: terminal escapes,
bidirectional marks, line breaks, and commands for a CI system's log. Every format and stream
escapes its text with these functions, and no other code escapes text.
"""
