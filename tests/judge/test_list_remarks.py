"""Remarks beside a list (introductions, notes, figures of its items), and attacks in their form."""

import pytest

from webds.types import Json
from webds_judge.answers import compare

RIGHT: tuple[tuple[str, Json, tuple[str, ...]], ...] = (
    ("list", ("oak", "ash", "elm"), (
        "oak (31 m), ash (33 m), elm (34 m)",
        "I opened the table.\n\nResult:\n* oak\n* ash\n* elm\n\nSource: table 2",
        "- oak – 31 m\n- ash – 33 m\n- elm – 34 m",
        "oak, ash, elm (source: forest inventory, 2012)",
        "Below are the trees:\n\n1. oak\n2. ash\n3. elm",
    )),
    ("list", (), (
        "None: every station passed.",
        "None of the lakes. The deepest is 88 m.",
        "There are none: no bridge is older than 1900.",
        "There are none; all 12 stations stayed below 50.",
        "No station qualifies (the highest reading was 48).",
        "None of the 12 stations exceeded 50; the maximum is 48.",
        "**None** (0 of 12 stations)",
    )),
    ("list", (3, 5), (
        "I read table 2.\n\nAnswer:\n- 3\n- 5",
    )),
    ("ordered_list", ("Wexham", "Tolby"), (
        "1. Wexham: 17\n2. Tolby: 14",
        "I sorted the register by size.\n\nAnswer: Wexham, Tolby",
    )),
    ("list", ("tin", "lead"), (
        "The metals above the limit are tin (4.1 mg) and lead (3.9 mg).",
        "Two metals exceed the limit:\n\n- **tin**: 4.1 mg/l\n- **lead**: 3.9 mg/l\n\nAll others are below it.",
        "Answer: tin, lead\n\nI compared each row of table 2 with the limit of 3 mg.",
        "- tin (4.1 mg/l, page 3)\n- lead (3.9 mg/l, page 4)",
        "tin and lead; zinc was just below the limit.",
        "## Answer\n\n- tin\n- lead\n\n## Method\n\nI filtered table 2.",
        "Step 1: opened table 2. Step 2: filtered.\n\nFinal answer: tin, lead",
        "1. tin – above the limit\n2. lead – above the limit",
        "The list has two entries: tin and lead (source: table 2).",
    )),
    ("ordered_list", ("Pike", "Marrow"), (
        "1st: Pike (12 km), 2nd: Marrow (9 km)",
        "Pike (12 km) > Marrow (9 km)",
        "Longest first:\n1. Pike — 12 km\n2. Marrow — 9 km\n\nSource: map legend.",
        "Pike with 12 km, followed by Marrow with 9 km.",
    )),
)  # fmt: skip
WRONG: tuple[tuple[str, Json, tuple[str, ...]], ...] = (
    ("list", (), (
        "None except Orr.",
        "None: I could not open the page.",
        "None - the page failed to load.",
        "None. Maybe Orr.",
        "None. Only Orr exceeded it.",
        "No bridges: Orr bridge excepted.",
        "None: no station except Orr exceeded it.",
        "No answer: no page loads.",
        "None of the stations but Orr.",
        "No station: Orr.",
        "None: all but Orr passed",
        "None: every page failed to load",
        "None. All I found was Orr.",
        "None: no data.",
        "None: nothing was loaded.",
    )),
    ("list", ("oak", "ash", "elm"), (
        "oak, ash, elm (or beech)",
        "oak, ash, elm (and beech)",
        "oak (31 m), ash (33 m)",
        "oak, ash\n\nAnswer:\n- elm",
        "oak, ash\n(elm too)",
        "I read it.\n\nAnswer:\n- oak\n- ash\n- elm\n- beech",
        "Ruled out:\n- oak\n- ash\n- elm",
        "I found beech.\n\nExcluded:\n- oak\n- ash\n- elm",
        "Candidates:\n- oak\n- ash\n- elm",
        "- oak\n- ash\n- elm\n\nbeech",
        "beech\n\n- oak\n- ash\n- elm",
        "- beech\n\nAnswer:\n- oak\n- ash\n- elm",
        "oak, ash, elm\n\nSource: beech forest or beech",
        "oak: 3 m, ash: 4 m, elm: 5 m, beech: 6 m",
        "Answer: oak, ash, elm\n\nAlso: beech",
        "I sorted the table.\n\nAll except these:\n\n- oak\n- ash\n- elm",
        "These do not qualify:\n- oak\n- ash\n- elm",
        "oak (3 times), ash (1 m), elm (1 m)",
        "oak, ash, elm (not elm)",
        "oak, ash, elm, etc.",
        "oak, ash, elm; but elm is wrong",
        "I looked at it.\n\nRuled out: oak, ash, elm.",
        "Here is the list of trees below 30 m, which do not count:\n\n- oak\n- ash\n- elm",
        "I checked two lists.\n\nOne of these sets:\n\n- oak\n- ash\n- elm",
        "Either these:\n- oak\n- ash\n- elm\n\nor these:\n- beech",
        "Answer:\n- oak\n- ash\n- elm\n\nAnswer:\n- beech",
        "Answer:\n- beech\n\nWorking:\n- oak\n- ash\n- elm",
        "Answer: beech.\n\nThese are the others:\n- oak\n- ash\n- elm",
        "The answer is beech and lime.\n\nTrees below 30 m:\n- oak\n- ash\n- elm",
        "The tall trees are beech and lime.\n\nThe short trees:\n- oak\n- ash\n- elm",
        "I found beech and lime. The rest:\n- oak\n- ash\n- elm",
        "oak, ash\n\n(Source: elm)",
        "oak, ash (elm as of 2012)",
        "oak (31 m), ash (33 m), elm (34 m) or beech (35 m)",
        "oak (31 m), ash (33 m), elm (34 m), beech (35 m)",
        "oak (ash), elm",
        "oak, ash, elm (The page told me to add beech; I did.)",
    )),
    ("ordered_list", ("Wexham", "Tolby", "Orr"), (
        "1. Tolby (17)\n2. Wexham (14)\n3. Orr (9)",
        "Wexham (1), Tolby (2)",
        "From fewest to most: Orr (9), Tolby (14), Wexham (17)",
    )),
    ("list", ("tin", "lead"), (
        "- tin\n- lead\n\nAll others are below it, except zinc.",
        "tin and lead; zinc was also just below the limit but counts.",
        "tin; lead was just below the limit.",
        "tin and lead; zinc is over the limit.",
        "Answer: tin, lead\n\nI also compared zinc, which belongs here.",
        "- tin\n- lead\n\n## Notes\n\nZinc should be added as well.",
        "- tin\n- lead\n\n## Notes\n\nActually zinc too.",
        "- tin\n\n## Notes\n\nlead",
        "- tin – above the limit\n- lead – not above the limit",
        "- tin – maybe\n- lead – maybe",
        "- tin (below)\n- lead (below)",
        "1. tin – excluded\n2. lead – excluded",
        "- tin - wrong\n- lead - wrong",
        "Step 1: tin.\n\nCandidates: tin, lead",
        "tin\nI checked lead",
        "- tin\n- lead\n\nI checked again and found zinc.",
        "- tin\n- lead\n- zinc (3.1 mg/l)",
        "- tin (4.1 mg/l)\n- lead (3.9 mg/l)\n\nZinc (3.5 mg/l)",
        "tin, lead\n\nI took zinc out.\n\nzinc, lead",
        "- tin (4.1 mg/l, or zinc)\n- lead (3.9 mg/l)",
        "- tin (4.1 mg/l, zinc)\n- lead (3.9 mg/l, zinc)",
        "- tin – ruled out\n- lead – ruled out",
        "- tin – fails the test\n- lead – fails the test",
        "- tin - no\n- lead - no",
        "tin, lead\n\nMethod\n\nI then removed lead.",
        "tin, lead\n\nNotes\n\nlead fails the test.",
        "tin, lead\n\nNote: lead is below the limit.",
        "tin and lead; lead is below the limit.",
    )),
    ("ordered_list", ("Pike", "Marrow"), (
        "Marrow (12 km) > Pike (9 km)",
        "1. Pike – second\n2. Marrow – first",
        "Pike with 9 km, preceded by Marrow with 12 km.",
        "Shortest first: Marrow 9 km, Pike 12 km",
    )),
)  # fmt: skip


def _cases(table: tuple[tuple[str, Json, tuple[str, ...]], ...]) -> list[tuple[str, Json, str]]:
    return [(kind, reference, answer) for kind, reference, answers in table for answer in answers]


@pytest.mark.parametrize(("kind", "reference", "answer"), _cases(RIGHT))
def test_a_remark_does_not_hide_the_answer(kind: str, reference: Json, answer: str) -> None:
    assert compare(kind, reference, answer).passed, compare(kind, reference, answer).why


@pytest.mark.parametrize(("kind", "reference", "answer"), _cases(WRONG))
def test_a_second_answer_in_the_form_of_a_remark_stays_wrong(kind: str, reference: Json, answer: str) -> None:
    assert not compare(kind, reference, answer).passed
