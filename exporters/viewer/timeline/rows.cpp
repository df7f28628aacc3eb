#include "exporters/viewer/timeline/rows.hpp"

#include <array>

namespace prof::timeline {

const char* name_of(RowKind kind) {
  constexpr std::array kNames = {
      "report", "path",    "process", "thread", "threads", "processes", "nvtx",    "cuda_api",
      "osrt",   "library", "syscall", "python", "gil",     "state",     "samples", "python_samples",
      "mpi",    "openmp",  "openacc", "cpus",   "cpu",     "gpus",      "gpu",     "context",
      "stream", "kernels", "copies",  "fills",  "graphs",  "nvtx_gpu",  "waits",   "memory",
      "queue",  "stalls",  "metric",  "bytes",  "files",   "overhead",  "faults",  "other",
      "group"};
  static_assert(kNames.size() == static_cast<std::size_t>(RowKind::kGroup) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name_of(RowStyle style) {
  constexpr std::array kNames = {"events", "instants", "states", "counter", "density"};
  return kNames[static_cast<std::size_t>(style)];
}

}  // namespace prof::timeline
