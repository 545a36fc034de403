"""The same through a real installer: a package built as a wheel and installed by pip."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "fixtures" / "plugins" / "steelyard-shout"


def pip(*arguments):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder into which pip has installed a plugin that it built from its pyproject.toml."""
    folder = tmp_path_factory.mktemp("wheel")
    source = shutil.copytree(PACKAGE, folder / "source")
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(source))
    (wheel,) = folder.glob("*.whl")
    pip("install", "--no-deps", "--no-index", "--target", str(folder / "target"), str(wheel))
    return folder / "target"


def test_a_plugin_installed_by_pip_is_used_without_any_other_change(installed, run_python):
    code = (
        "from steelyard._host.host import build_host\n"
        "offer = build_host(no_plugins=['steelyard']).registry.get('scorer', 'shout')\n"
        "print(offer)\n"
        "print(type(offer.spec.create(offer.spec.settings(), None)).__name__)\n"
    )

    assert run_python(code, path=installed) == "scorer 'shout' of plugin 'shout' (steelyard-shout 0.3)\nShout\n"


def test_a_plugin_installed_by_pip_twice_is_one_plugin(installed, tmp_path, run_python):
    shutil.copytree(installed, tmp_path / "again")
    code = (
        "import sys; sys.path.append(sys.argv[1]); from steelyard._host.host import build_host\n"
        "print([str(one) for one in build_host(no_plugins=['steelyard']).plugins if one.name == 'shout'])\n"
    )

    assert (
        run_python(code, str(tmp_path / "again"), path=installed)
        == "[\"plugin 'shout' (steelyard-shout 0.3) is ok\"]\n"
    )
