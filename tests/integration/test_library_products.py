"""Sizes and types of matrix products of cuBLAS, with stand-ins that have the parameters of the real functions."""
import json
import subprocess

import pytest
from profiling import BUILD, Report, prof, without_samples

PRODUCTS = BUILD / "bin" / "fake_libraries" / "products" / "products"
COLUMNS = ("kind, m, n, k, batchCount, operationA, operationB, typeA, typeB, typeC, computeType, epilogue, sharedA, "
           "sharedB")


def record(tmp_path, *arguments, options=()):
    path = tmp_path / "report.db"
    done = prof("profile", "-t", "cublas", "-f", "true", "-o", path, *without_samples(options), "--", PRODUCTS, *arguments)
    assert done.returncode == 0, done.stderr
    return Report(path, done)


def computed(report):
    """The calls that compute something, in their order, as the program prints them."""
    return [list(row) for row in report.query(
        f"SELECT value, {COLUMNS} FROM CUBLAS_EVENTS JOIN StringIds ON StringIds.id = nameId "
        "JOIN PROF_MATRIX_PRODUCTS p ON p.id = productId ORDER BY start")]


@pytest.fixture(scope="module", name="report")
def make_report(tmp_path_factory):
    return record(tmp_path_factory.mktemp("products"))


def test_products_are_those_that_the_program_computes(report):
    expected = [json.loads(line) for line in report.done.stdout.splitlines()]
    assert len(expected) == 13
    assert computed(report) == expected


def test_calls_that_fail_have_no_product(report):
    """Neither have descriptors that are null or not valid, and the library is not asked about them."""
    failed = report.query("SELECT value, count(*) FROM CUBLAS_EVENTS JOIN StringIds ON StringIds.id = nameId "
                          "WHERE productId IS NULL GROUP BY 1")
    assert [tuple(row) for row in failed] == [("cublasLtMatmul", 3), ("cublasSgemm_v2", 1)]


def test_equal_products_have_one_row(tmp_path, report):
    again = record(tmp_path, "3")
    assert len(computed(again)) == 3 * len(computed(report))
    assert again.value("SELECT count(*) FROM PROF_MATRIX_PRODUCTS") == report.value("SELECT count(*) FROM PROF_MATRIX_PRODUCTS")


def test_getters_of_descriptors_are_no_calls_of_the_program(report):
    assert not report.query("SELECT 1 FROM StringIds WHERE value GLOB 'cublasLt*GetAttribute'")


@pytest.mark.parametrize("options, calls", [(("--delay=100",), 0), ((), 17)])
def test_nothing_is_recorded_outside_of_the_collection(tmp_path, options, calls):
    report = record(tmp_path, options=options)
    assert report.done.returncode == 0
    found = report.value("SELECT count(*) FROM CUBLAS_EVENTS") if "CUBLAS_EVENTS" in report.tables() else 0
    assert found == calls


def test_output_is_the_same_without_prof(report):
    plain = subprocess.run([PRODUCTS], stdout=subprocess.PIPE, text=True, check=True)
    assert report.done.stdout == plain.stdout
