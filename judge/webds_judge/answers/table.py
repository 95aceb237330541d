"""Types `table` and `csv`: rule 9. Row by row under a header mapping; column and row order are free, pairing is not."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from decimal import Decimal

from webds.errors import InputFault
from webds.types import Json
from webds_judge.answers import grids
from webds_judge.answers.cells import EXACT, Slack, is_missing, number_in, reference_text, same_cell
from webds_judge.answers.grids import Grid, NoTable
from webds_judge.answers.matching import unmatched
from webds_judge.answers.names import folded
from webds_judge.answers.payload import unwrap
from webds_judge.answers.references import exact
from webds_judge.answers.result import Compared, compared

type Row = tuple[str, ...]


def compare(reference: Json, candidate: str) -> Compared:
    """Whether the table in the text has the reference's rows."""
    wanted = parse(reference)
    try:
        found = grids.read(unwrap(candidate))
    except NoTable as error:
        return compared(False, f"no table: {error}", None, wanted)
    return compare_grids(wanted, found)


def sample(reference: Json) -> str:
    """A candidate that the comparator must accept for this reference."""
    wanted = parse(reference)
    quoted = [['"' + cell.replace('"', '""') + '"' for cell in row] for row in (wanted.columns, *wanted.rows)]
    return "\n".join(",".join(row) for row in quoted)


def parse(reference: Json) -> Grid:
    """A reference: CSV text, or {"columns": [...], "rows": [[...]]} with null for a missing cell."""
    if isinstance(reference, str):
        try:
            return _distinct(grids.of_csv(reference))
        except NoTable as error:
            raise InputFault(f"reference: {error}") from error
    if not isinstance(reference, Mapping) or set(reference) != {"columns", "rows"}:
        raise InputFault("reference: a table is CSV text, or columns and rows")
    columns, rows = reference["columns"], reference["rows"]
    if not isinstance(columns, list | tuple) or not isinstance(rows, list | tuple):
        raise InputFault("reference: columns and rows are lists")
    out = []
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, list | tuple) or len(row) != len(columns):
            raise InputFault(f"reference: row {number} does not have {len(columns)} cells")
        out.append(tuple(reference_text(cell) for cell in row))
    return _distinct(Grid(tuple(map(reference_text, columns)), tuple(out)))


def _distinct(grid: Grid) -> Grid:
    if len({_name(c) for c in grid.columns}) < len(grid.columns):
        raise InputFault("reference: two columns of one name")
    return grid


def _name(column: str) -> str:
    return " ".join(column.casefold().split())


def slack_by_column(columns: tuple[str, ...], absolute: Json, relative: Json) -> tuple[Slack, ...]:
    """Tolerances of the columns: one number for all, or a mapping by column name. InputFault for an unknown column."""
    given = [_per_column(columns, value, field) for value, field in ((absolute, "abs_tol"), (relative, "rel_tol"))]
    return tuple(Slack(a, r) for a, r in zip(*given, strict=True))


def _per_column(columns: tuple[str, ...], value: Json, field: str) -> list[Decimal | None]:
    if value is None:
        return [None] * len(columns)
    if not isinstance(value, Mapping):
        return [exact(value, field)] * len(columns)
    names = {_name(c) for c in columns}
    for name in value:
        if _name(name) not in names:
            raise InputFault(f"field {field}: unknown column {name!r}; known: {', '.join(columns)}")
    stated = {_name(k): exact(v, f"{field}.{k}") for k, v in value.items()}
    return [stated.get(_name(c)) for c in columns]


