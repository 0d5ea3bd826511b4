"""`gpuspec table`: requests of workloads, as text, JSON, Markdown or CSV."""

from gpuspec.report.table.as_csv import table_csv
from gpuspec.report.table.as_json import table_json
from gpuspec.report.table.markdown import table_markdown
from gpuspec.report.table.text import table_text

__all__ = ["table_csv", "table_json", "table_markdown", "table_text"]
