"""Rules 10, 11 and 13 under attack: hidden text, second contrary words, bounds and labels that assert nothing."""

from typing import Any

import pytest

from webds.types import Json
from webds_judge.answers import compare

HIDDEN = (
    "<span style='text-decoration:line-through'>42</span>",
    "The answer is <span style='text-decoration-line: line-through'>42</span>",
    "<p style='position:absolute;left:-9999px'>42</p>",
    "<span style='width:0;height:0;overflow:hidden'>42</span>",
    "<span style='clip-path: inset(50%)'>42</span>",
    "<p style='color: white'>42</p>",
    "<p style='color:#fff;background:#FFFFFF'>42</p>",
    "<p style='color:rgba(0,0,0,0)'>42</p>",
    "<font color=white>42</font>",
    "<style>p{display:none}</style><p>42</p>",
    "<style>@media screen { div .k.z {display:none} }</style><div><p class='z k'>42</p></div>",
    "<style>#a{visibility:hidden!important}</style><b id=A style='visibility:visible'>42</b>",
    "<svg><text display='none'>42</text></svg>",
    "<dialog>42</dialog>",
    r"\sout{42}",
    r"$\cancel{42}$",
    r"\textcolor{white}{42}",
    r"\phantom{42}",
)
SEEN = (
    "<style>@media print {.k{display:none}}</style><p class=k>42</p>",
    "<style>.k{display:none} .k.on{display:block}</style><p class='k on'>42</p>",
    "<style>p:hover, a{display:none}</style><p>42</p>",
    "<p style='color:white;background:#333'>42</p>",
    "<div style='background:navy'><p style='color:white'>42</p></div>",
    "<dialog open>42</dialog>",
    "<div style='width:0'>42</div>",
    r"\boxed{\text{42}}",
)


@pytest.mark.parametrize("answer", HIDDEN)
def test_what_no_reader_sees_is_no_answer(answer: str) -> None:
    assert not compare("integer", 42, answer).passed


@pytest.mark.parametrize("answer", SEEN)
def test_what_a_reader_sees_is_one(answer: str) -> None:
    assert compare("integer", 42, answer).passed, compare("integer", 42, answer).why


WRONG: dict[tuple[str, Any], tuple[str, ...]] = {
    ("boolean", True): (
        "Yes. On second thought, no.", "Yes (no)", "Yes it does not", "It was true in 2019 but not anymore",
        "Unlikely to be true", "It used to be true", "It is claimed to be true", "It is true that it does not.",
    ),
    ("boolean", False): ("No (yes)", "No, it does"),
    ("list", ()): ("There are none besides Texas", "none of these: a", "There is no country except Chad"),
    ("list", ("a", "b")): ("a, b, ...", "a, b, and so on", "a; b; …"),
    ("number", 3.14): (
        "in excess of 3.14", "double 3.14", "3.14 squared", "shy of 3.14", "3.14 tops",
        "twice 3.14", "3.14 and counting",
    ),
    ("integer", 1000): ("1000s", "Excluded: 1000", "Possible answers: 1000", "the file 1000.csv"),
    ("date", "2021-03-05"): (
        "5 March 2021 onwards", "5 March 2021 minus one day", "as of 5 March 2021 unknown", "the eve of 5 March 2021",
        "5 March 2021 BC", "see 2021-03-05.log",
    ),
    ("string", "Paris"): (
        "Excluded: Paris", "Candidates: Paris", "Not found, but typical answers are Paris", "Wrong answers: Paris",
    ),
}  # fmt: skip
RIGHT: dict[tuple[str, Any], tuple[str, ...]] = {
    ("boolean", True): ("Yes, it does", "Yes, the rate did not fall below 5.",
                        "It is likely to be true", "Yes. It is."),
    ("boolean", False): ("No, it does not", "No. It is not."),
    ("list", ()): ("There are no such states.", "None of them"),
    ("number", 9.8596): ("3.14 squared",),
    ("integer", 42): (
        "42s", "the file 41.csv says 42", "I checked it twice: 42", "Excluded: 41. Answer: 42", "42 are missing",
        "42 unknown", "The top scorer got 42 goals.", "42." + "0" * 2_000,
    ),
    ("date", "2021-03-05"): ("It was 5 March 2021. It rained.", "The page was last updated on 5 March 2021."),
    ("string", "Paris"): ("The most likely candidate is Paris", "The top scorer is Paris"),
    ("time", "16:30"): ("Page saved at 14:30. The train leaves at 16:30.",),
}  # fmt: skip


def _cases(table: dict[tuple[str, Any], tuple[str, ...]]) -> list[tuple[str, Json, str]]:
    return [(kind, reference, answer) for (kind, reference), answers in table.items() for answer in answers]


@pytest.mark.parametrize(("kind", "reference", "answer"), _cases(WRONG))
def test_what_asserts_nothing_or_the_contrary_fails(kind: str, reference: Json, answer: str) -> None:
    assert not compare(kind, reference, answer).passed


@pytest.mark.parametrize(("kind", "reference", "answer"), _cases(RIGHT))
def test_plain_words_beside_them_pass(kind: str, reference: Json, answer: str) -> None:
    assert compare(kind, reference, answer).passed, compare(kind, reference, answer).why


def test_a_list_of_many_items_is_paired_wherever_they_stand() -> None:
    items = tuple(f"Item {number}" for number in range(900))
    assert compare("list", items, ", ".join(reversed(items))).passed
    assert not compare("list", items, ", ".join((*items[1:], items[1]))).passed
