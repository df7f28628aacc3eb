"""Adds up columns of numbers with NumPy, in arrays that are used again."""
import numpy

rows = numpy.linspace(0, 1, 400_000).reshape(1000, 400)
scaled = numpy.empty_like(rows)
total = 0.0
for step in range(400):
    numpy.multiply(rows, step, out=scaled)
    numpy.sqrt(scaled, out=scaled)
    numpy.add(scaled, rows, out=scaled)
    total += float(scaled.sum()) + float(scaled.max()) - float(scaled.mean())
    total += float(numpy.dot(rows[0], rows[1])) + float(rows.std())
print(round(total))
