"""Reads JSON of prof whose sentences have placeholders, {n1}, in place of names of the report."""
import json
import re


def fill_in(value, names):
    if isinstance(value, str):
        return re.sub(r"\{(n\d+)\}", lambda found: names[found[1]]["text"], value)
    if isinstance(value, list):
        return [fill_in(each, names) for each in value]
    if isinstance(value, dict):
        return {key: fill_in(each, names) for key, each in value.items() if key != "names"}
    return value


def with_names(text):
    """The document, with the names in its sentences."""
    document = json.loads(text)
    return fill_in(document, document["names"])
