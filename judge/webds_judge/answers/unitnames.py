"""The spellings of units, each with what it may stand for as ((unit of pint, exponent), ...). Data only."""

type Unit = tuple[tuple[str, int], ...]

_PREFIXES = {"n": "nano", "µ": "micro", "u": "micro", "m": "milli", "c": "centi", "d": "deci", "h": "hecto"}
_PREFIXES |= {"k": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta"}
_PREFIXED = {
    "m": ("meter", "nµumcdhkM"), "g": ("gram", "nµumckMG"), "L": ("liter", "µumcdhk"), "l": ("liter", "µumcdhk"),
    "s": ("second", "nµum"), "W": ("watt", "mkMGT"), "Wh": ("watt_hour", "mkMGTP"), "J": ("joule", "mkMGTP"),
    "V": ("volt", "mkM"), "A": ("ampere", "µmk"), "Hz": ("hertz", "kMGT"), "Pa": ("pascal", "hkMG"),
    "N": ("newton", "kM"), "B": ("byte", "kMGTP"), "b": ("bit", "kMGT"), "bit": ("bit", "kMGT"), "bps": ("", "kMGT"),
    "bar": ("bar", "m"), "eV": ("electron_volt", "kMGT"), "cal": ("calorie", "k"), "t": ("metric_ton", "kMG"),
    "K": ("kelvin", "m"), "mol": ("mole", "mµ"), "Ω": ("ohm", "kM"), "F": ("degree_Fahrenheit", ""),
}  # fmt: skip
_PLAIN = {
    "C": "degree_Celsius", "°C": "degree_Celsius", "°F": "degree_Fahrenheit", "°K": "kelvin", "ha": "hectare",
    "h": "hour", "d": "day", "min": "minute", "hr": "hour", "hrs": "hour", "mi": "mile", "yd": "yard", "ft": "foot",
    "'": "foot", "′": "foot", '"': "inch", "″": "inch", "′′": "inch", "''": "inch", "in": "inch", "lb": "pound",
    "lbs": "pound", "gal": "gallon", "qt": "quart", "hp": "horsepower", "PS": "metric_horsepower",
    "nmi": "nautical_mile", "NM": "nautical_mile", "kn": "knot", "kt": "knot", "kts": "knot", "atm": "atmosphere",
    "psi": "psi", "ppm": "ppm", "ppb": "ppb", "mmHg": "mmHg", "rpm": "rpm", "KiB": "kibibyte", "MiB": "mebibyte",
    "GiB": "gibibyte",
    "TiB": "tebibyte", "KB": "kilobyte", "ac": "acre", "cc": "milliliter", "kcal": "kilocalorie", "bbl": "oil_barrel",
    "wk": "week", "wks": "week", "mo": "month", "yr": "year", "yrs": "year", "y": "year", "a": "are", "st": "stone",
    "msec": "millisecond", "sec": "second", "secs": "second", "mins": "minute", "kilo": "kilogram", "kilos": "kilogram",
    "Bq": "becquerel", "Sv": "sievert", "mSv": "millisievert", "dB": "decibel", "ly": "light_year", "au": "au",
    "AU": "au", "sqm": "", "BTU": "british_thermal_unit", "Btu": "british_thermal_unit", "ct": "carat", "pc": "parsec",
}  # fmt: skip
_COMPOUND: dict[str, Unit] = {
    "mph": (("mile", 1), ("hour", -1)), "kph": (("kilometer", 1), ("hour", -1)),
    "kmh": (("kilometer", 1), ("hour", -1)),
    "kmph": (("kilometer", 1), ("hour", -1)), "mpg": (("mile", 1), ("gallon", -1)),
    "sqm": (("meter", 2),), "sqkm": (("kilometer", 2),), "sqft": (("foot", 2),), "sqmi": (("mile", 2),),
    "bps": (("bit", 1), ("second", -1)), "kbps": (("kilobit", 1), ("second", -1)), "fps": (("foot", 1), ("second", -1)),
    "Mbps": (("megabit", 1), ("second", -1)), "Gbps": (("gigabit", 1), ("second", -1)),
}  # fmt: skip
_WORDS = {
    "meter metre": "meter", "gram gramme": "gram", "liter litre": "liter", "second": "second", "watt": "watt",
    "joule": "joule", "volt": "volt", "amp ampere": "ampere", "hertz": "hertz", "pascal": "pascal", "newton": "newton",
    "byte": "byte", "bit": "bit", "calorie": "calorie", "electronvolt": "electron_volt", "watthour": "watt_hour",
    "watt-hour": "watt_hour", "ton tonne": "metric_ton",
}  # fmt: skip
_LONE_WORDS = {
    "mile": "mile", "yard": "yard", "foot feet": "foot", "inch inches": "inch", "acre": "acre", "hectare": "hectare",
    "pound": "pound", "stone": "stone", "knot": "knot", "minute": "minute", "hour": "hour", "day": "day",
    "week": "week", "month": "month", "year": "year", "decade": "decade", "century centuries": "century",
    "fortnight": "fortnight", "kelvin": "kelvin", "celsius centigrade": "degree_Celsius", "carat": "carat",
    "fahrenheit": "degree_Fahrenheit", "horsepower": "horsepower", "atmosphere": "atmosphere", "quart": "quart",
    "millibar": "millibar", "bar": "bar", "decibel": "decibel", "parsec": "parsec", "mole": "mole", "ohm": "ohm",
    "fathom": "fathom", "furlong": "furlong", "micron": "micron", "tonne": "metric_ton", "kilo": "kilogram",
    "kibibyte": "kibibyte", "mebibyte": "mebibyte", "gibibyte": "gibibyte", "msec": "millisecond", "mil": "",
    "sekunde sekunden": "second", "minuten": "minute", "stunde stunden heure heures hora horas": "hour",
    "tag tage jour jours": "day", "kilometre": "kilometer", "sievert": "sievert", "becquerel": "becquerel",
}  # fmt: skip
_SHARED: dict[str, tuple[str, ...]] = {
    "ton": ("metric_ton", "short_ton", "long_ton"), "tons": ("metric_ton", "short_ton", "long_ton"),
    "gallon": ("gallon", "imperial_gallon"), "gallons": ("gallon", "imperial_gallon"),
    "pint": ("pint", "imperial_pint"), "pints": ("pint", "imperial_pint"), "oz": ("ounce", "fluid_ounce"),
    "ounce": ("ounce", "fluid_ounce"), "ounces": ("ounce", "fluid_ounce"), "barrel": ("oil_barrel",),
    "barrels": ("oil_barrel",), "degree": ("degree_Celsius", "degree_Fahrenheit", "degree"),
    "calories": ("calorie", "kilocalorie"),
    "degrees": ("degree_Celsius", "degree_Fahrenheit", "degree"),
    "°": ("degree_Celsius", "degree_Fahrenheit", "degree"),
    "deg": ("degree_Celsius", "degree_Fahrenheit", "degree"), "cal": ("calorie", "kilocalorie"),
    "kt": ("knot", "kilometric_ton"),
    "m": ("meter", "minute"), "'": ("foot", "arcminute", "minute"), "mi": ("mile",),
}  # fmt: skip
_PHRASES: dict[str, str] = {
    "parts per million": "ppm", "parts per billion": "ppb", "mm hg": "mmHg", "metric ton": "metric_ton",
    "metric tons": "metric_ton", "metric tonne": "metric_ton",
    "metric tonnes": "metric_ton",
    "short ton": "short_ton", "short tons": "short_ton", "long ton": "long_ton", "long tons": "long_ton",
    "us ton": "short_ton", "us tons": "short_ton", "imperial ton": "long_ton", "imperial tons": "long_ton",
    "nautical mile": "nautical_mile", "nautical miles": "nautical_mile", "statute miles": "mile",
    "degrees celsius": "degree_Celsius", "degree celsius": "degree_Celsius", "degrees centigrade": "degree_Celsius",
    "degrees fahrenheit": "degree_Fahrenheit", "degree fahrenheit": "degree_Fahrenheit", "degrees c": "degree_Celsius",
    "degrees f": "degree_Fahrenheit", "deg c": "degree_Celsius", "deg f": "degree_Fahrenheit", "° c": "degree_Celsius",
    "° f": "degree_Fahrenheit", "degrees kelvin": "kelvin", "light years": "light_year", "light year": "light_year",
    "light-years": "light_year", "light-year": "light_year", "us gallons": "gallon", "us gallon": "gallon",
    "imperial gallons": "imperial_gallon", "imperial gallon": "imperial_gallon", "uk gallons": "imperial_gallon",
    "us gal": "gallon", "fluid ounce": "fluid_ounce", "fluid ounces": "fluid_ounce", "fl oz": "fluid_ounce",
    "fl. oz": "fluid_ounce", "troy ounces": "troy_ounce", "troy ounce": "troy_ounce", "watt hours": "watt_hour",
    "watt-hours": "watt_hour", "kilowatt hours": "kilowatt_hour", "kilowatt hour": "kilowatt_hour",
    "kilowatt-hours": "kilowatt_hour", "kilowatt-hour": "kilowatt_hour", "megawatt hours": "megawatt_hour",
    "megawatt-hours": "megawatt_hour", "gigawatt hours": "gigawatt_hour", "gigawatt-hours": "gigawatt_hour",
    "terawatt hours": "terawatt_hour", "terawatt-hours": "terawatt_hour", "kw h": "kilowatt_hour",
    "astronomical units": "au", "astronomical unit": "au", "us pints": "pint", "oil barrels": "oil_barrel",
}  # fmt: skip


def _symbols() -> dict[str, tuple[Unit, ...]]:
    out: dict[str, tuple[Unit, ...]] = {}
    for symbol, (name, prefixes) in _PREFIXED.items():
        if name:
            out[symbol] = (((name, 1),),)
            out |= {prefix + symbol: (((_PREFIXES[prefix] + name, 1),),) for prefix in prefixes}
    out |= {symbol: (((name, 1),),) for symbol, name in _PLAIN.items() if name}
    out |= {symbol: (unit,) for symbol, unit in _COMPOUND.items()}
    return out | {symbol: tuple(((name, 1),) for name in names) for symbol, names in _SHARED.items()}


def _words() -> dict[str, tuple[Unit, ...]]:
    out: dict[str, tuple[Unit, ...]] = {}
    for names, unit in _WORDS.items():
        for word in names.split():
            for prefix in ("", *_PREFIXES.values()):
                out |= dict.fromkeys((prefix + word, f"{prefix}{word}s"), (((prefix + unit, 1),),))
    for names, unit in _LONE_WORDS.items():
        for word in names.split():
            out |= {form: (((unit, 1),),) for form in (word, f"{word}s") if unit}
    return out | {word: tuple(((name, 1),) for name in names) for word, names in _SHARED.items() if len(word) > 1}


SYMBOLS = _symbols()
"""By exact case."""
WORDS = _words()
"""By lower case."""
PHRASES: dict[str, Unit] = {phrase: ((name, 1),) for phrase, name in _PHRASES.items()}
"""Several words, by lower case."""
