"""Recipes that nsys does not have: the reports, the clocks and the speeds of a job's ranks."""

import argparse
import re
from typing import Any, Dict, List, Optional, Set

import pandas

from .._report import Report, open_report
from . import events
from .recipe import Parts, Recipe

_INCOMPLETE = re.compile("dropped|lost|incomplete|damaged|missing")
_WARNING = 2  # ENUM_DIAGNOSTIC_SEVERITY_LEVEL
_ENDS_TOGETHER = ("ncclDevKernel_AllReduce", "ncclDevKernel_AllGather", "ncclDevKernel_ReduceScatter")


def _rank(report: Report) -> Dict[str, Optional[int]]:
    """The rank of the report's process in its job, and the number of ranks, if the report has them."""
    ranks = events.read(report, "PROF_RANKS", ["rank", "size", "precedence"])
    ranks = None if ranks is None else ranks[ranks["precedence"] == 0].drop_duplicates("rank")
    if ranks is None or len(ranks) != 1:
        return {"Job Rank": None, "Job Size": None}
    size = ranks["size"].iloc[0]
    return {"Job Rank": int(ranks["rank"].iloc[0]), "Job Size": None if pandas.isna(size) else int(size)}


class Missing(Recipe):
    """Ranks without a report, and reports that are damaged or incomplete"""

    @staticmethod
    def mapper_func(report_path: str, parsed_args: argparse.Namespace) -> Dict[str, Any]:
        report = open_report(report_path)
        notes = events.read(report, "DIAGNOSTIC_EVENT", ["severity", "text"])
        warnings = [] if notes is None else notes[notes["severity"] >= _WARNING]["text"].dropna()
        texts = [text for text in warnings if _INCOMPLETE.search(text)]
        return {"File": report_path, **_rank(report), "Status": "incomplete" if texts else "complete",
                "Notes": "\n".join(texts) or None}

    def run(self, context: Any) -> None:
        super().run(context)
        found = context.map(self.mapper_func, context.paths, parsed_args=self._parsed_args)
        rows: List[Dict[str, Any]] = [row for row in found if row is not None]
        rows += [{"File": failure.path, "Job Rank": None, "Job Size": None, "Status": "unreadable",
                  "Notes": failure.reason} for failure in context.failures]
        ranks: Set[int] = {row["Job Rank"] for row in rows if row["Job Rank"] is not None}
        size = max((row["Job Size"] for row in rows if row["Job Size"] is not None), default=0)
        rows += [{"File": None, "Job Rank": rank, "Job Size": size, "Status": "missing", "Notes": None}
                 for rank in range(size) if rank not in ranks]
        table = pandas.DataFrame(rows).astype({"Job Rank": "Int64", "Job Size": "Int64"})
        self.write("analysis", table)


class ClockMap(Recipe):
    """How the clocks of the reports differ, by UTC, by the machine's clock, and by the ends of collectives"""

    def map(self, report: Report, args: argparse.Namespace) -> Dict[str, Any]:
        clocks = events.read(report, "PROF_CLOCKS",
                             ["time", "monotonicRaw", "ntpMaxError", "isSynchronized", "bootId", "namespaceShift"])
        first = None if clocks is None else clocks.iloc[0]
        kernels = events.read(report, events.KERNELS, ["start", "end", "shortName"], args, names=True)
        ends = None
        if kernels is not None:
            names = kernels["shortName"].astype(str)
            chosen = kernels[names.str.startswith(_ENDS_TOGETHER)].sort_values("start")
            ends = pandas.DataFrame({"name": names[chosen.index], "end": chosen["end"]}).reset_index(drop=True)
        return {**_rank(report), "utc": events.session_start(report), "ends": ends,
                "boot": None if first is None else first["bootId"],
                "raw": None if first is None else int(first["monotonicRaw"] - first["time"] - first["namespaceShift"]),
                "NTP Max Error": None if first is None else int(first["ntpMaxError"]),
                "Synchronized": None if first is None else bool(first["isSynchronized"])}

    def reduce(self, parts: Parts, args: argparse.Namespace) -> pandas.DataFrame:
        found = [part for _, part in parts]
        first = found[0]
        rows = []
        for rank, part in enumerate(found):
            shift = part["utc"] - first["utc"]
            same = part["boot"] is not None and part["boot"] == first["boot"]
            rows.append({"Rank": rank, "Job Rank": part["Job Rank"], "UTC Offset": shift,
                         "Clock Offset": part["raw"] - first["raw"] if same else None,
                         "NTP Max Error": part["NTP Max Error"], "Synchronized": part["Synchronized"],
                         **_end_differences(first["ends"], part["ends"], shift)})
        kinds = {name: "Int64" for name in ("Job Rank", "Clock Offset", "NTP Max Error", "Collectives")}
        return pandas.DataFrame(rows).astype({**kinds, "Synchronized": "boolean"}).set_index("Rank")


def _end_differences(first: Optional[pandas.DataFrame], other: Optional[pandas.DataFrame],
                     shift: int) -> Dict[str, Any]:
    """How much later collectives end here than on the first rank, if both have the same sequence of them."""
    if first is None or other is None or not len(first) or first["name"].to_list() != other["name"].to_list():
        return {"Collectives": 0, "End Difference": float("nan"), "End Spread": float("nan")}
    late = other["end"] + shift - first["end"]
    return {"Collectives": len(late), "End Difference": float(late.median()),
            "End Spread": float(late.quantile(0.75) - late.quantile(0.25))}


class RankSpeed(Recipe):
    """Which GPU is slow: the same kernels with the same grids, compared with the fastest rank"""

    def map(self, report: Report, args: argparse.Namespace) -> Optional[pandas.DataFrame]:
        sizes = ["gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ"]
        kernels = events.read(report, events.KERNELS, ["start", "end", "shortName", *sizes], args, names=True)
        if kernels is None:
            return None
        kernels["Name"] = kernels["shortName"].astype(str)
        kernels = kernels[~kernels["Name"].str.startswith("nccl")]  # they wait for other ranks
        if not len(kernels):
            return None
        kernels["Duration"] = kernels["end"] - kernels["start"]
        groups = kernels.groupby(["Name", *sizes])["Duration"]
        found = groups.agg(Count="count", Median="median", Sum="sum").reset_index()
        for name, columns in (("Grid", sizes[:3]), ("Block", sizes[3:])):
            found[name] = found[columns].astype(str).agg("x".join, axis=1)
        return found[["Name", "Grid", "Block", "Count", "Median", "Sum"]]

    def reduce(self, parts: Parts, args: argparse.Namespace) -> Dict[str, pandas.DataFrame]:
        keys = ["Name", "Grid", "Block"]
        kernels = self.by_rank(parts)
        groups = kernels.groupby(keys)["Median"]
        kernels["Speed"] = groups.transform("min") / kernels["Median"]
        kernels = kernels[groups.transform("count") > 1]
        weighted = kernels.assign(weighted=kernels["Speed"] * kernels["Sum"]).groupby("Rank")
        ranks = pandas.DataFrame({"Kernels": weighted["Count"].sum(), "Time": weighted["Sum"].sum()})
        ranks["Speed"] = (weighted["weighted"].sum() / ranks["Time"]).round(4)
        return {"ranks": ranks, "kernels": kernels.round({"Speed": 4}).sort_values(
            ["Rank", *keys], kind="stable").set_index(keys)}
