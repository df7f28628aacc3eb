// Reads what a report says about the machine and the session: names of processes, threads and GPUs,
// and the clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/thread_names.hpp"

namespace prof::timeline {

struct Gpu {
  std::int64_t id;
  std::string name;  // "NVIDIA H200"
};

class Facts {
 public:
  static base::Result<Facts> read(const report::ReportReader& reader);

  // Returns the GPU that a process calls `device`.
  const Gpu* gpu(std::int64_t global_pid, std::int64_t device) const;
  const Gpu* gpu_by_id(std::int64_t id) const;
  const std::string& thread_name(std::int64_t global_tid) const {
    return names_.thread(global_tid);
  }
  const std::string& process_name(std::int64_t global_id) const {
    return names_.process(global_id);
  }
  // Return the row of PROCESSES or ThreadNames that describes the process or thread, if there is
  // one.
  std::optional<std::int64_t> process_row(std::int64_t global_pid) const;
  std::optional<std::int64_t> thread_row(std::int64_t global_tid) const;
  // Returns the rank of a process in its job, as MPI or a launcher gave it.
  std::optional<std::int64_t> rank(std::int64_t global_id) const;
  // Returns the name that the program gave to the stream through NVTX, or an empty text.
  std::string stream_name(std::int64_t global_pid, std::int64_t context, std::int64_t stream) const;
  bool is_default_stream(std::int64_t global_pid, std::int64_t context, std::int64_t stream) const;

  std::optional<std::int64_t> utc_start() const { return utc_start_; }
  std::int64_t duration() const { return duration_; }  // ns, of the session; 0: unknown

 private:
  explicit Facts(events::ThreadNames names) : names_(std::move(names)) {}
  base::Status read_gpus(const report::ReportReader& reader);
  base::Status read_rowids(const report::ReportReader& reader);
  base::Status read_streams(const report::ReportReader& reader);
  base::Status read_session(const report::ReportReader& reader);
  base::Status read_job(const report::ReportReader& reader);

  using StreamKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // pid, context, stream
  using DeviceKey = std::pair<std::int64_t, std::int64_t>;                 // pid, device

  events::ThreadNames names_;
  std::map<std::int64_t, Gpu> gpus_;
  std::map<DeviceKey, std::int64_t> gpu_ids_;
  std::unordered_map<std::int64_t, std::int64_t> process_rows_;  // by globalPid
  std::unordered_map<std::int64_t, std::int64_t> thread_rows_;   // by globalTid
  std::map<std::int64_t, std::int64_t> ranks_;                   // by globalPid
  std::map<StreamKey, std::string> stream_names_;
  std::map<StreamKey, bool> default_streams_;
  std::optional<std::int64_t> utc_start_;
  std::int64_t duration_ = 0;
};

}  // namespace prof::timeline
