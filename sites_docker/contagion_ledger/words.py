"""Texts written for this portal from general knowledge: what the diseases are, and when vaccines came."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One entry of the vaccine timeline. `when` is a year, a month and year, or a day."""

    when: str
    year: int
    disease: str
    title: str
    text: str


ABOUT = {
    "Hepatitis A": "A viral infection of the liver, carried by food, water and close contact. Adults fall more ill "
    "than children, so that reports follow outbreaks among adults. Until the 1960s it was counted together with other "
    "forms of jaundice; the sheet begins where it was counted on its own.",
    "Measles": "A virus of the airways with a rash, among the most contagious known. Before there was a vaccine nearly "
    "every child had it, in waves two or three years apart. Many cases were never seen by a doctor.",
    "Mumps": "A virus that swells the glands before the ears. Few states counted it before the late 1960s, when it "
    "became reportable in the whole country.",
    "Pertussis": "Whooping cough, a bacterial infection of the airways, most dangerous to infants. The sheet has a gap "
    "of eighteen years, for which the source holds no state counts.",
    "Polio": "Poliomyelitis, a virus that can attack the nerves of movement. Cases came in late summer, which is why "
    "the weeks in which a state reported matter more here than elsewhere.",
    "Rubella": "German measles, a mild rash in children and a danger to the unborn. Reporting was thin in its last "
    "years: more than a quarter of the lines of this sheet hold no report.",
    "Smallpox": "Variola, the only human disease that was ended everywhere. In the United States most cases after 1928 "
    "were of the milder form.",
}
EVENTS = (
    Event(
        when="1914", year=1914, disease="Pertussis", title="First whole-cell pertussis vaccine",
        text="A vaccine of killed bacteria is licensed. Few children get it before the 1940s.",
    ),
    Event(
        when="1948", year=1948, disease="Pertussis", title="Combined DTP vaccine",
        text="Pertussis vaccine is combined with those against diphtheria and tetanus, and becomes routine.",
    ),
    Event(
        when="1949", year=1949, disease="Smallpox", title="Last outbreak in the country",
        text="The last outbreak in the United States ends in Texas. Reports after this year are of suspected cases.",
    ),
    Event(
        when="12 April 1955", year=1955, disease="Polio", title="Inactivated polio vaccine",
        text="The result of the 1954 field trial is made public, and the vaccine is licensed on the same day.",
    ),
    Event(
        when="1963", year=1963, disease="Polio", title="Trivalent oral polio vaccine",
        text="One oral vaccine against all three types takes the place of the three that were licensed from 1961.",
    ),
    Event(
        when="21 March 1963", year=1963, disease="Measles", title="First measles vaccines",
        text="A live and an inactivated vaccine are licensed. A further weakened live one follows in 1968.",
    ),
    Event(
        when="December 1967", year=1967, disease="Mumps", title="Live mumps vaccine",
        text="Licensed at the end of the year; recommended for all children ten years later.",
    ),
    Event(
        when="June 1969", year=1969, disease="Rubella", title="First rubella vaccines",
        text="Licensed after the epidemic of 1964 and 1965, which the sheet does not hold.",
    ),
    Event(
        when="1971", year=1971, disease="Measles", title="Combined MMR vaccine",
        text="Measles, mumps and rubella in one injection.",
    ),
    Event(
        when="1972", year=1972, disease="Smallpox", title="Routine vaccination ends",
        text="Children in the United States are no longer vaccinated against smallpox.",
    ),
    Event(
        when="1989", year=1989, disease="Measles", title="A second dose",
        text="After outbreaks among schoolchildren a second dose of MMR is recommended.",
    ),
    Event(
        when="February 1995", year=1995, disease="Hepatitis A", title="First hepatitis A vaccine",
        text="Licensed for those at risk; from 1999 for children in states with high rates, from 2006 for all.",
    ),
)  # fmt: skip
