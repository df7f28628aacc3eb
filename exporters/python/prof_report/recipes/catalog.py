"""The recipes by their names: ours, those of users, and those of nsys that prof does not have."""

import difflib
import json
import os
import re
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from .failures import RecipeError
from .source import Source


class BuiltIn(NamedTuple):
    """A recipe of this package. The titles are here, so that a list needs no pandas."""
    module: str
    class_name: str
    title: str


BUILT_IN: Dict[str, BuiltIn] = {
    "clock_map": BuiltIn("job", "ClockMap", "How the clocks of the reports differ"),
    "cuda_api_sum": BuiltIn("sums", "CudaApiSum", "CUDA API calls by name"),
    "cuda_api_sync": BuiltIn("rules", "CudaApiSync", "CUDA calls that wait for the GPU"),
    "cuda_gpu_kern_hist": BuiltIn("kernels", "CudaGpuKernHist", "Durations of all kernels"),
    "cuda_gpu_kern_pace": BuiltIn("paces", "CudaGpuKernPace", "How one kernel progresses on each rank"),
    "cuda_gpu_kern_sum": BuiltIn("sums", "CudaGpuKernSum", "Kernels by name"),
    "cuda_gpu_mem_size_sum": BuiltIn("sums", "CudaGpuMemSizeSum", "Copies and fills by bytes"),
    "cuda_gpu_mem_time_sum": BuiltIn("sums", "CudaGpuMemTimeSum", "Copies and fills by time"),
    "cuda_memcpy_async": BuiltIn("rules", "CudaMemcpyAsync", "Asynchronous copies that block: pageable memory"),
    "cuda_memcpy_sync": BuiltIn("rules", "CudaMemcpySync", "Copies for which the host waits"),
    "cuda_memset_sync": BuiltIn("rules", "CudaMemsetSync", "Fills for which the host waits"),
    "diff": BuiltIn("diff", "Diff", "Differences of two outputs of one recipe"),
    "gpu_gaps": BuiltIn("rules", "GpuGaps", "Long idle times of GPUs"),
    "gpu_time_util": BuiltIn("rules", "GpuTimeUtil", "Times in which GPUs are used little"),
    "missing": BuiltIn("job", "Missing", "Ranks without a report, and reports that are damaged or incomplete"),
    "nccl_gpu_overlap_trace": BuiltIn("kernels", "NcclGpuOverlapTrace", "Overlap of communication and computation"),
    "nccl_gpu_proj_sum": BuiltIn("projection", "NcclGpuProjSum",
                                 "NVTX ranges of NCCL by the time of their GPU work"),
    "nccl_sum": BuiltIn("sums", "NcclSum", "NVTX ranges of NCCL by name"),
    "nvtx_gpu_proj_pace": BuiltIn("paces", "NvtxGpuProjPace", "How one NVTX range progresses on the GPUs"),
    "nvtx_gpu_proj_sum": BuiltIn("projection", "NvtxGpuProjSum", "NVTX ranges by the time of their GPU work"),
    "nvtx_gpu_proj_trace": BuiltIn("projection", "NvtxGpuProjTrace", "NVTX ranges with the times of their GPU work"),
    "nvtx_pace": BuiltIn("paces", "NvtxPace", "How one NVTX range progresses on each rank"),
    "nvtx_sum": BuiltIn("sums", "NvtxSum", "NVTX ranges by name"),
    "osrt_sum": BuiltIn("sums", "OsrtSum", "OS runtime calls by name"),
    "rank_speed": BuiltIn("job", "RankSpeed", "Which GPU is slow: same kernels, same grids"),
}