def compare_grids(
    wanted: Grid, found: Grid, slack: tuple[Slack, ...] = (), key_columns: tuple[str, ...] = ()
) -> Compared:
    """Compare `found` with `wanted`; `slack` and `key_columns` go by the reference's columns."""
    order, why = _column_order(wanted, found)
    if why:
        return compared(False, why, found, wanted)
    rows = [tuple(row[i] for i in order) for row in found.rows]
    if len(rows) != len(wanted.rows):
        return compared(False, f"{len(rows)} rows where {len(wanted.rows)} are expected", found, wanted)
    slack = slack or (EXACT,) * len(wanted.columns)
    why = _rows_differ(wanted, rows, slack, key_places(wanted, key_columns))
    return compared(not why, why or f"the same {len(rows)} rows", found, wanted)


def _column_order(wanted: Grid, found: Grid) -> tuple[list[int], str]:
    """For each reference column its place in the candidate; or why there is none."""
    names = [_name(c) for c in found.columns]
    repeated = next((name for name, count in Counter(names).items() if count > 1), None)
    if repeated is not None:
        return [], f"column {repeated[:60]!r} stands twice"
    missing = [c for c in wanted.columns if _name(c) not in names]
    if missing:
        return [], f"column {missing[0][:60]!r} is missing"
    extra = set(names) - {_name(c) for c in wanted.columns}
    if extra:
        return [], f"column {min(extra)[:60]!r} is not expected"
    return [names.index(_name(c)) for c in wanted.columns], ""


def key_places(wanted: Grid, key_columns: tuple[str, ...]) -> list[int]:
    """Columns that say which row is which: those named, else every column without numbers."""
    if key_columns:
        names = [_name(c) for c in wanted.columns]
        unknown = [c for c in key_columns if _name(c) not in names]
        if unknown:
            raise InputFault(f"field key_columns: unknown column {unknown[0]!r}; known: {', '.join(wanted.columns)}")
        return [names.index(_name(c)) for c in key_columns]
    return [i for i in range(len(wanted.columns)) if all(number_in(row[i]) is None for row in wanted.rows)]


def _bucket(row: Row, keys: list[int]) -> tuple[str, ...]:
    return tuple(_canonical(row[i]) for i in keys)


def _canonical(cell: str) -> str:
    if is_missing(cell):
        return ""
    number = number_in(cell)
    if number is not None:
        return format(number[0].normalize(), "f") if abs(number[0].adjusted()) < 40 else str(number[0])
    return min(folded(cell), key=lambda form: (len(form), form), default=cell)


def _rows_differ(wanted: Grid, rows: list[Row], slack: tuple[Slack, ...], keys: list[int]) -> str:
    """The first difference in words, or ""."""

    def same(ours: Row, theirs: Row) -> bool:
        return all(same_cell(a, b, s) for a, b, s in zip(ours, theirs, slack, strict=True))

    buckets: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        buckets[_bucket(row, keys)].append(row)
    expected: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in wanted.rows:
        expected[_bucket(row, keys)].append(row)
    extra: list[Row] = []
    missing: list[Row] = []
    for key, group in expected.items():
        lost, unmet = unmatched(buckets.pop(key, []), group, same)
        extra += lost
        missing += unmet
    extra += [row for group in buckets.values() for row in group]
    if len(extra) <= len(missing) <= 50:
        extra, missing = unmatched(extra, missing, same)  # spellings that fell into other buckets
    if not missing:
        return ""
    return _named_difference(wanted, extra, missing[0], slack, keys)


def _named_difference(wanted: Grid, extra: list[Row], missing: Row, slack: tuple[Slack, ...], keys: list[int]) -> str:
    """The cell that differs, where the row can be told by its keys."""
    near = [row for row in extra if keys and _bucket(row, keys) == _bucket(missing, keys)]
    label = ", ".join(missing[i][:40] for i in keys) or ", ".join(cell[:40] for cell in missing[:3])
    if near:
        for name, ours, theirs, s in zip(wanted.columns, near[0], missing, slack, strict=True):
            if not same_cell(ours, theirs, s):
                return f"row ({label}), column {name[:60]!r}: {ours[:60]!r} is not {theirs[:60]!r}"
    return f"row ({label}) is missing or differs"
