"""What ``new-plugin`` writes from goes where steelyard goes."""

from __future__ import annotations

import zipfile


def test_the_templates_of_plugins_are_in_the_wheel(root, wheel):
    templates = root / "src" / "steelyard" / "cli" / "plugin_template"
    wanted = {f"steelyard/cli/{path.relative_to(templates.parent).as_posix()}" for path in templates.rglob("*.in")}

    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if "plugin_template" in name}

    assert len(wanted) > 12
    assert packed == wanted
