"""What of a folder is shown, and that nothing else can be reached."""

from __future__ import annotations

import os
import sys

import pytest

ONE = "2026-06-10_143205_support"


@pytest.fixture
def secret(tmp_path, make_record, make_combo, make_case):
    """A record outside the results folder."""
    from steelyard.records import write_record

    path = tmp_path / "secret.json"
    write_record(path, make_record(make_combo(make_case("hidden")), run_id="secret", benchmark="Hidden"))
    return path


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "..%2fsecret",
        "%2e%2e%2fsecret",
        "..%252fsecret",
        "..\\secret",
        "..%5csecret",
        "./../secret",
        "secret%00",
        "%2ftmp%2fsecret",
        "..",
        ".",
        "~",
        "C:%5csecret",
        "a" * 5000,
    ],
)
@pytest.mark.parametrize("where", ["/runs/{}", "/api/runs/{}", "/live/{}", "/runs/{}/cases/0/0", "/compare?run={}"])
def test_no_id_leads_out_of_the_folder(dashboard, secret, where, name):
    reply = dashboard(where.format(name))

    assert reply.status == 404
    assert b"Hidden" not in reply.body


@pytest.mark.skipif(sys.platform == "win32", reason="making symbolic links takes rights on Windows")
def test_a_symbolic_link_is_listed_with_a_reason_and_not_followed(dashboard, results, secret, read):
    (results / "link.json").symlink_to(secret)
    (results / "link2.journal.jsonl").symlink_to(secret)

    page = read(dashboard("/"))

    listed = dict(page.tables["Files that cannot be read, with the reason"][1:])
    assert listed == {
        "link.json": "a symbolic link, which is not followed; copy the file itself here",
        "link2.journal.jsonl": "a symbolic link, which is not followed; copy the file itself here",
    }
    for path in ("/runs/link", "/api/runs/link", "/live/link2"):
        assert dashboard(path).status == 404


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_what_is_no_ordinary_file_is_never_opened(dashboard, results, read):
    os.mkfifo(results / "pipe.json")
    (results / "folder.json").mkdir()

    listed = dict(read(dashboard("/")).tables["Files that cannot be read, with the reason"][1:])

    assert listed == {"pipe.json": "not an ordinary file", "folder.json": "not an ordinary file"}


def test_hidden_and_other_files_are_left_alone(dashboard, results):
    (results / ".secret.json").write_text("{", "utf-8")
    (results / "run.md").write_text("# report", "utf-8")
    (results / ".0123.tmp").write_text("{", "utf-8")

    assert dashboard("/api/runs").json == {"runs": [], "live": [], "unreadable": []}


@pytest.mark.parametrize(
    "name", ["a run", "ünïcode ✓", "50%25", "a&b=c", "a+b", "q?x", "h#y", "<b>", "quote'\"", "a;b", "שלום"]
)
@pytest.mark.skipif(sys.platform == "win32", reason="Windows forbids some of these names")
def test_a_run_of_any_name_can_be_opened_from_the_list(dashboard, results, put, make_case, read, name):
    put(make_case("only-here"), run_id=name)

    (link,) = [href for href in read(dashboard("/")).links.values() if href.startswith("/runs/")]
    opened = read(dashboard(link))
    (case,) = [href for text, href in opened.links.items() if text == "only-here"]

    assert read(dashboard(case)).headings[0].startswith("only-here")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_name_that_no_address_can_hold_is_listed_with_a_reason(dashboard, results):
    (results / os.fsdecode(b"latin-\xe9.json")).write_text("{", "utf-8")
    (results / "back\\slash.json").write_text("{", "utf-8")
    (results / "line\nend.json").write_text("{", "utf-8")

    reasons = {one["reason"] for one in dashboard("/api/runs").json["unreadable"]}

    assert reasons == {"a name that no address can hold; rename the file"}
    assert dashboard("/").status == 200


def test_the_file_s_name_is_the_id_whatever_the_record_says(dashboard, results, put, make_case):
    path = put(make_case())
    path.rename(results / "kept-baseline.json")

    assert dashboard("/api/runs/kept-baseline").json["run_id"] == ONE
    assert dashboard(f"/api/runs/{ONE}").status == 404


def test_a_folder_that_is_not_there_yet_is_an_empty_one(dashboard_of, tmp_path, make_record, make_combo, make_case):
    from steelyard.records import write_record

    running = dashboard_of(tmp_path / "later")
    before = running("/")
    write_record(tmp_path / "later" / "run.json", make_record(make_combo(make_case())))

    assert before.status == 200
    assert "No such file or directory" in before.text
    assert [run["id"] for run in running("/api/runs").json["runs"]] == ["run"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "must be a JSON object, got a list"),
        (b"{}", "'benchmark' must be text"),
        (b'{"benchmark": "b", "timestamp": "t", "results": {}}', "'results' must be a list"),
        (b"\xff\xfe\x00", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (
            b'{"benchmark": "b", "timestamp": "t", "results": [{"model": "m", "prompt_id": 1}]}',
            "prompt_id must be text",
        ),
    ],
)
def test_a_damaged_record_is_listed_with_its_reason_and_costs_the_others_nothing(
    dashboard, results, put, make_case, read, content, reason
):
    put(make_case())
    (results / "damaged.json").write_bytes(content)

    page = read(dashboard("/"))

    (listed,) = page.tables["Files that cannot be read, with the reason"][1:]
    assert listed[0] == "damaged.json"
    assert reason in listed[1]
    assert str(results) not in listed[1]
    assert [run["id"] for run in dashboard("/api/runs").json["runs"]] == [ONE]
    for path in ("/runs/damaged", "/api/runs/damaged", "/runs/damaged/cases/0/0", f"/compare?run={ONE}&run=damaged"):
        opened = dashboard(path)
        assert opened.status == 422, path
        assert "damaged.json" in opened.text


def test_a_record_with_one_damaged_case_says_so_when_it_is_opened(dashboard, put, make_case):
    path = put(make_case("a"), make_case("b"))
    path.write_bytes(path.read_bytes().replace(b'{"id":"b",', b'{"id":"b",,'))

    listed, opened = dashboard("/"), dashboard(f"/runs/{ONE}")

    assert listed.status == 200
    assert opened.status == 422
    assert "a stored case is not JSON" in opened.text


def test_a_record_that_is_written_anew_is_shown_as_it_is_now(dashboard, put, make_case):
    put(make_case("before"))
    before = dashboard(f"/api/runs/{ONE}/cases").json
    put(make_case("after-it"), make_case("another"))

    assert [case["id"] for case in before["cases"]] == ["before"]
    assert [case["id"] for case in dashboard(f"/api/runs/{ONE}/cases").json["cases"]] == ["after-it", "another"]


def test_a_record_of_evalblink_is_shown(dashboard, results, read):
    case = '{"id": "c1", "match_result": true, "match_score": 1.0, "status": "success", "response": "yes"}'
    (results / "old.json").write_text(
        '{"benchmark": "Old", "timestamp": "2024-01-02T03:04:05", "results": [{"model": "m", "prompt_id": "p",'
        f' "success": 1, "scored": 1, "total": 1, "errors": 0, "score": 100.0, "test_cases": [{case}]}}]}}',
        "utf-8",
    )

    assert "c1" in read(dashboard("/runs/old")).links
    assert dashboard("/api/runs/old/cases/0/0").json["response"] == "yes"
