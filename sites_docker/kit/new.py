"""Start a site: the skeleton in this folder, with placeholder rows, that serves and passes its crawl test."""

import re
import uuid
from pathlib import Path

from sites_docker.kit.extract import Table, block, write_parquet

SKELETON = Path(__file__).parent / "skeleton"
ROWS = 30


def new_site(root: Path, name: str, title: str, number: int, domain: str) -> list[Path]:
    """Write sites_docker/<folder>/ and tests/sites/test_<folder>.py; the files written, in order.

    ValueError for a name that is no host label, or a title or domain that is not one line of text;
    FileExistsError where the site or its test is there already.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise ValueError(f"name: {name!r}; wanted small letters, digits and single -, beginning with a letter")
    for field, said in (("title", title), ("domain", domain)):
        if not said.strip() or not said.isprintable():
            raise ValueError(f"{field}: {said!r:.80}; wanted one line of text")
    folder = name.replace("-", "_")
    site, test = root / "sites_docker" / folder, root / "tests" / "sites" / f"test_{folder}.py"
    for path in (site, test):
        if path.exists():
            raise FileExistsError(str(path.relative_to(root)))
    words = {
        "@NAME@": name,
        "@TITLE@": title,
        "@FOLDER@": folder,
        "@NUMBER@": str(number),
        "@DOMAIN@": domain,
        "@PACKAGE@": folder,
        "@CANARY@": str(uuid.uuid4()),
    }
    written = [_fill(file, site, SKELETON / "site", words) for file in sorted((SKELETON / "site").rglob("*.*"))]
    written.append(_placeholders(site))
    test.parent.mkdir(parents=True, exist_ok=True)
    test.write_text(_filled(SKELETON / "tests" / "test_site.py.txt", words), encoding="utf-8")
    return [*written, test]


def _filled(file: Path, words: dict[str, str]) -> str:
    """Marks stand within quotation marks of Python and TOML, which escape alike, or in a plain text."""
    text = file.read_text(encoding="utf-8")
    quoted = file.name.endswith((".py.txt", ".toml.txt"))

    def word(mark: re.Match[str]) -> str:
        said = words.get(mark[0], mark[0])
        return re.sub(r'([\\"])', r"\\\1", said) if quoted else said

    return re.sub(r"@[A-Z]+@", word, text)


def _fill(file: Path, site: Path, source: Path, words: dict[str, str]) -> Path:
    """One file of the skeleton; code lies there as .txt, because with marks in it it is not code yet."""
    out = site / str(file.relative_to(source)).removesuffix(".txt")
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(_filled(file, words), encoding="utf-8")
    return out


def _placeholders(site: Path) -> Path:
    """Thirty rows that say what they are, and their [[data]] block at the end of site.toml."""
    rows = tuple((n, f"Placeholder record {n}", n * n) for n in range(1, ROWS + 1))
    table = Table(name="records", columns=("id", "label", "value"), keys=1, rows=rows, about="placeholder rows")
    path = site / "data" / "records.parquet"
    write_parquet(table, path, {"origin": "placeholder rows"})
    with (site / "site.toml").open("a", encoding="utf-8") as file:
        file.write(block(table, site))
    return path
