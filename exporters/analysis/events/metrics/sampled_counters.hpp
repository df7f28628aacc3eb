// Counters that were sampled: GPU metrics, and those of NVML, the network and the machine.
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
  std::string device;               // "NVML GPU 0", "Network eth0"; empty: not said
  std::optional<std::int64_t> gpu;  // whose counter it is
  std::string name;
  std::string unit;
  std::int64_t type_id = 0;  // the same for all counters of a group, which are sampled together
  std::int64_t index = 0;    // in the group: metricId or fieldIdx
};

// Names of groups of NVML's counters begin with it and the number of the GPU.
inline constexpr std::string_view kNvmlGroup = "NVML GPU ";

// The number of the GPU that a group of counters is about: 1 of "NVML GPU 1 state".
std::optional<std::int64_t> gpu_of_group(const std::string& group);

// The order of the rows of one counter is that of time.
class SampledCounters {
 public:
  // Reads the descriptions.
  static base::Result<SampledCounters> read(const report::ReportReader& reader);

  // `number`: of the counter, from 0 on in the order in which they appear.
  using Visit = std::function<void(const SampledCounter& counter, std::size_t number,
                                   std::int64_t time, double value)>;
  base::Status visit(const report::ReportReader& reader, const Visit& visit);
  // Without GPU metrics. `Span::kWholeReport`: whatever the views show.
  enum class Span : std::uint8_t { kViews, kWholeReport };
  base::Status visit_generic(const report::ReportReader& reader, const Visit& visit,
                             Span span = Span::kViews);

 private:
  struct Known {
    SampledCounter counter;
    std::size_t number = SIZE_MAX;  // it has no sample yet
  };
  using Key = std::pair<std::int64_t, std::int64_t>;  // typeId, and metricId or fieldIdx

  base::Status read_gpu_metrics(const report::ReportReader& reader);
  base::Status read_generic(const report::ReportReader& reader);
  base::Status visit(const report::ReportReader& reader, const std::string& columns,
                     const std::string& source, const Visit& visit);

  std::map<Key, Known> counters_;
  std::size_t numbers_ = 0;
};

}  // namespace prof::events
