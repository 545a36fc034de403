"""Pages from templates: every value is escaped, and none that a template names may be missing."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from steelyard.text import well_formed

from . import __version__, addresses, figures
from .charts.lines import sparkline
from .results.rows import shown_run
from .wording import CHANGE_LABELS, VERDICT_LABELS, verdict_label

_FILTERS = (
    "beyond",
    "block",
    "count",
    "duration",
    "heat",
    "interval",
    "line",
    "milliseconds",
    "moment",
    "money",
    "number_of",
    "of_cases",
    "percent",
    "points",
    "probability",
    "share",
    "share_of",
    "value",
)
"""What templates may do with a value: the functions of :mod:`steelyard_dashboard.figures`."""


class Renderer:
    """Fills the templates of this package."""

    def __init__(self, folder: str) -> None:
        self._templates = Environment(
            loader=PackageLoader("steelyard_dashboard"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {name: getattr(figures, name) for name in _FILTERS}
        self._templates.filters["verdict"] = verdict_label
        self._templates.globals |= {
            "address": addresses.address,
            "run_address": addresses.run_address,
            "case_address": addresses.case_address,
            "live_address": addresses.live_address,
            "live_case_address": addresses.live_case_address,
            "sparkline": sparkline,
            "shown_run": shown_run,
            "change_labels": CHANGE_LABELS,
            "verdict_labels": VERDICT_LABELS,
            "version": __version__,
            "folder": folder,
        }

    def page(self, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
        """Return the page that a template makes of these values."""
        html = self._templates.get_template(template).render(values)
        return HTMLResponse(well_formed(html), status_code=status)
