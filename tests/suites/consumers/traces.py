"""Readers of PyTorch's traces on prof's traces of two ranks, compared with prof stats: traces.py READER FOLDER PROF

FOLDER has rank_0.sqlite and rank_1.sqlite. Prints {figure: [the reader's, prof's]} as JSON, in the last line.
"""
import json
import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from readers import MissingSource, checkout  # noqa: E402

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
RANKS = (0, 1)


class Traces:
    def __init__(self, folder, prof):
        self.reports, self.prof, self.folder = [folder / f"rank_{rank}.sqlite" for rank in RANKS], prof, folder

    def export(self, *options):
        """A trace for each rank, without OS-runtime calls, which these readers ignore."""
        folder = self.folder / "traces"
        folder.mkdir(exist_ok=True)
        subprocess.run([self.prof, "export", "-q", "-f", "true", "-t", "chrome", "-o", folder,
                        "--tables=CUPTI.*,NVTX.*,TARGET.*", *options, *self.reports], check=True)
        return folder

    def statistics(self, rank, name):
        done = subprocess.run([self.prof, "stats", "-q", "-r", name, "-f", "json", self.reports[rank]], check=True,
                              capture_output=True)
        return json.loads(done.stdout)


def hta(traces):
    os.environ["HTA_DISABLE_NS_ROUNDING"] = "1"  # else it cuts each end to whole us
    from hta.trace_analysis import TraceAnalysis
    analysis = TraceAnalysis(trace_dir=str(traces.export()))
    figures = {}
    _, kernels = analysis.get_gpu_kernel_breakdown(visualize=False, num_kernels=1000, duration_ratio=1.0)
    overlaps = analysis.get_comm_comp_overlap(visualize=False)
    idle = analysis.get_idle_time_breakdown(ranks=list(RANKS), visualize=False)[0]
    lengths = analysis.get_queue_length_summary(ranks=list(RANKS))
    temporal = analysis.get_temporal_breakdown(visualize=False)
    for rank in RANKS:
        sums = {row["Name"]: row for row in traces.statistics(rank, "cuda_gpu_kern_sum")}
        ours = kernels[(kernels["rank"] == rank) & kernels["name"].isin(sums)]
        figures[f"kernels of rank {rank}"] = [len(ours), len(sums)]
        for _, row in ours.iterrows():
            figures[f"time of {row['name']} on rank {rank}, us"] = [
                round(row["sum (us)"], 3), sums[row["name"]]["Total Time (ns)"] / 1000]
        communication = traces.statistics(rank, "nccl_sum")
        share = sum(row["Overlapped (ns)"] for row in communication) / sum(row["Time (ns)"] for row in communication)
        figures[f"overlap of communication on rank {rank}, %"] = [
            overlaps[overlaps["rank"] == rank]["comp_comm_overlap_pctg"].item(), round(100 * share, 2)]
        streams = {row["Stream"]: row for row in traces.statistics(rank, "stream_sum")}
        busy = idle[idle["rank"] == rank].groupby("stream")["idle_time"].sum()
        for stream, time in busy.items():
            row = streams[stream]
            figures[f"idle time of stream {stream} on rank {rank}, ms"] = [
                round(time / 1000, 1),
                round((row["Last End (ns)"] - row["First Start (ns)"] - row["Busy Time (ns)"]) / 1e6, 1)]
        for row in traces.statistics(rank, "queue_length"):
            found = lengths.loc[(rank, row["Stream"])]["queue_length"]
            figures[f"queue of stream {row['Stream']} on rank {rank}, longest"] = [found["max"], row["Max"]]
        temporal_row = temporal[temporal["rank"] == rank].iloc[0]
        parts = temporal_row[["idle_time(us)", "compute_time(us)", "non_compute_time(us)"]].sum()
        figures[f"times of rank {rank} add up"] = [round(parts), round(temporal_row["kernel_time(us)"])]
    return figures


