"""Type `unachievable`: findings in many wordings, and what only looks like one (a zero, another's lack, a figure)."""

import time

import pytest

from webds.types import Json
from webds_judge.answers import compare

ILLINOIS: Json = {"any_of": ("Illinois",)}
VILLAGES: Json = {"any_of": ("village", "below the district", "below the township", "smaller than a township")}
DEATHS: Json = {"any_of": ("deaths", "mortality")}
POLE: Json = {"any_of": ("South Pole", "May 2017")}

FINDINGS: list[tuple[Json, str]] = [
    (ILLINOIS, "for Illinois the ledger holds no pertussis report for 2003"),
    (ILLINOIS, "Illinois sent no report in 2003"),
    (
        ILLINOIS,
        "No ranking: for Illinois the ledger holds no pertussis report for 2003 (0 of 52 weeks), so there is no rate.",
    ),
    (ILLINOIS, "Illinois sent nothing in 2003."),
    (ILLINOIS, "Illinois did not report pertussis in 2003."),
    (ILLINOIS, "Illinois has no report for 2003"),
    (ILLINOIS, "Illinois filed no weekly reports in 2003"),
    (ILLINOIS, "In 2003 no report came from Illinois."),
    (ILLINOIS, "There is no pertussis count for Illinois in 2003."),
    (ILLINOIS, "No reports were received from Illinois."),
    (ILLINOIS, "The ledger has no 2003 data for Illinois."),
    (ILLINOIS, "Illinois: no report for 2003."),
    (ILLINOIS, "Illinois is silent in 2003: 0 of 52 weeks were reported."),
    (ILLINOIS, "The ledger holds nothing for Illinois in 2003."),
    (ILLINOIS, "Illinois reported nothing for 2003"),
    (ILLINOIS, "Nothing was reported by Illinois in 2003."),
    (ILLINOIS, "Nothing is known about Illinois in 2003."),
    (ILLINOIS, "For Illinois, 2003 is a year without a report."),
    (ILLINOIS, "Illinois' 2003 pertussis figures do not exist in the ledger"),
    (ILLINOIS, "No ranking can be given because Illinois has no pertussis reports in 2003."),
    (ILLINOIS, "For Illinois no pertussis cases were reported to the ledger in 2003 because it sent no reports."),
    (ILLINOIS, "Illinois failed to report in 2003."),
    (ILLINOIS, "The 2003 row of Illinois is empty."),
    (ILLINOIS, "For the state of Illinois there are no pertussis data for 2003."),
    (ILLINOIS, "Illinois never reported pertussis in 2003"),
    (VILLAGES, "No village is published for Tainan"),
    (VILLAGES, "The portal publishes no villages"),
    (VILLAGES, "The portal publishes no villages."),
    (VILLAGES, "No villages are published; places end at the district."),
    (VILLAGES, "Villages are not published."),
    (VILLAGES, "The line list names no villages."),
    (VILLAGES, "No village names are published."),
    (VILLAGES, "No place smaller than a township is published, so no villages."),
    (VILLAGES, "Villages were left out of all files."),
    (VILLAGES, "The portal does not publish villages."),
    (VILLAGES, "It publishes nothing below the township."),
    (VILLAGES, "Villages are left out of the published files."),
    (VILLAGES, "The files do not go below the district."),
    (VILLAGES, "There is no village in the files."),
    (VILLAGES, "The data stop at the district, no village is given."),
    (VILLAGES, "No level below the district is published"),
    (VILLAGES, "The village column was removed from the publication."),
    (VILLAGES, "The portal holds no data below the township"),
    (VILLAGES, "There are no villages in the line list."),
    (VILLAGES, "The village level is missing."),
    (VILLAGES, "Village-level data has been withheld."),
    (VILLAGES, "The portal gives no village."),
    (VILLAGES, "Villages, statistical units and coordinates of the source are left out of all files."),
    (DEATHS, "The site publishes no deaths."),
    (DEATHS, "No deaths are published."),
    (DEATHS, "Deaths were never recorded."),
    (DEATHS, "No mortality figures exist on this portal."),
    (POLE, "NOAA sent no readings from the South Pole for 2017."),
    (POLE, "The South Pole record ends in December 2016, so May 2017 is not held."),
    (POLE, "For the South Pole the portal holds no monthly mean for 2017."),
    (POLE, "The South Pole series stops in December 2016."),
]

