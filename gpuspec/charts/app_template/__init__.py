"""bjw-s' app-template: a chart whose values describe controllers, their containers and volumes.

Read at bjw-s-labs/helm-charts app-template-4.1.1 and common-2.6.0, 3.0.0, 3.7.3, 4.1.1
(charts/library/common/templates).
"""

from gpuspec.charts.app_template.chart import NAME, looks_like, make
from gpuspec.charts.app_template.lost import Dangling
from gpuspec.charts.app_template.naming import dangling

__all__ = ["NAME", "Dangling", "dangling", "looks_like", "make"]
