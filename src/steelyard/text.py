"""Putting any text safely into a terminal, a Markdown table, XML or a spreadsheet: for reporters of all kinds."""

from __future__ import annotations

from ._escape import csv_cell, markdown_cell, one_line, printable, shorten, well_formed, xml_text

__all__ = ["csv_cell", "markdown_cell", "one_line", "printable", "shorten", "well_formed", "xml_text"]
