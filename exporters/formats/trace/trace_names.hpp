// Names the processes, threads, GPUs and NVTX domains of a trace.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/thread_names.hpp"

namespace prof::formats {

// The stream on which a GPU's work was queued.
struct GpuStream {
  std::int64_t global_pid;
  std::int64_t device;  // CUDA ordinal in the process
  std::int64_t context;
  std::int64_t stream;
  auto operator<=>(const GpuStream&) const = default;  // NOLINT(modernize-use-nullptr)
};

class TraceNames {
 public:
  static base::Result<TraceNames> read(const report::ReportReader& reader);

  std::string process(std::int64_t global_id) const;  // file name of the program; never empty
  std::string thread(std::int64_t global_tid) const;  // never empty
  // Returns the number of the GPU that a process's ordinal means.
  std::int64_t gpu_of(std::int64_t global_pid, std::int64_t device) const;
  std::string gpu(std::int64_t gpu) const;  // "GPU 0 NVIDIA H200"
  // Returns the domain's name. Empty for the default domain.
  const std::string& nvtx_domain(std::int64_t global_id, std::int64_t domain) const;

 private:
  explicit TraceNames(events::ThreadNames threads) : threads_(std::move(threads)) {}
  base::Status read_gpus(const report::ReportReader& reader);
  base::Status read_domains(const report::ReportReader& reader);

  using Ids = std::pair<std::int64_t, std::int64_t>;
  events::ThreadNames threads_;
  std::map<std::int64_t, std::string> gpus_;
  std::map<Ids, std::int64_t> ordinals_;  // by pid and CUDA ordinal
  std::map<Ids, std::string> domains_;    // by process_of() and domainId
};

}  // namespace prof::formats
