// Reads sampled counters: GPU metrics, and counters of NVML, the network and the machine.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/report/report_reader.hpp"

namespace prof::events {

struct SampledCounter {
  std::string device;               // "NVML GPU 0", "Network eth0"; empty: unknown
  std::optional<std::int64_t> gpu;  // number of the GPU that the counter belongs to
  std::string name;
  std::string unit;
  std::int64_t type_id = 0;  // equal for all counters of a group; a group is sampled at once
  std::int64_t index = 0;    // number in the group: metricId or fieldIdx
};

// The prefix of the names of NVML's counter groups. The number of the GPU follows it.
inline constexpr std::string_view kNvmlGroup = "NVML GPU ";

// Returns the number of the GPU that a group of counters is about: 1 for "NVML GPU 1 state".
std::optional<std::int64_t> gpu_of_group(const std::string& group);

// Visits the samples of counters. The samples of one counter are visited in the order of time.
class SampledCounters {
 public:
  // Reads the descriptions of the counters.
  static base::Result<SampledCounters> read(const report::ReportReader& reader);

  // `number` is the number of the counter. Counters are numbered from 0 in the order in which they
  // appear.
  using Visit = std::function<void(const SampledCounter& counter, std::size_t number,
                                   std::int64_t time, double value)>;
  base::Status visit(const report::ReportReader& reader, const Visit& visit);
  // Which rows visit_generic() visits: the rows that the views select, or all rows of the report.
  // It does not visit GPU metrics.
  enum class Span : std::uint8_t { kViews, kWholeReport };
  base::Status visit_generic(const report::ReportReader& reader, const Visit& visit,
                             Span span = Span::kViews);

 private:
  struct Known {
    SampledCounter counter;
    std::size_t number = SIZE_MAX;  // SIZE_MAX: the counter has no sample yet
  };
  using Key = std::pair<std::int64_t, std::int64_t>;  // typeId, and metricId or fieldIdx

  base::Status read_gpu_metrics(const report::ReportReader& reader);
  base::Status read_generic(const report::ReportReader& reader);
  base::Status visit(const report::ReportReader& reader, const report::TableQuery& query,
                     const Visit& visit);

  std::map<Key, Known> counters_;
  std::size_t numbers_ = 0;
};

}  // namespace prof::events
