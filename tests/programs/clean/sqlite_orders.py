"""Writes 20,000 orders in one transaction, and reads sums of them by an index."""
import sqlite3
import sys

with sqlite3.connect(sys.argv[1]) as database:
    database.execute("BEGIN")
    database.execute("CREATE TABLE orders (customer INTEGER, cents INTEGER)")
    database.executemany("INSERT INTO orders VALUES (?, ?)", ((i % 500, i) for i in range(20_000)))
    database.execute("CREATE INDEX by_customer ON orders (customer)")
query = "SELECT sum(cents), count(*) FROM orders WHERE customer = ?"
print(sum(database.execute(query, (customer,)).fetchone()[0] for customer in range(500)))
database.close()
