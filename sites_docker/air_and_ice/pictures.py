"""Draw every picture of the site and write the record of what was drawn.

    python -m sites_docker.air_and_ice.pictures

Pictures go to static/charts, records to drawn, which no route serves. Commit both together.
"""

from pathlib import Path

from PIL import Image

from sites_docker.air_and_ice.deep_plots import deep_plots
from sites_docker.air_and_ice.plots import HEIGHT, WIDTH, all_plots
from sites_docker.air_and_ice.records import Records
from sites_docker.kit.drawing import Chart

FOLDER = Path(__file__).parent


def main() -> None:
    """Write all of them."""
    records = Records(FOLDER)
    for plot in {**all_plots(records), **deep_plots(records)}.values():
        chart = Chart(WIDTH, HEIGHT)
        plot.draw(chart)
        url = f"/static/charts/{plot.slug}.png"
        picture = FOLDER / "static" / "charts" / f"{plot.slug}.png"
        chart.save(picture, FOLDER / "drawn" / f"{plot.slug}.json", url)
        with Image.open(picture) as drawn:
            drawn.convert("RGB").save(picture, optimize=True)  # the same pixels in fewer bytes


if __name__ == "__main__":
    main()
