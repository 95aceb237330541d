"""What the oracle hands in: answers, tables, pictures and reports made from the references of a key."""

import json
from collections.abc import Mapping

from webds.types import Json, Params


def written(reference: Json) -> str:
    """A reference as a person would type it."""
    if isinstance(reference, Mapping):
        options = reference.get("any_of")
        if isinstance(options, list | tuple):
            return written(options[0])
        return written(reference.get("value", reference.get("min")))
    if isinstance(reference, bool):
        return "yes" if reference else "no"
    if isinstance(reference, list | tuple):
        return json.dumps([written(item) for item in reference])
    return str(reference)


def table_code(params: Params) -> str:
    """Python that writes the CSV file of a `csv_file` check."""
    return _write(str(params["file"]), str(params["reference"]))


def report_code(params: Params) -> str:
    """Python that writes the report of a `report` check: one line for each required number, with its unit."""
    required = params.get("required")
    rows = required if isinstance(required, list | tuple) else ()
    lines = [_line(row) for row in rows if isinstance(row, Mapping)]
    name = str(params["file"])
    if name.lower().endswith((".html", ".htm")):
        return _write(name, "<h1>Report</h1>\n" + "\n".join(f"<p>{line}</p>" for line in lines) + "\n")
    return _write(name, "# Report\n\n" + "\n\n".join(lines) + "\n")


def picture_code(params: Params) -> str:
    """Python that draws the file of a `picture` check, from the columns of its side CSV where it has one.

    The side CSV must be in the work folder already, which the order of the key's checks sees to.
    """
    size = (params.get("min_width", 640), params.get("min_height", 480))
    side = str(params.get("side", ""))
    return (
        "import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\nimport pandas as pd\n"
        f"_side = {side!r}\n"
        "_table = pd.read_csv(_side) if _side else pd.DataFrame({'value': [1, 3, 2]})\n"
        f"_figure, _axes = plt.subplots(figsize=({size[0]} / 100 + 1, {size[1]} / 100 + 1), dpi=100)\n"
        "_table.select_dtypes('number').plot(ax=_axes, marker='o')\n"
        f"_figure.savefig({str(params['file'])!r}, dpi=100)\nplt.close(_figure)"
    )


def _line(row: Mapping[str, Json]) -> str:
    near = row.get("near")
    label = str(near[0]) if isinstance(near, list | tuple) and near else str(row["name"])
    value, unit = written(row["reference"]), written(row.get("unit", ""))
    if row.get("type") == "percent" and not value.endswith("%"):
        value += "%"
    return f"{label}: {value} {unit}".strip() + "."


def _write(name: str, text: str) -> str:
    return f"open({name!r}, 'w', encoding='utf-8', newline='').write({text!r})"
