"""The scripts that make pages: what they make of docstrings and files, and that they notice what is out of date."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("doc", "markdown"),
    [
        ("Uses ``x | None``.", "Uses `x | None`."),
        ("See :func:`~a.b.c` and :meth:`D.e`.", "See `c` and `D.e`."),
        ("One.\n\nTwo\nlines.", "One.\n\nTwo\nlines."),
        ("So::\n\n    a = 1\n\n    b = 2\n\nThen.", "So:\n\n```python\na = 1\n\nb = 2\n```\n\nThen."),
        ("A tree::\n\n    a\n    └── b\n\nEnd.", "A tree:\n\n```text\na\n└── b\n```\n\nEnd."),
        (
            "Does.\n\nArgs:\n    a: First,\n        on two lines.\n    **b: Rest.",
            "Does.\n\n- `a`: First, on two lines.\n- `**b`: Rest.",
        ),
        ("Raises ``E`` at noon.", "Raises `E` at noon."),
        (
            "===  =====\nkey  what\n===  =====\n``a``  x\n===  =====\n\nEnd.",
            "| key | what |\n| --- | --- |\n| `a` | x |\n\nEnd.",
        ),
        (
            "====  ====\nkey   what\n====  ====\na     one\n      two\nb     c\n====  ====",
            "| key | what |\n| --- | --- |\n| a | one two |\n| b | c |",
        ),
    ],
)
def test_a_docstring_becomes_markdown(scripts, doc, markdown):
    assert scripts.prose.prose(doc) == markdown


def test_a_bar_ends_no_cell_of_a_table(scripts):
    table = scripts.markup.table(("type", "meaning"), [("`str | None`", "a | b")])

    assert table.splitlines()[2] == r"| <code>str &#124; None</code> | a \| b |"


def test_a_column_that_says_nothing_is_left_out(scripts):
    table = scripts.markup.table(("a", "b", "c"), [("1", "", "3"), ("4", "", "")])

    assert table.splitlines() == ["| a | c |", "| --- | --- |", "| 1 | 3 |", "| 4 |  |"]


def test_a_stale_page_is_named_with_the_command_that_renews_it(scripts, tmp_path, monkeypatch, capsys):
    (tmp_path / "same.md").write_text("# Same\n", "utf-8")
    (tmp_path / "stale.md").write_text("# Old\n", "utf-8")
    monkeypatch.setattr(scripts.generate.api_dump, "ROOT", tmp_path)
    monkeypatch.setattr(scripts.generate.api_dump, "main", lambda _arguments: 0)
    made = {"same.md": lambda: "# Same\n", "stale.md": lambda: "# New\n", "folder/missing.md": lambda: "# Missing\n"}
    monkeypatch.setattr(scripts.generate, "pages", lambda: made)

    assert scripts.generate.main(["--check"]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "stale.md: is out of date; run 'python docs/build/generate.py'",
        "folder/missing.md: is out of date; run 'python docs/build/generate.py'",
    ]
    assert (tmp_path / "stale.md").read_text("utf-8") == "# Old\n"

    assert scripts.generate.main([]) == 0
    assert scripts.generate.main(["--check"]) == 0
    assert (tmp_path / "folder" / "missing.md").read_bytes() == b"# Missing\n"


def test_a_page_prints_files_as_they_are_now(scripts, tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("x = 2\n", "utf-8")
    page = tmp_path / "page.md"
    page.write_text("Before.\n\n<!-- printed: a.py as b/a.py -->\n```python\nx = 1\n```\n\nAfter.\n", "utf-8")
    monkeypatch.setattr(scripts.parts, "ROOT", tmp_path)
    monkeypatch.setattr(scripts.parts, "DOCS", tmp_path)

    (path, made), *others = [item for item in scripts.parts.pages_with_parts().items() if item[0] == "page.md"]

    assert (path, others) == ("page.md", [])
    assert made() == ("Before.\n\n<!-- printed: a.py as b/a.py -->\n```python\n# file: b/a.py\nx = 2\n```\n\nAfter.\n")


@pytest.fixture
def fragments(scripts, tmp_path, monkeypatch):
    """Write the parts of a changelog."""
    monkeypatch.setattr(scripts.parts, "DOCS", tmp_path)
    folder = tmp_path / "changelog.d"
    folder.mkdir()

    def write(**texts):
        for name, text in texts.items():
            *version, rest = name.replace("__", ".").split("/")
            path = folder.joinpath(*version, f"{rest}.md")
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")

    return write


def test_the_changelog_has_the_newest_version_first_and_within_it_what_was_added(scripts, fragments):
    fragments(
        **{
            "b.fixed": "A bug.\n",
            "a.added": "A thing\nin two lines.\n",
            "1.9.0/c.added": "Old.\n",
            "1.10.0/d.changed": "Newer.\n",
        }
    )

    text = scripts.parts.changelog_page()

    assert text.partition("-->\n\n")[2].splitlines() == [
        "## Not released yet", "", "### Added", "", "- A thing", "  in two lines.", "", "### Fixed", "", "- A bug.", "",
        "## 1.10.0", "", "### Changed", "", "- Newer.", "",
        "## 1.9.0", "", "### Added", "", "- Old.",
    ]  # fmt: skip


def test_a_change_of_an_unknown_kind_is_refused_rather_than_lost(scripts, fragments):
    fragments(**{"a.new": "A thing.\n"})

    with pytest.raises(SystemExit, match=r"a\.new\.md: a change is named TOPIC\.KIND\.md"):
        scripts.parts.changelog_page()


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example/a.js">',
        '<link rel="stylesheet" href="https://fonts.example/a.css">',
        '<img alt="x" src="//images.example/a.png">',
    ],
)
def test_a_page_of_the_site_that_fetches_from_elsewhere_is_named(scripts, tmp_path, html):
    (tmp_path / "page.html").write_text(f"<html>{html}</html>", "utf-8")

    (line,) = scripts.website.foreign(tmp_path)
    assert line.startswith("page.html: fetches ")


@pytest.mark.parametrize(
    "html",
    ['<a href="https://example.org">', '<script src="../a.js">', '<link rel="canonical" href="https://docs.example/">'],
)
def test_links_that_a_reader_may_follow_are_no_fetching(scripts, tmp_path, html):
    (tmp_path / "page.html").write_text(f"<html>{html}</html>", "utf-8")

    assert list(scripts.website.foreign(tmp_path)) == []