def tracelens(traces):
    sys.path.insert(0, str(checkout("TraceLens", "AMD-AGI/TraceLens")))
    from TraceLens import NcclAnalyser, TreePerfAnalyzer
    folder = traces.export()
    files = [str(folder / f"rank_{rank}.pt.trace.json") for rank in RANKS]
    figures = {}
    for rank in RANKS:
        tree = TreePerfAnalyzer.from_file(files[rank])
        times = dict(zip(*(tree.get_df_gpu_timeline()[column] for column in ("type", "time ms"))))
        streams = traces.statistics(rank, "stream_sum")
        communication = sum(row["Time (ns)"] for row in traces.statistics(rank, "nccl_sum"))
        figures[f"communication of rank {rank}, ms"] = [round(times["total_comm_time"], 3), round(communication / 1e6, 3)]
        figures[f"span of rank {rank}, ms"] = [round(times["total_time"], 3), round(
            (max(row["Last End (ns)"] for row in streams) - min(row["First Start (ns)"] for row in streams)) / 1e6, 3)]
        kernels = sum(row["Instances"] for row in traces.statistics(rank, "cuda_gpu_kern_sum"))
        figures[f"kernels of rank {rank}"] = [len(tree.get_df_kernels()), kernels]
    calls = sum(row["Count"] for rank in RANKS for row in traces.statistics(rank, "nccl_sum"))
    figures["collective operations"] = [len(NcclAnalyser(files, len(files)).build_df_long()), calls]
    return figures


def tensorboard(traces):
    """torch-tb-profiler. It computes the use of GPUs between steps of PyTorch's profiler."""
    from torch_tb_profiler.profiler.data import RunProfileData
    from torch_tb_profiler.profiler.gpu_metrics_parser import GPUMetricsParser
    from torch_tb_profiler.profiler.run_generator import RunGenerator
    steps_of, calculate = [], GPUMetricsParser.calculate_gpu_utilization

    def calculate_and_note(self, start, end, steps_start, steps_end):
        steps_of.append((steps_start, steps_end))
        return calculate(self, start, end, steps_start, steps_end)
    GPUMetricsParser.calculate_gpu_utilization = calculate_and_note
    folder = traces.export("--step=step")
    figures = {}
    for rank in RANKS:
        data = RunProfileData.parse(f"rank_{rank}", None, str(folder / f"rank_{rank}.pt.trace.json"), str(folder))
        profile = RunGenerator(f"rank_{rank}", None, data).generate_run_profile()
        figures[f"views of rank {rank}"] = [sorted(view.name for view in profile.views), ["kernel", "operator", "overall", "trace"]]
        steps = [row for row in traces.statistics(rank, "nvtx_pushpop_sum") if row["Range"] == ":step"]
        figures[f"steps of rank {rank}"] = [len(data.steps_names), steps[0]["Instances"]]
        for row in traces.statistics(rank, "cuda_gpu_kern_sum"):
            found = data.kernel_stat.loc[row["Name"]]
            figures[f"{row['Name']} on rank {rank}"] = [[int(found["count"]), round(found["sum"], 3)],
                                                        [row["Instances"], row["Total Time (ns)"] / 1000]]
        use, = (each for each in data.gpu_metrics_parser.gpu_utilization if each is not None)
        figures[f"use of GPU of rank {rank}"] = [round(use, 4), round(use_in_steps(traces, rank, steps_of[-1]), 4)]
    return figures


def use_in_steps(traces, rank, steps):
    """The share of the time of steps in which a kernel runs, by prof's own trace of kernels."""
    start, end = (time * 1000 for time in steps)
    busy, last = 0, start
    rows = traces.statistics(rank, "cuda_gpu_trace")
    for row in sorted((row for row in rows if row["GrdX"] is not None), key=lambda row: row["Start (ns)"]):
        until = min(row["Start (ns)"] + row["Duration (ns)"], end)
        busy += max(0, until - max(row["Start (ns)"], last))
        last = max(last, until)
    return busy / (end - start)


READERS = {each.__name__: each for each in (hta, tracelens, tensorboard)}

if __name__ == "__main__":
    reader, folder_path, prof_path = sys.argv[1:]
    try:
        result = READERS[reader](Traces(Path(folder_path), Path(prof_path)))
    except MissingSource as missing:
        result = {"missing": str(missing)}
    print("\n" + json.dumps(result))