_MAPS = "use prof view for the use of GPUs over time; prof does not write this map"
_COUNTERS = "has no sums over reports of counters; prof stats has them for one report"
UNSUPPORTED: Dict[str, str] = {
    "cuda_gpu_time_util_map": _MAPS,
    "cuda_gpu_trace": "use prof stats -r cuda_gpu_trace for each report",
    "dx12_mem_ops": "needs DirectX 12, which prof does not record",
    "file_access_sum": "use prof stats -r osrt_file_sum for each report",
    "gfx_hotspot": "needs frames of graphics interfaces, which prof does not record",
    "gpu_metric_util_map": _MAPS,
    "gpu_metric_util_sum": _COUNTERS,
    "gpu_vram_usage_trace": "needs frames of graphics interfaces, which prof does not record",
    "mpi_gpu_time_util_map": _MAPS,
    "mpi_sum": "has no sums of MPI calls over reports",
    "nccl_gpu_time_util_map": _MAPS,
    "nccl_straggler": "needs nsys's advanced NCCL trace, which prof does not record",
    "network_map_aws": "needs the counters of AWS EFA, which prof does not record",
    "network_sum": _COUNTERS,
    "network_traffic_map": _COUNTERS,
    "nvlink_sum": _COUNTERS,
    "nvtx_cpu_topdown": "needs counters of CPU cores, which prof does not record",
    "s3_access_sum": "needs calls of S3 client libraries, which prof does not record",
    "storage_util_map": _COUNTERS,
    "ucx_gpu_time_util_map": _MAPS,
}

_CLASS = re.compile(r"^class \w+\((?:[\w.]+\.)?Recipe\):", re.M)


def _folders() -> Iterator[Path]:
    for variable in ("PROF_RECIPE_PATH", "NSYS_RECIPE_PATH"):
        for name in os.environ.get(variable, "").split(os.pathsep):
            if name:
                yield Path(name)


def _file_in(folder: Path, name: str) -> Optional[Path]:
    """FOLDER/NAME.py, or the module in FOLDER/NAME, as metadata.json of nsys's recipes names it."""
    files = [folder / f"{name}.py", folder / name / f"{name}.py"]
    try:
        metadata = json.loads((folder / name / "metadata.json").read_text(encoding="utf-8"))
        files.append(folder / name / f"{str(metadata['module_name']).rsplit('.', 1)[-1]}.py")
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return next((file.resolve() for file in files if file.is_file() and _is_recipe(file)), None)


def _is_recipe(file: Path) -> bool:
    try:
        return _CLASS.search(file.read_text(encoding="utf-8")) is not None
    except (OSError, ValueError):
        return False


def _of_users() -> Iterator[Tuple[str, Path]]:
    for folder in [*_folders(), Path.cwd()]:
        for file in sorted([*folder.glob("*.py"), *folder.glob("*/*.py")]):
            if file.parent in (folder, folder / file.stem) and _is_recipe(file):
                yield file.stem, file


def find(name: str) -> Source:
    """The recipe of this name: of PROF_RECIPE_PATH, of NSYS_RECIPE_PATH, ours, of the current folder."""
    for folder in _folders():
        if file := _file_in(folder, name):
            return Source(name, path=str(file))
    if built_in := BUILT_IN.get(name):
        return Source(name, built_in.module, built_in.class_name)
    if file := _file_in(Path.cwd(), name):
        return Source(name, path=str(file))
    if missing := UNSUPPORTED.get(name):
        raise RecipeError(f"recipe {name} of nsys: {missing}" if missing.startswith("use")
                          else f"recipe {name} {missing}")
    known = [*BUILT_IN, *UNSUPPORTED, *(each for each, _ in _of_users())]
    near = difflib.get_close_matches(name, known, 1)
    raise RecipeError(f"unknown recipe {name}" + (f"; did you mean {near[0]}?" if near else "") +
                      " (prof recipe --list shows all)", 2)


def listing() -> str:
    """All recipes, a line for each."""
    lines: List[str] = [f"  {name:<24}{recipe.title}" for name, recipe in sorted(BUILT_IN.items())]
    own = [f"  {name:<24}{file}" for name, file in _of_users()]
    missing = [f"  {name:<24}{reason}" for name, reason in sorted(UNSUPPORTED.items())]
    parts = ["Recipes:", *lines, *(["", "Recipes of yours:", *own] if own else []),
             "", "Recipes of nsys that prof does not have:", *missing]
    return "\n".join(parts)
