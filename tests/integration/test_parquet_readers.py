"""DuckDB and pandas read from exported Parquet files what the report has."""
import importlib

import pytest
from arrow_tables import needs_package, package, rows_of, truth_archives, values_of
from profiling import unpacked

pytestmark = needs_package
parquet = pytest.importorskip("pyarrow.parquet")
ARCHIVES = truth_archives()


@pytest.mark.parametrize("name", ARCHIVES)
def test_duckdb_and_pandas_read_parquet(tmp_path, name):
    report = unpacked(tmp_path / "report.sqlite", ARCHIVES[name])
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    opened = package().open(report)
    importlib.import_module("prof_report._export").export(opened, "parquetdir", tmp_path / "out")
    for path in (tmp_path / "out").iterdir():
        types = {field.name: str(field.type) for field in parquet.read_schema(path)}
        columns, rows = rows_of(report, path.stem)
        expected = [values_of(values, types[column]) for column, values in zip(columns, zip(*rows))]
        assert duckdb.sql(f"SELECT * FROM read_parquet('{path}')").fetchall() == list(zip(*expected)), path.stem
        frame = pandas.read_parquet(path, dtype_backend="pyarrow")
        assert list(frame.columns) == columns
        assert len(frame) == len(rows)
        for column, values in zip(columns, expected):
            assert [None if value is pandas.NA else value for value in frame[column]] == values, (path.stem, column)
