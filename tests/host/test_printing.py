"""What a plugin prints while it is loaded does not get into what a command prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PLUGIN = """
from steelyard import hookimpl

print("imported")


@hookimpl
def steelyard_register_scorers():
    print("asked")
    return []
"""


def test_what_a_plugin_prints_at_its_import_and_in_a_hook_goes_to_standard_error(tmp_path: Path) -> None:
    (tmp_path / "chatty.py").write_text(PLUGIN, "utf-8")
    info = tmp_path / "steelyard_chatty-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: steelyard-chatty\nVersion: 0.1\n", "utf-8")
    (info / "entry_points.txt").write_text("[steelyard]\nchatty = chatty\n", "utf-8")
    start = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from steelyard.cli import main"

    done = subprocess.run(
        [sys.executable, "-c", f"{start}; sys.exit(main(['plugins', '--format', 'json']))"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    assert "chatty" in [plugin["name"] for plugin in json.loads(done.stdout)]
    assert done.stderr.split() == ["imported", "asked"]
