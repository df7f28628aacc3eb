#include "exporters/analysis/claims/run_numbers.hpp"

#include <algorithm>
#include <map>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_changes.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/memory/torch_memory.hpp"
#include "exporters/analysis/events/report_views.hpp"
#include "exporters/analysis/insight/iterations.hpp"

namespace prof::claims {

namespace {

constexpr std::int64_t kCpu = 0;  // c10::DeviceType

base::Result<std::int64_t> cuda_peak(const report::ReportReader& reader) {
  struct Use {
    std::int64_t now = 0;
    std::int64_t peak = 0;
  };
  std::map<events::MemoryKey, Use> uses;
  const base::Status read =
      events::for_each_memory_change(reader, [&](const events::MemoryChange& change) {
        if (std::string_view(events::memory_kind_name(change.key.kind)) != "Device") return;
        Use& use = uses[change.key];
        use.now += change.bytes;
        use.peak = std::max(use.peak, use.now);
      });
  if (!read) return tl::make_unexpected(read.error());
  std::int64_t peak = 0;
  for (const auto& [key, use] : uses) peak = std::max(peak, use.peak);
  return peak;
}

base::Result<std::int64_t> torch_peak(const report::ReportReader& reader) {
  std::int64_t peak = 0;
  const base::Status read =
      events::for_each_torch_event(reader, [&](const events::TorchMemoryEvent& event) {
        if (event.allocator.device_type != kCpu) peak = std::max(peak, event.reserved);
      });
  if (!read) return tl::make_unexpected(read.error());
  return peak;
}

}  // namespace

base::Result<std::vector<std::int64_t>> iteration_lengths(const report::ReportReader& report) {
  // Older exports lack columns, which views have. They would replace the views that claims are
  // about.
  const auto reader = report::ReportReader::open(report.path());
  if (!reader) return tl::make_unexpected(reader.error());
  if (const base::Status made = events::make_views(*reader); !made)
    return tl::make_unexpected(made.error());
  const auto work = insight::GpuWork::read(*reader);
  if (!work) return tl::make_unexpected(work.error());
  const auto ranges = events::RangeTree::read(*reader);
  if (!ranges) return tl::make_unexpected(ranges.error());
  return insight::iteration_lengths(*work, *ranges);
}

std::optional<double> iteration_number(std::vector<std::int64_t> lengths,
                                       const std::string& number) {
  if (lengths.empty()) return std::nullopt;
  std::ranges::sort(lengths);
  const std::size_t count = lengths.size();
  if (number == "min") return static_cast<double>(lengths.front());
  if (number == "max") return static_cast<double>(lengths.back());
  double sum = 0;
  for (const std::int64_t each : lengths) sum += static_cast<double>(each);
  if (number == "mean") return sum / static_cast<double>(count);
  return (static_cast<double>(lengths[(count - 1) / 2]) + static_cast<double>(lengths[count / 2])) /
         2;
}

base::Result<std::optional<double>> gpu_memory_peak(const report::ReportReader& reader) {
  const bool has_calls = reader.has_table(events::kMemoryUsageTable);
  if (!has_calls && !reader.has_table(events::kTorchMemoryTable)) return std::optional<double>();
  const auto peak = has_calls ? cuda_peak(reader) : torch_peak(reader);
  if (!peak) return tl::make_unexpected(peak.error());
  return std::optional(static_cast<double>(*peak));
}

}  // namespace prof::claims
