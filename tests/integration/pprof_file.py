"""Reads pprof profiles, as far as the tests need them."""
import gzip
from collections import namedtuple
from pathlib import Path

# names of functions, files and line numbers, innermost first; several if functions are inlined
Location = namedtuple("Location", "address mapping lines")
Sample = namedtuple("Sample", "locations values")


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """(number, int or bytes) of each field of a message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def numbers(data):
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


class PprofFile:
    def __init__(self, path):
        parts = {}
        for number, value in fields(gzip.decompress(Path(path).read_bytes())):
            parts.setdefault(number, []).append(value)
        texts = [text.decode() for text in parts[6]]
        functions = {}
        for function in map(dict, map(fields, parts[5])):
            functions[function[1]] = texts[function[2]], texts[function.get(4, 0)]
        self.locations = {}
        for message in parts[4]:
            location = dict(fields(message))
            lines = [dict(fields(value)) for number, value in fields(message) if number == 4]
            self.locations[location[1]] = Location(location.get(3, 0), location.get(2, 0),
                                                   [(*functions[line[1]], line.get(2, 0)) for line in lines])
        self.samples = []
        for sample in parts[2]:
            sample = dict(field for field in fields(sample) if field[0] < 3)
            self.samples.append(Sample([self.locations[each] for each in numbers(sample[1])], list(numbers(sample[2]))))
