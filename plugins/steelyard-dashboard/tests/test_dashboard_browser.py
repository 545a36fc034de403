"""The pages in a real browser: what runs, what is fetched, what a keyboard and a screen reader find."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import axe_core_python
import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

from steelyard.api import Best, Insights, Message, RunnerUp, ScoreResult, Status
from steelyard.records import encode_case, write_record

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
OLD, NEW, LIVE = "2026-06-09_090000_support", "2026-06-10_090000_support", "2026-06-11_090000_support"
PAGES = {
    "overview": "/",
    "run": f"/runs/{NEW}",
    "filtered run": f"/runs/{NEW}?verdict=failed&sort=-score",
    "case": f"/runs/{NEW}/cases/0/0",
    "repeated case": f"/runs/{NEW}/cases/0/1",
    "choice": "/compare",
    "comparison": f"/compare?run={OLD}&run={NEW}&show=all",
    "comparison of combos": f"/compare?run={NEW}&by=combo&show=all",
    "difference": f"/compare/case?run={OLD}&run={NEW}&show=all&line=0",
    "in progress": f"/live/{LIVE}",
    "all in progress": "/live",
    "problem": "/runs/nothing",
}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Chromium with a profile of its own. Only where there is no browser at all, its tests are skipped."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if found is None or driver is None:
        pytest.skip("no Chromium with its driver is installed; Debian: apt-get install chromium chromium-driver")
    options = ChromeOptions()
    options.binary_location = found
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    chrome.set_page_load_timeout(60)
    yield chrome
    chrome.quit()


@pytest.fixture(scope="module")
def results_shown(tmp_path_factory, make_record, make_combo, make_case, make_run, make_labels, panel, hostile):
    """Two runs and one in progress, with hostile and right-to-left text, long lines, repeats and errors in them."""
    folder = tmp_path_factory.mktemp("shown")
    judge = ScoreResult(scorer="llm_judge", name="tone", passed=False, score=0.2, reason=hostile, details={"score": 1})
    wild = {
        "messages": (Message(role="system", content="Be brief."), Message(role="user", content=hostile)),
        "response": f"{hostile}\nשל\n{'long' * 2000}",
        "reasoning": hostile,
        "scores": (judge,),
    }
    repeats = (make_run(), make_run(passed=False, repeat=1))
    for day, answer in ((9, "Thanks, all good."), (10, "Thanks, all is fine.")):
        cases = (
            make_case(hostile, passed=day == 9, run={**wild, "response": answer + hostile}),
            make_case("repeated", passed=False, flaky=True, runs=repeats, tags=("hard", "billing")),
            make_case("broken", status=Status.API_ERROR, run={"error": "HTTP 503: " + "wait " * 100, "response": ""}),
            *(make_case(f"plain-{number}", passed=number % 4 > 0) for number in range(60)),
        )
        others = tuple(
            make_case(case.id, passed=number % 3 > 0, model="anthropic/claude-sonnet-4-5", prompt_id="long-prompt-name")
            for number, case in enumerate(cases)
        )
        name = f"2026-06-{day:02}_090000_support"
        record = make_record(
            make_combo(*cases, labels=make_labels(hostile), panel=panel, run_score=70.0),
            make_combo(*others),
            run_id=name,
            timestamp=f"2026-06-{day:02}T09:00:00+02:00",
            insights=Insights(
                passed=day == 9,
                verdict="FAIL: best score misses quality_threshold (85).",
                warnings=("x",),
                best_quality=Best(model="gpt", prompt_id="v1", score=75.0),
                runner_up=RunnerUp(model=hostile, prompt_id="v1", score=70.0, cases=62, lead=5.0, message=hostile),
            ),
        )
        write_record(folder / f"{name}.json", record)
    other = make_record(make_combo(make_case()), run_id="other", benchmark="Other <b>", timestamp="2025-01-01")
    write_record(folder / "other.json", other)
    (folder / "broken.json").write_text("{", "utf-8")
    journal(folder, make_case("first"))
    return folder


def journal(folder, *cases):
    """Write the journal of a run in progress anew."""
    head = {
        "steelyard_journal": 1,
        "benchmark": "Support",
        "started": "2026-06-11T09:00:00+02:00",
        "combos": [["gpt", "v1"], ["claude", "v1"]],
        "cases": 3,
    }
    path = folder / f"{LIVE}.journal.jsonl"
    lines = [b'{"combo":0,"case":%d,"result":%b}\n' % (number, encode_case(case)) for number, case in enumerate(cases)]
    path.write_bytes(json.dumps(head).encode() + b"\n" + b"".join(lines))
    return path


@pytest.fixture
def put_shown(results_shown, make_record, make_combo, make_case):
    """Store another run for the length of a test."""
    made = []

    def put(run_id, *cases):
        made.append(results_shown / f"{run_id}.json")
        write_record(made[-1], make_record(make_combo(*cases), run_id=run_id))

    yield put
    for path in made:
        path.unlink()
    journal(results_shown, make_case("first"))


@pytest.fixture(scope="module")
def shown(results_shown, dashboard_of):
    return dashboard_of(results_shown)


@pytest.fixture
def visit(browser, shown):
    """Open a page, in a window of this width and this colour scheme."""

    def go(path, *, width=1280, scheme="light"):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        browser.get_log("browser")
        browser.get_log("performance")
        browser.get(shown.url + path)
        return browser

    yield go
    assert shown.faults == []


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_hostile_text_does_nothing_in_a_browser(visit, path):
    page = visit(path)

    assert page.title != "owned"
    assert page.title.endswith(" · steelyard")
    assert page.execute_script("return document.querySelectorAll('img[onerror], b, script:not([src])').length") == 0


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_no_page_meets_its_own_policy_or_an_error(visit, path):
    page = visit(path)

    said = [entry["message"] for entry in page.get_log("browser")]
    assert [line for line in said if "404 (Not Found)" not in line or path != PAGES["problem"]] == []


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_nothing_is_fetched_from_anywhere_else(visit, shown, path):
    page = visit(path)

    events = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    fetched = [event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"]
    assert fetched
    assert [url for url in fetched if not url.startswith(shown.url + "/")] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_every_page_passes_the_checks_for_accessibility(visit, path, scheme):
    page = visit(path, scheme=scheme)
    axe = Path(axe_core_python.__file__).with_name("axe.min.js").read_text("utf-8")

    page.execute_script(axe)
    # What is not a matter of colours is the same in both schemes.
    rules = RULES if scheme == "light" else {"runOnly": ["color-contrast"]}
    found = page.execute_async_script("axe.run(document, arguments[0]).then(arguments[1])", rules)

    assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found["violations"]] == []


@pytest.mark.parametrize("width", [320, 390, 768, 1440])
@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_no_page_is_wider_than_its_window(visit, path, width):
    page = visit(path, width=width)

    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_light_and_dark_follow_the_reader(visit):
    read = "return getComputedStyle(document.body).backgroundColor"
    light = visit("/", scheme="light").execute_script(read)
    dark = visit("/", scheme="dark").execute_script(read)

    brightness = [sum(map(int, colour[4:-1].split(","))) for colour in (light, dark)]
    assert brightness[0] > 600
    assert brightness[1] < 150


def test_the_first_stop_of_the_keyboard_skips_to_the_content(visit):
    page = visit("/")

    page.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    first = page.switch_to.active_element
    assert first.text == "Skip to the content"
    assert first.rect["y"] >= 0
    first.send_keys(Keys.ENTER)

    assert page.switch_to.active_element.get_attribute("id") == "content"


def test_the_keyboard_alone_leads_from_the_list_to_a_case(visit):
    page = visit("/")

    follow(page, "2026-06-10 09:00")
    assert page.title.startswith("Support, 2026-06-10 09:00")
    follow(page, "repeated")

    assert page.find_element(By.TAG_NAME, "h1").text.startswith("repeated")


def follow(page, text):
    """Press Tab until the link of that text has the focus, and then Enter."""
    for _ in range(200):
        page.switch_to.active_element.send_keys(Keys.TAB)
        focused = page.switch_to.active_element
        if focused.tag_name == "a" and focused.text == text:
            assert page.execute_script("return getComputedStyle(arguments[0]).outlineStyle", focused) == "solid"
            focused.send_keys(Keys.ENTER)
            return
    raise AssertionError(f"the keyboard does not reach {text!r}")


def test_cases_are_filtered_with_the_form(visit):
    page = visit(PAGES["run"])

    form = page.find_element(By.CSS_SELECTOR, "form[aria-label=Cases]")
    Select(form.find_element(By.NAME, "verdict")).select_by_visible_text("API error")
    form.find_element(By.NAME, "text").send_keys("HTTP 503", Keys.ENTER)
    WebDriverWait(page, 10).until(lambda _: "verdict=api_error" in page.current_url)

    rows = page.find_elements(By.CSS_SELECTOR, "table.cases tbody tr")
    assert [row.find_element(By.TAG_NAME, "th").text for row in rows] == ["broken"]
    assert Select(page.find_element(By.NAME, "verdict")).first_selected_option.text == "API error"


def test_a_cell_of_the_heat_map_leads_to_its_cases(visit):
    page = visit(PAGES["run"])

    page.find_elements(By.CSS_SELECTOR, "a.cell")[1].click()
    WebDriverWait(page, 10).until(lambda _: "combo=1" in page.current_url)

    combos = {cell.text for cell in page.find_elements(By.CSS_SELECTOR, "table.cases td.combo")}
    assert combos == {"anthropic/claude-sonnet-4-5 / long-prompt-name"}


def test_two_chosen_runs_are_compared(visit):
    page = visit("/")

    for run in (NEW, OLD):
        page.find_element(By.CSS_SELECTOR, f"input[value='{run}']").click()
    page.find_element(By.XPATH, "//button[text()='Compare the chosen runs']").click()
    WebDriverWait(page, 10).until(lambda _: "/compare?" in page.current_url)

    sides = [item.text for item in page.find_elements(By.CSS_SELECTOR, ".sides li")]
    assert sides[0].startswith("Support, 2026-06-09 09:00 baseline")
    assert sides[1].startswith("Support, 2026-06-10 09:00")


def test_text_from_right_to_left_reads_so_and_the_page_does_not(visit, put_shown, make_case):
    text = "שלום עולם"
    put_shown("rtl", make_case("rtl", run={"response": text}))

    page = visit("/runs/rtl/cases/0/0")

    read = "return getComputedStyle(arguments[0]).direction"
    blocks = page.find_elements(By.CSS_SELECTOR, "pre.text")
    direction = {block.text: page.execute_script(read, block) for block in blocks}
    assert direction[text] == "rtl"
    assert direction["Be brief."] == "ltr"


def test_a_chart_is_a_picture_with_a_name_and_words(visit):
    page = visit("/")

    chart = page.find_element(By.CSS_SELECTOR, ".chart svg")

    assert chart.aria_role in {"img", "image"}
    assert chart.accessible_name.startswith("Pass rate Over 2 runs: gpt / v1 from")
    assert chart.rect["width"] > 200


def test_a_run_in_progress_shows_each_case_without_being_loaded_again(visit, results_shown, make_case):
    journal(results_shown, make_case("first"))
    page = visit(PAGES["in progress"])
    page.execute_script("window.stillHere = true")
    assert status(page) == "1 of 6 cases: 1 passed, 0 failed, 0 errors"

    journal(results_shown, make_case("first"), make_case("second", passed=False))

    WebDriverWait(page, 20).until(lambda _: status(page) == "2 of 6 cases: 1 passed, 1 failed, 0 errors")
    latest = page.find_elements(By.CSS_SELECTOR, "#latest-table tbody th")
    assert [cell.text for cell in latest] == ["second", "first"]
    assert page.execute_script("return window.stillHere") is True


def status(page):
    return page.find_element(By.ID, "status").text


def test_updates_can_be_paused(visit, results_shown, make_case):
    journal(results_shown, make_case("first"))
    page = visit(PAGES["in progress"])

    page.find_element(By.ID, "pause").click()
    assert page.find_element(By.ID, "connection").text == "Updates are paused."
    journal(results_shown, make_case("first"), make_case("second"))
    page.execute_async_script("refresh().then(arguments[0])")
    assert status(page).startswith("1 of 6")

    page.find_element(By.ID, "pause").click()
    WebDriverWait(page, 20).until(lambda _: status(page).startswith("2 of 6"))


def test_who_is_inside_a_table_keeps_their_place_while_it_changes(visit, results_shown, make_case):
    journal(results_shown, make_case("first"))
    page = visit(PAGES["in progress"])
    link = page.find_element(By.LINK_TEXT, "first")
    page.execute_script("arguments[0].focus()", link)

    journal(results_shown, make_case("first"), make_case("second"))

    WebDriverWait(page, 20).until(lambda _: status(page).startswith("2 of 6"))
    assert page.switch_to.active_element.text == "first"
    assert page.find_element(By.ID, "connection").text == "A table waits while you are in it."


def test_a_run_that_is_done_turns_into_its_record(visit, results_shown, put_shown, make_case):
    path = journal(results_shown, make_case("first"))
    page = visit(PAGES["in progress"])

    put_shown(LIVE, make_case("first"))
    path.unlink()

    WebDriverWait(page, 20).until(lambda _: page.current_url.endswith(f"/runs/{LIVE}"))


def test_the_pages_work_without_script(visit, browser, shown):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        for path in PAGES.values():
            page = visit(path)
            assert page.find_element(By.TAG_NAME, "h1").text
        assert not visit(PAGES["in progress"]).find_element(By.ID, "pause").is_displayed()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_ten_thousand_cases_are_on_the_screen_in_two_seconds(
    browser, dashboard_of, tmp_path, many_cases, make_record, make_combo
):
    write_record(tmp_path / "large.json", make_record(make_combo(*many_cases(10_000)), run_id="large"))
    running = dashboard_of(tmp_path)
    browser.get(f"{running.url}/static/dashboard.css")
    took = []
    while len(took) < 6 and min(took, default=9) >= 2.0:  # the best of six, since others may use the machine
        running = dashboard_of(tmp_path)
        browser.get(f"{running.url}/runs/large")
        timing = browser.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
        took.append(timing / 1000)

    assert len(browser.find_elements(By.CSS_SELECTOR, "table.cases tbody tr")) == 50
    assert min(took) < 2.0
