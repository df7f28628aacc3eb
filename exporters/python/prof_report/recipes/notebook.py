"""The notebook beside a recipe's results."""

from typing import Any, Dict, Sequence

_IMPORTS = """\
import pandas as pd
from IPython.display import display
try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None"""

_SHOW = """\
table = pd.read_parquet({file!r})
display(table)
numbers = table.select_dtypes("number").drop(columns=["Rank"], errors="ignore")
if plt and len(numbers.columns):
    numbers.head(50).plot(subplots=True, figsize=(12, 2 * len(numbers.columns)), title={file!r})
    plt.show()"""


def notebook(title: str, tables: Sequence[str]) -> Dict[str, Any]:
    """A notebook that shows each of the Parquet files as a table, and its numbers as curves."""
    cells = [{"cell_type": "markdown", "id": "title", "metadata": {}, "source": f"# {title}"}]
    sources = [_IMPORTS, *(_SHOW.format(file=table) for table in tables)]
    cells += [{"cell_type": "code", "id": f"cell-{at}", "metadata": {}, "execution_count": None, "outputs": [],
               "source": source} for at, source in enumerate(sources)]
    return {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
