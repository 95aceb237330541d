"""Texts without figures of their own: background to each decade, terms, corrections. Written for this portal."""

DECADES = {
    1880: "The index begins here because from 1880 on there were enough thermometers, on land and on ships, to make an "
    "average of the globe worth the name. Most of them stood in Europe and North America. Krakatoa, in the Sunda "
    "Strait, erupted in August 1883.",
    1890: "Whole continents are still represented by a handful of coastal stations. What looks like a restless decade "
    "is partly the thin cover: a mean of few stations swings more than a mean of many.",
    1900: "Santa María in Guatemala erupted in October 1902. Ships measured the sea by hauling up a bucket, and the "
    "water cooled a little before the thermometer was read. Both editions correct for it.",
    1910: "Novarupta in Alaska erupted in June 1912. From 1914 to 1918 the war thinned out the reports from ships, and "
    "the months of those years rest on fewer readings than those before.",
    1920: "A quiet decade for volcanoes that reach the stratosphere. The number of stations in Asia and South America "
    "grows, and the months keep closer together than in the two decades before.",
    1930: "The summers of the American dust bowl belong to this decade. They covered a small part of the planet, and "
    "it is worth looking for them in the picture: a national heat wave is not a global one.",
    1940: "During the war engine intakes took over from buckets as the usual way of taking the temperature of the sea, "
    "and afterwards buckets came back. The corrections for that are larger here than anywhere else in the record.",
    1950: "The International Geophysical Year, July 1957 to December 1958, brought permanent stations to Antarctica, "
    "and in March 1958 the first measurement of carbon dioxide at Mauna Loa.",
    1960: "Agung on Bali erupted in the spring of 1963 and put a veil of sulphate into the stratosphere. The years "
    "after it are among the few of the century that can be picked out by eye.",
    1970: "Long La Niña episodes cooled the tropical Pacific in the middle of the decade. Towards its end a rise "
    "begins: every decade after it is warmer than the one before.",
    1980: "El Chichón in Mexico erupted in the spring of 1982, and a strong El Niño followed within the year. The two "
    "pull in opposite directions, and the months show it.",
    1990: "Pinatubo in the Philippines erupted in June 1991; its cooling is the deepest dip of the decade. The El Niño "
    "of 1997 and 1998 is its highest point.",
    2000: "The decade became known for a pause that was discussed at length. On this page it is ten years like others: "
    "look at the ends of the picture and at the level of its middle.",
    2010: "The El Niño of 2015 and 2016 came on top of a warmer ocean than that of 1997. No decade of the index before "
    "this one has all its months on one side of the baseline by such a margin.",
    2020: "Three winters of La Niña in a row, and then its opposite. Edition 2022 stops before the turn, edition 2023 "
    "includes it; a decade that has only begun should not be compared with whole ones.",
}  # fmt: skip
PLOT_HINT = (
    "We draw pictures because the shape is the story. Who needs a value can read it off the marks on the axes; each "
    "picture has a page of its own where it stands at full size."
)
GLOSSARY = {
    "anomaly": (
        "Anomaly",
        ("The difference between a temperature and the mean of the same place and season over a fixed span of years, "
        "the baseline. An anomaly without its baseline is not a number that can be compared."),
    ),
    "baseline": (
        "Baseline",
        ("The span of years whose mean is set to zero. Both GISS editions use 1951 to 1980, the long series uses 1901 "
        "to 2000, Dome C uses the last 1000 years of its own record. Our page on baselines says how to change from one "
        "to another."),
    ),
    "before-1950": (
        "Before 1950",
        ("Ages of ice and of the air in it are counted backwards from the year 1950. An age of 1000 is the year 950. "
        "We count years without a gap: the year 0 exists, and the year -1 is the one before it."),
    ),
    "ppm": (
        "ppm, parts per million",
        ("Molecules of a gas among a million molecules of dry air; chemists write micromoles per mole. We use it for "
        "carbon dioxide."),
    ),
    "ppb": (
        "ppb, parts per billion",
        ("Molecules among a thousand million molecules of dry air, so 1000 ppb are 1 ppm. We use it for methane and "
        "nitrous oxide."),
    ),
    "edition": (
        "Edition",
        ("A series as it was published at one time. Data centres revise the past when late reports or better "
        "corrections come in; two editions of one series differ although nobody made a mistake."),
    ),
    "revised-year": (
        "Revised year",
        ("A year whose value in the later edition differs from the earlier edition's mean of twelve months after that "
        "mean was rounded to two decimals, halves away from zero."),
    ),
    "full-year": (
        "Full year",
        "A calendar year with twelve monthly means. Only full years get a yearly mean on this portal.",
    ),
    "dry-air": (
        "Dry air",
        ("Air from which water vapour was removed before measuring, so that weather does not change the share of the "
        "other gases."),
    ),
    "deuterium": (
        "Deuterium",
        "Heavy hydrogen. Snow that falls in colder air holds less of it, which makes the ice a thermometer.",
    ),
    "gas-age": (
        "Gas age",
        ("The air in a bubble is younger than the ice around it, because the snow stays open to the air until it is "
        "pressed into ice. CO2 and temperature from one piece of a core therefore have two ages."),
    ),
    "composite": (
        "Composite",
        "A record put together from several cores, with the best dated or best preserved piece for each stretch.",
    ),
    "el-nino": (
        "El Niño and La Niña",
        "Warm and cold phases of the tropical Pacific, which lift or lower the global mean for a year or so.",
    ),
    "growth-rate": (
        "Growth rate",
        "The rise of a yearly mean over the yearly mean before it, in ppm a year.",
    ),
}  # fmt: skip
CORRECTIONS = (
    ("11 April 2024", ("A caption on the decade pages said that a yearly mean of edition 2022 is rounded before it is "
     "drawn. It is not: pictures show the mean as computed, and only the comparison of editions rounds it.")),
    ("26 March 2024", ("The picture of the long series named its base in the title. It is now in note 1, as on all "
     "other pictures of temperature.")),
    ("8 February 2024", ("A note mixed up the two laboratories on Mauna Loa. Readings of Scripps and of NOAA are now "
     "named in the title of each picture.")),
)  # fmt: skip
