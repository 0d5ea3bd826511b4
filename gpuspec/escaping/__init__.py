"""Words that we did not write, on their way out: one function for each syntax of output.

A name, a value, a file's name or what another program said may hold anything: escapes that steer a
terminal, marks that turn the direction of writing, line breaks and words that a CI's log obeys. Every
format and stream passes what it writes through here, and nothing else escapes anything.
"""
