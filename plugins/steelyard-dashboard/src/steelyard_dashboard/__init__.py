"""Steelyard's results in a browser. The command is :data:`steelyard_dashboard.command.command`."""

from __future__ import annotations

__version__ = "0.1.0"