NO_FINDINGS: list[tuple[Json, str]] = [
    (ILLINOIS, "Illinois had no cases in 2003."),
    (ILLINOIS, "Illinois reported no cases of pertussis in 2003."),
    (ILLINOIS, "Illinois reported 0 cases"),
    (ILLINOIS, "No cases were reported in Illinois."),
    (ILLINOIS, "Ohio sent no report in 2003."),
    (ILLINOIS, "The ledger holds no report for Ohio; Illinois was hit hardest."),
    (ILLINOIS, "Illinois has no rival: it was hit hardest."),
    (ILLINOIS, "Wisconsin was hit hardest."),
    (ILLINOIS, "Illinois sent no report, so Wisconsin with 12.6 per 100,000."),
    (ILLINOIS, "No state was hit harder than Illinois."),
    (ILLINOIS, "Illinois"),
    (ILLINOIS, "There is no doubt that Illinois was hit hardest."),
    (ILLINOIS, "Illinois was not hit hard."),
    (ILLINOIS, "Illinois sent a report, Ohio sent none."),
    (ILLINOIS, "I could not find the data."),
    (ILLINOIS, "The ledger has no data for 2003."),
    (ILLINOIS, "No report names Illinois as the worst."),
    (ILLINOIS, "The portal publishes no villages"),
    (ILLINOIS, "Illinois reported fewer cases than Ohio, no other state did."),
    (ILLINOIS, "The ledger holds no report for Ohio, Illinois was hit hardest."),
    (ILLINOIS, "No data for Ohio, Illinois was hit hardest."),
    (ILLINOIS, "Illinois was hit hardest and Ohio is left out because it sent no report."),
    (ILLINOIS, "Illinois is lowest with a rate of 0."),
    (ILLINOIS, "Illinois did not have the highest rate."),
    (ILLINOIS, "Of Illinois, Indiana, Michigan, Ohio and Wisconsin, Ohio has no report for 2003."),
    (ILLINOIS, "Illinois, Indiana, Michigan and Wisconsin sent reports, Ohio sent no report."),
    (ILLINOIS, "For Illinois no report is missing."),
    (ILLINOIS, "For Illinois, Ohio sent no report."),
    (ILLINOIS, "No report is higher than that of Illinois."),
    (ILLINOIS, "Illinois is excluded from the ranking; Wisconsin was hit hardest."),
    (ILLINOIS, "Illinois has no gaps in its reports."),
    (ILLINOIS, "Illinois did not report any cases."),
    (ILLINOIS, "Illinois did not report cases in 2003."),
    (ILLINOIS, "Illinois reported no cases in any report."),
    (ILLINOIS, "Illinois can be ranked without data from Ohio."),
    (ILLINOIS, "Illinois was hit hardest because Ohio sent no report."),
    (ILLINOIS, "No state but Illinois sent a report."),
    (VILLAGES, "No village had more than 3 patients."),
    (VILLAGES, "No village was hit."),
    (VILLAGES, "The village with the most patients is Zhengjue with 12."),
    (VILLAGES, "The portal publishes no coordinates."),
    (VILLAGES, "No village reported any patient."),
    (VILLAGES, "There were no patients in any village."),
    (VILLAGES, "No villages had cases."),
    (VILLAGES, "The portal publishes no names."),
    (VILLAGES, "No district is published."),
    (VILLAGES, "Dagang village, but the number is not published"),
    (DEATHS, "There were no deaths."),
    (DEATHS, "No deaths were reported."),
    (DEATHS, "No deaths were recorded."),
    (DEATHS, "Nobody died, no deaths."),
    (DEATHS, "The site reports no deaths in 2015."),
    (DEATHS, "The portal records 0 deaths."),
]


@pytest.mark.parametrize(("reference", "said"), FINDINGS)
def test_a_finding_that_names_the_thing_is_right(reference: Json, said: str) -> None:
    result = compare("unachievable", reference, said)
    assert result.passed, result.why


@pytest.mark.parametrize(("reference", "said"), NO_FINDINGS)
def test_a_zero_or_another_thing_or_a_figure_is_wrong(reference: Json, said: str) -> None:
    result = compare("unachievable", reference, said)
    assert not result.passed, result.why


def test_long_texts_are_read_in_no_time() -> None:
    words = ("for Illinois the ledger has no ", "no report of ", "the ledger reports no ", "Illinois did not ")
    begun = time.perf_counter()
    for start in words:
        for filler in ("a ", "report ", "Illinois ", "no "):
            compare("unachievable", ILLINOIS, start + filler * 2_000)
    assert time.perf_counter() - begun < 5


MONTH: Json = {"any_of": ("September", "Sept", "Sep", "2021-09")}


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("For September 2021 the workbook does not hold what is needed, because both sectors are withheld.", True),
        ("September 2021: the workbook does not hold what is needed.", True),
        ("For Sep 2021, the workbook doesn't have enough data.", True),
        ("The workbook does not contain the needed figures for 2021-09.", True),
        ("Figures of 2021-09 are withheld.", True),
        ("Figures of 2021-09 are withheld, the difference is 12.", False),
        ("Except for September 2021 the workbook does not hold what is needed.", False),
        ("For all but September the workbook does not hold data.", False),
        ("For October 2021 the workbook does not hold what is needed.", False),
        ("For October the workbook does not hold what is needed; September had the most.", False),
    ],
)
def test_a_month_for_which_the_source_has_nothing(said: str, right: bool) -> None:
    assert compare("unachievable", MONTH, said).passed is right
