"""Fixes as text edits: computed, verified, applied, shown and written."""

from gpuspec.lint.fixing.applying import fixed, settled
from gpuspec.lint.fixing.differences import diff
from gpuspec.lint.fixing.files import save
from gpuspec.lint.fixing.text_fixes import text_fix
from gpuspec.lint.fixing.withheld import brings_withheld

__all__ = ["brings_withheld", "diff", "fixed", "save", "settled", "text_fix"]
