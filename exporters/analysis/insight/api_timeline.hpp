// Finds CUDA API calls by thread and time, and by the operations that they launched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/grouped_events.hpp"
#include "exporters/analysis/events/packed_integers.hpp"
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

  std::size_t size() const { return calls_.size(); }
  events::ApiCall at(std::size_t call) const;
  // The calls, sorted by thread and start. Calls of one thread do not overlap, except driver calls
  // inside runtime calls if both were traced.
  auto calls() const { return events::elements(*this, 0, size()); }
  std::vector<std::int64_t> threads() const;  // globalTids, sorted

  // Returns the call that launched an operation of this process, or nothing if the call was not
  // recorded.
  std::optional<events::ApiCall> launching(std::int64_t global_pid, std::int64_t correlation) const;

  // Returns the calls of a thread that overlap [start, end). Nested calls are included. A long call
  // that began before several calls that have already ended may be missing.
  auto during(std::int64_t global_tid, std::int64_t start, std::int64_t end) const {
    const auto [first, last] = indices_during(global_tid, start, end);
    return events::elements(*this, first, last);
  }

  CallKind kind(const events::ApiCall& call) const { return kind_at(call.name); }
  CallKind kind_at(std::int64_t id) const { return names_.at(id).kind; }  // StringIds.id
  // True for cudaGraphLaunch, cuGraphLaunch and their variants.
  bool launches_graph(const events::ApiCall& call) const {
    return name(call).find("GraphLaunch") != std::string::npos;
  }
  // Returns the call's name without the version that CUPTI appends.
  const std::string& name(const events::ApiCall& call) const { return name_at(call.name); }
  const std::string& name_at(std::int64_t id) const { return names_.at(id).text; }  // StringIds.id

 private:
  struct Name {
    std::string text;
    CallKind kind;
  };
  using ProcessAndId = std::pair<std::int64_t, std::int64_t>;

  ApiTimeline() : calls_(kValues, events::GroupedEvents::Ties::kLongestFirst) {}

  std::pair<std::size_t, std::size_t> indices_during(std::int64_t global_tid, std::int64_t start,
                                                     std::int64_t end) const;
  ProcessAndId id_of(std::size_t call) const;
  void sort(const events::PackedIntegers& threads);
  bool index_in_order(const events::PackedIntegers& threads);

  // The values of an event of calls_.
  enum Value : std::size_t { kCorrelation, kName, kValues };
  events::GroupedEvents calls_;            // by globalTid
  events::PackedIntegers by_correlation_;  // the calls, sorted by process and correlation
  std::unordered_map<std::int64_t, Name> names_;
};

}  // namespace prof::insight
