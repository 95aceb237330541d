"""Words of the codebook and the methodology, written for this demonstration."""

from dataclasses import dataclass

from sites_docker.fever_line_list.layouts import AGES
from sites_docker.kit.tables import Tables

EXPLAINED = {
    "line": ("Case number", "The line's place in the source's file. The number stays the same in all releases."),
    "onset": ("Date of onset", "Day of the first symptoms, as told by the patient."),
    "confirmation": (
        "Date of confirmation",
        "Day on which the laboratory's finding was entered. Kept from 2004 on, and in every line from 2005 on.",
    ),
    "notification": ("Date of notification", "Day on which a doctor or hospital reported the case. Cuts the files."),
    "sex": ("Sex", "As registered."),
    "age_group": ("Age group", "Age at onset in years."),
    "county": ("County of residence", "Where the patient lives, under the county's name of today."),
    "township": ("Township of residence", "Township or district. A name such as East Dist. stands in several cities."),
    "infected_county": ("County of infection", "Where the infection was most likely caught; only inside Taiwan."),
    "infected_township": ("Township of infection", "The same, by township or district."),
    "imported": ("Imported", "Whether the infection was caught abroad. This field decides, not the country."),
    "country": ("Country of infection", "Where it was caught, in the source's spelling. Missing in many early lines."),
    "cases": ("Confirmed cases", "How many cases the line stands for. Mostly 1; see methodology, Lines and cases."),
    "serotype": ("Serotype", "Virus type where one was determined. Missing is not negative."),
}
"""(name, meaning) of each field."""


def values(letter: str) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """(heading, (code, meaning) of its values) of the coded columns of a layout, named by its small letter."""
    return _VALUES[letter]


_VALUES = {
    "a": (
        ("性別 (sex)", (("男", "male"), ("女", "female"), ("不詳", "unknown"))),
        ("是否境外移入 (imported)", (("是", "yes, caught abroad"), ("否", "no, caught in Taiwan"))),
        (
            "血清型 (serotype)",
            (("第一型", "DENV-1"), ("第二型", "DENV-2"), ("第三型", "DENV-3"), ("第四型", "DENV-4")),
        ),
    ),
    "b": (
        ("SEX", (("1", "male"), ("2", "female"), ("9", "unknown"))),
        ("IMP", (("1", "no, caught in Taiwan"), ("2", "yes, caught abroad"))),
        ("STYPE", (("1", "DENV-1"), ("2", "DENV-2"), ("3", "DENV-3"), ("4", "DENV-4"), ("9", "not determined"))),
        ("AGEG", (("01 to 19", "see Age groups and their codes"),)),
        ("RESCTY, INFCTY", (("63 to 68, 09007 to 10020", "see County codes"),)),
    ),
    "c": (
        ("Sex", (("Male", ""), ("Female", ""), ("Unknown", ""))),
        ("Imported", (("Yes", "caught abroad"), ("No", "caught in Taiwan"))),
        ("Serotype", (("DENV-1 to DENV-4", "type found"), ("n/a", "not determined"))),
    ),
    "d": (
        ("sex", (("M", "male"), ("F", "female"), ("U", "unknown"))),
        ("imported", (("Y", "yes, caught abroad"), ("N", "no, caught in Taiwan"))),
        ("serotype", (("DENV1 to DENV4", "type found"), ("None", "not determined"))),
    ),
}

AGE_CODES = tuple((f"{number:02d}", group) for number, group in enumerate(AGES, start=1))
"""(code in layout B, group)."""

_READ = {
    "SRILANKA": "Sri Lanka",
    "UNITED ARAB EMIRTES": "United Arab Emirates",
    "LAO PEOPLE'S DEMOCRATIC REPUBLIC": "Laos",
    "VIET NAM": "Vietnam",
    "OTHERS": "a country without an entry of its own",
    "TAIWAN": "caught in Taiwan",
}


def countries(tables: Tables) -> list[tuple[str, str]]:
    """(spelling of the source, our reading where it needs one), in order of the alphabet."""
    names = tables.rows("SELECT DISTINCT country FROM cases WHERE country IS NOT NULL ORDER BY country")
    return [(name, _READ.get(name, "")) for (name,) in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A chapter of the methodology. `rules` are (id on the page, sentence)."""

    slug: str
    title: str
    lead: str
    rules: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """For search."""
        return " ".join((self.lead, *(sentence for _, sentence in self.rules)))


METHODS = (
    Method(
        slug="dates",
        title="Three dates",
        lead="Each line has a day of onset and one of notification, most lines from 2004 on also one of confirmation.",
        rules=(
            ("rule-onset", "When people fell ill is told by the date of onset. An epidemic year is a year of onset."),
            ("rule-notified", "Counts on this portal's pages are by date of notification, as the files are."),
            (
                "rule-delay",
                "The reporting delay is the number of days from onset to notification; each line counts once.",
            ),
            ("rule-impossible", "A line notified before its onset is an error of the source. It is left as it is."),
            (
                "rule-retrospective",
                "Early lines with a date of confirmation seem to have been checked again years later.",
            ),
        ),
    ),
    Method(
        slug="files",
        title="How files are cut",
        lead="There is one file a year. It holds the lines notified in that calendar year, whatever their onset.",
        rules=(
            ("rule-cut", "All onsets of a year are in its own file and in the file of the next year."),
            ("rule-first", "The first file, 1998, begins with the first line of the source."),
            (
                "rule-partial",
                "The last file, 2024, ends with the last line of the source, notified on 10 September 2024.",
            ),
            ("rule-layouts", "Layouts differ by year. The rows are those of one source; the layouts are our own."),
        ),
    ),
    Method(
        slug="lines-and-cases",
        title="Lines and cases",
        lead="The field for confirmed cases says how many cases a line stands for.",
        rules=(
            ("rule-sum", "Cases are the sum of that field, never the number of lines."),
            ("rule-double", "Two lines of the list stand for two cases each; all others for one."),
            ("rule-deaths", "The list says nothing of hospital stay, recovery or death."),
        ),
    ),
    Method(
        slug="imported",
        title="Local and imported",
        lead="A case is imported when the infection was caught abroad.",
        rules=(
            ("rule-flag", "The field Imported decides. A local case has no in it, an imported one yes."),
            (
                "rule-country",
                "The country of infection is missing in many lines, most of all in those of 1998 to 2000 and of 2002.",
            ),
            ("rule-no-guess", "A missing country is never read as Taiwan, nor as abroad."),
        ),
    ),
    Method(
        slug="places",
        title="Places",
        lead="Two places may be known: where the patient lives and where the infection was caught.",
        rules=(
            ("rule-residence", "Tables by county are by residence."),
            ("rule-not-stated", "Lines without a county are counted as Not stated; it is not a county."),
            ("rule-names", "The source uses the counties of today for all years, also before the mergers of 2010."),
            ("rule-regions", "The five groups of counties in our tables are our own; their sums are set in grey."),
        ),
    ),
    Method(
        slug="serotypes",
        title="Serotypes",
        lead="The virus has four types. Most samples were not typed.",
        rules=(
            ("rule-typed", "Shares of serotypes are shares of the cases whose serotype is known."),
            ("rule-blank", "Untyped cases are left out of such shares, above and below the line."),
        ),
    ),
    Method(
        slug="ages",
        title="Age groups",
        lead="The source gives groups of age, not years of age.",
        rules=(
            ("rule-single", "Below five each year is a group of its own; from five on, groups span five years."),
            ("rule-open", "The last group, 70+, has no upper end."),
        ),
    ),
)
