"""Numbers that an answer mentions beside the asserted one: they neither make it two answers nor are the answer."""

import pytest

from webds_judge.answers import compare

RIGHT = [
    (517, "The figure is 517 as of 1 June 2020; it was 498 a year earlier."),
    (517, "517. That is more than the 400 of 2010 and about 3 % of the national total."),
    (517, "## Answer\n\n**517**\n\n### How I got there\n- 12 sheets\n- 526 - 9 = 517"),
    (517, "Notes\n- 12 sheets read\n\n# Answer\n517"),
    (517, "517 (see table 4, p. 17)"),
    (517, "517 is the value in the 2012 edition."),
    (517, "It stood at 517, up from 498."),
    (312, "I counted 312 entries: 298 active and 14 archived."),
    (0.4, "4 of 10 runs converged, so the ratio is 40%."),
    (-0.8, "The index fell by 0.8 points between 2016 and 2017."),
    (2.72, "I get 2.718 from the sheet, which is 2.72 to two decimals."),
    (114, "I read about 114 off the chart; the gridlines are at 100 and 150."),
    (12, "- Rate: 12\n- Period: 2016\n- Source: survey, page 8"),
    (2012, "2012"), (42, "Page 42"), (42, "Source: 42"),
]  # fmt: skip
WRONG = [
    (498, "The figure is 517 as of 1 June 2020; it was 498 a year earlier."),
    (400, "517. That is more than the 400 of 2010."),
    (12, "## Answer\n\n517\n\n### How I got there\n- 12 sheets"),
    (4, "517 (see table 4, p. 17)"),
    (2012, "517 is the value in the 2012 edition."),
    (498, "It stood at 517, up from 498."),
    (298, "I counted 312 entries: 298 active and 14 archived."),
    (312, "I counted 312 entries: 298 active and 13 archived."),
    (4, "4 of 10 runs converged, so the ratio is 40%."),
    (0.8, "The index fell by 0.8 points between 2016 and 2017."),
    (100, "I read about 114 off the chart; the gridlines are at 100 and 150."),
    (42, "The total is more than 42."),
    (42, "41 or 42 as of 1 June 2020"),
    (42, "41 in table 3 and 42 in table 4"),
    (42, "It was 41 between 2016 and 2017; in the 2018 edition it is 42."),
    (42, "41.\n\nNotes\n42"),
    (42, "The value is 41; 42 for comparison."),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "answer"), RIGHT)
def test_an_aside_is_no_second_answer(reference: float, answer: str) -> None:
    found = compare("number", reference, answer)
    assert found.passed, found.why


@pytest.mark.parametrize(("reference", "answer"), WRONG)
def test_an_aside_is_not_the_answer(reference: float, answer: str) -> None:
    assert not compare("number", reference, answer).passed
