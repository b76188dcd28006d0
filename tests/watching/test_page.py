"""The page of a check, its pictures and their numbers."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest

import thresher as th
from tests import hostile
from tests.watching import worlds
from thresher.cli.commands.watch.demo import simulate
from thresher.errors import ArgumentError
from thresher.inference import mean_interval
from thresher.report.watching import watch_page
from thresher.watching.check.summary import odds_text

CHARTS = (
    "bands", "ladder", "class_ratio", "regret", "calibration", "calibration_path", "maturity", "cohorts", "scores",
    "columns", "volume", "queue",
)  # fmt: skip


@pytest.fixture(scope="module")
def check():
    return worlds.demo_check()


@pytest.fixture(scope="module")
def html(check):
    return watch_page(check)


class Structure(HTMLParser):
    """What a page is made of: tags, their attributes, and the words in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_stands_alone_and_is_small(html):
    page = Structure(html)
    assert len(html.encode()) < 1_500_000
    assert not [tag for tag, _ in page.tags if tag in ("script", "link", "img", "iframe", "object", "form")]
    assert not [1 for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "style"]
    assert not re.findall(r"url\(|@import", html)
    policy = next(a["content"] or "" for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src" not in policy


def test_every_promise_has_its_verdict_on_the_first_screen(check, html):
    tiles = html[html.index('class="tiles"') : html.index('class="verdicts"')]
    for one in check.promises.values():
        assert f"{one.promise.value:g} promised" in tiles
    assert tiles.count('class="badge') == len(check.promises)
    assert {one.verdict for one in check.promises.values()} >= {"broken"}
    assert "not what was promised" in html


def test_every_picture_has_its_numbers_as_a_table_and_as_a_frame(check, html):
    for name in (*check.promises, *CHARTS):
        chart = check.chart(name)
        frame = chart.frame()
        assert len(frame) == len(chart)
        assert list(frame.columns) == list(chart.columns)
        assert escape(chart.title) in html
    assert html.count("<figure") >= len(check.promises) + 11
    with pytest.raises(ArgumentError, match=r"there is no chart 'accuracy'"):
        check.chart("accuracy")


def test_a_control_chart_counts_each_period_once(check):
    chart = check.chart("precision")
    table = check.cohorts
    assert sum(chart["labels"]) == int(table["reviewed"].sum())
    rate = check.chart("alarm_rate")
    assert sum(rate["labels"]) == check.counts["rows"]
    last = max(n for n, mean in enumerate(chart["running"]) if not math.isnan(mean))
    assert chart["running"][last] == pytest.approx(check.promises["precision"].interval.estimate)
    assert chart["low"][last] == pytest.approx(check.promises["precision"].interval.lower)
    assert rate["high"][-1] == pytest.approx(check.promises["alarm_rate"].interval.upper)
    assert rate["log10_evidence"][-1] == pytest.approx(math.log10(check.promises["alarm_rate"].evidence))
    for estimate, low, high in zip(rate["running"], rate["low"], rate["high"], strict=True):
        assert low <= estimate <= high


def test_young_cohorts_have_bounds_and_no_estimate(check):
    chart = check.chart("precision")
    young = np.array(chart["young"])
    assert young.any()
    assert np.isnan(np.array(chart["estimate"])[young]).all()
    assert (np.array(chart["upper"])[young] >= np.array(chart["lower"])[young]).all()
    strip = check.chart("cohorts")
    assert math.isnan(strip["share"][-1])
    assert all(0 <= share <= 1 for share in strip["share"] if not math.isnan(share))


def test_the_ladder_narrows_and_strikes_out_what_is_refuted(check):
    ladder = check.chart("ladder")
    assert ladder["step"] == ["drawn labels", "step 0", "step 1", "step 2", "step 3"]
    widths = [high - low for low, high in zip(ladder["lower"], ladder["upper"], strict=True)]
    assert widths[2] <= widths[1]
    ladders = {
        name: (*steps[:3], replace(steps[3], refuted=True, interval=replace(steps[3].interval, lower=math.nan)))
        for name, steps in check.ladders.items()
    }
    refuted = replace(check, ladders=ladders)
    assert math.isnan(refuted.chart("ladder")["lower"][4])
    assert 'text-decoration="line-through"' in watch_page(refuted)


def test_half_reviewed_alarms_have_the_limits_of_a_promise_not_of_a_census():
    with worlds.in_memory() as folder:
        watch = worlds.watch(folder / "w.db", clock := worlds.Clock(), promises=["precision >= 0.6"])
        threshold = watch.decision.threshold
        scores = np.full(20, threshold + 0.1)
        clock.at(1)
        watch.insert(worlds.rows(0, scores, 1.0), score="p")
        labels = {"id": [f"r{n}" for n in range(18)], "label": [1] * 9 + [0] * 9, "time": worlds.days([2.0] * 18)}
        clock.at(3)
        watch.label(labels, time="time")
        clock.at(20)
        one = watch.check().promises["precision"]
    assert one.verdict == "undecided"  # 9 to 11 of 20 are right, which is chance where 0.6 is promised
    complete = mean_interval(9, 18)
    assert one.interval.lower <= complete.lower + 0.05
    assert one.interval.upper >= complete.upper - 0.05


def test_hostile_names_stay_text(check):
    for name in hostile.NAMES.values():
        html = watch_page(replace(check, watch=name, model=name))
        page = Structure(html)
        assert not [tag for tag, _ in page.tags if tag in ("script", "img", "iframe")]
        assert not any(sign in html for sign in "\u202e\u2028\u2029\x1b\x07")


def test_a_watch_without_rows_has_a_page():
    with worlds.in_memory() as folder:
        html = watch_page(worlds.watch(folder / "w.db").check())
    assert "Not watched: there are no rows yet" in html
    assert html.count('class="badge undecided"') == 2


def test_alarms_alone_have_a_page():
    clock = worlds.Clock()
    with worlds.in_memory() as folder:
        one = worlds.watch(folder / "w.db", clock, matures="1d")
        clock.at(5)
        one.insert(worlds.rows(0, [0.99], 0))
        check = one.check()
        assert len(check.ladder("npv")) == 3  # the misses that an assumption expects do not fit into no rows
        assert "Not watched" in watch_page(check)


def test_a_promise_that_no_label_has_judged_yet_has_a_chart():
    with worlds.in_memory() as folder:
        one = worlds.watch(folder / "w.db", promises=["expected_cost <= 0.5"], sample=0.0)
        one.insert(worlds.rows(0, [0.9, 0.1], 0))
        html, chart = watch_page(one.check()), one.check().chart("expected_cost")
    assert "expected_cost" in html
    assert np.isnan(chart["log10_evidence"]).all()


def test_odds_are_written_for_people():
    assert [odds_text(value) for value in (0.0, 0.025, 1.0, 1460, 2e43)] == [
        "–", "1:40", "1:1", "1,460:1", "10⁴³:1",
    ]  # fmt: skip


def test_the_page_is_written_completely_or_not_at_all(check, tmp_path):
    check.to_html(tmp_path / "watch.html")
    assert (tmp_path / "watch.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises((OSError, th.ThresherError)):
        check.to_html(tmp_path / "no" / "watch.html")
    assert [path.name for path in tmp_path.iterdir()] == ["watch.html"]


def test_the_demo_is_the_same_on_every_day_and_tells_what_happened():
    events, checks = [], []
    for _ in range(2):
        with worlds.in_memory() as folder:
            stream = th.laboratory.Stream(rows=20, change=60)
            checks.append(
                simulate(folder / "d.db", stream, weeks=17, tell=lambda week, text: events.append((week, text)))
            )
    assert checks[0].to_json() == checks[1].to_json()
    half = len(events) // 2
    assert events[:half] == events[half:]
    assert (15, "delivered twice: 140 rows known already, 0 new") in events
