"""Adapters for programs that run gpuspec: each reads its host's request and answers in the host's
format.
"""
