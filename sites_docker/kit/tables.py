"""A site's Parquet files as DuckDB tables: read only, one connection a thread."""

import threading
from pathlib import Path
from typing import Any

import duckdb


class Tables:
    """Every data/*.parquet of a site under its file name. Safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the site's; its tables are read into memory, and nothing outside can be reached after that."""
        self._base = duckdb.connect(config={"threads": 1})
        for file in sorted((folder / "data").glob("*.parquet")):
            self._base.read_parquet(str(file)).create(file.stem)
        self._base.execute("SET enable_external_access = false")
        self._base.execute("SET lock_configuration = true")
        self._own = threading.local()
        self._opening = threading.Lock()

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """All rows of a SELECT, `?` filled from `values`; unordered without ORDER BY. ValueError for anything else."""
        found = getattr(self._own, "cursor", None)
        if found is None:
            with self._opening:
                found = self._own.cursor = self._base.cursor()
        statements = found.extract_statements(sql)
        if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
            raise ValueError(f"not one SELECT: {sql}")
        rows: list[tuple[Any, ...]] = found.execute(statements[0], values).fetchall()
        return rows

    def one(self, sql: str, *values: Any) -> Any:
        """The only value of a SELECT of one row and one column. LookupError otherwise."""
        rows = self.rows(sql, *values)
        if len(rows) != 1 or len(rows[0]) != 1:
            raise LookupError(f"{len(rows)} rows: {sql}")
        return rows[0][0]

    def dicts(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """Rows by column name."""
        rows = self.rows(sql, *values)
        assert self._own.cursor.description is not None
        names = [column[0] for column in self._own.cursor.description]
        return [dict(zip(names, row, strict=True)) for row in rows]
