// Finds CUDA API calls by thread and time, and by the operations that they launched.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::insight {

// The purpose of a call, derived from its name.
enum class CallKind : std::uint8_t {
  kLaunch,      // launches a kernel or a graph
  kCopy,        // copies or fills memory
  kWait,        // synchronizes the host with the GPU, for example a synchronous copy
  kAllocation,  // cudaMalloc, cudaFree, cudaMallocAsync and similar calls
  kOther,
};
CallKind kind_of_call(std::string_view name);

// True if this call stops the device: cudaMalloc and cudaFree do, cudaMallocAsync does not.
bool is_blocking_allocation(std::string_view name);

class ApiTimeline {
 public:
  static base::Result<ApiTimeline> read(const report::ReportReader& reader);

  // The calls, sorted by thread and start. Calls of one thread do not overlap, except driver calls
  // inside runtime calls if both were traced.
  const std::vector<events::ApiCall>& calls() const { return calls_; }

  // Returns the call that launched an operation of this process, or null if the call was not
  // recorded.
  const events::ApiCall* launching(std::int64_t global_pid, std::int64_t correlation) const;

  // Returns the calls of a thread that overlap [start, end), as a range of calls(). Nested calls
  // are included. A long call that began before several calls that have already ended may be
  // missing.
  std::pair<const events::ApiCall*, const events::ApiCall*> during(std::int64_t global_tid,
                                                                   std::int64_t start,
                                                                   std::int64_t end) const;

  CallKind kind(const events::ApiCall& call) const { return names_.at(call.name).kind; }
  // Returns the call's name without the version that CUPTI appends.
  const std::string& name(const events::ApiCall& call) const { return name_at(call.name); }
  const std::string& name_at(std::int64_t id) const { return names_.at(id).text; }  // StringIds.id

 private:
  struct Name {
    std::string text;
    CallKind kind;
  };

  void sort();

  std::vector<events::ApiCall> calls_;
  std::vector<std::uint32_t>
      by_correlation_;  // indices of the calls, sorted by process and correlation
  std::unordered_map<std::int64_t, Name> names_;
};

}  // namespace prof::insight
