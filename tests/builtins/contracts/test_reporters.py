"""Every built-in reporter against the kit that strangers use."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET

import pytest
from steelyard_builtins.reporters import badge, csv_file, html, json_file, junit, markdown, terminal

from steelyard.testing import reporter_checks


def strict_json(path):
    json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, strict=True))


REPORTERS = {
    "json": (json_file, {"file": "out.json", "read": strict_json}),
    "markdown": (markdown, {"file": "out.md"}),
    "junit": (junit, {"file": "out.xml", "read": ET.parse}),
    "csv": (csv_file, {"file": "out.csv", "read": rows}),
    "badge": (badge, {"file": "badge.json", "read": strict_json, "lists_cases": False}),
    "html": (html, {"file": "out.html"}),
    "rich": (terminal, {"lists_cases": False}),
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}: {check}")
        for name, (plugin, options) in REPORTERS.items()
        for check in reporter_checks(plugin.steelyard_register_reporters()[0], **options)
    ],
)
def test_the_reporter_keeps_the_contract(check):
    check()
