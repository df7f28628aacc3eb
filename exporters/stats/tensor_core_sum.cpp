// tensor_core_sum: kernels by name, where they come from and whether they use the tensor cores.
#include <unordered_map>

#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/events/rows.hpp"
#include "exporters/stats/events/strings.hpp"
#include "exporters/stats/insight/kernel_kinds.hpp"
#include "exporters/stats/kernels.hpp"
#include "exporters/stats/tables/percent.hpp"

namespace prof::stats {

namespace {

const char* text(insight::TensorCores use) {
  switch (use) {
    case insight::TensorCores::kUsed:
      return "yes";
    case insight::TensorCores::kEligible:
      return "eligible";
    case insight::TensorCores::kNo:
      break;
  }
  return "no";
}

struct Time {
  std::int64_t total = 0;  // ns
  std::int64_t instances = 0;
};
using TimesByName = std::unordered_map<std::int64_t, Time>;

base::Result<TimesByName> read_times(const report::ReportReader& reader) {
  TimesByName times;
  const base::Status read = for_each_event(reader, kKernelTable, "demangledName", "",
                                           [&](const Times& event, const report::Row& row) {
                                             Time& time = times[row.integer_or(0, Strings::kNone)];
                                             time.total += event.duration();
                                             ++time.instances;
                                           });
  if (!read) return tl::make_unexpected(read.error());
  return times;
}

}  // namespace

base::Result<Table> tensor_core_sum(const report::ReportReader& reader, const Arguments&) {
  const auto times = read_times(reader);
  if (!times) return tl::make_unexpected(times.error());
  std::int64_t total = 0;
  for (const auto& [name, time] : *times) total += time.total;
  Table table{{{"Time (%)", CellKind::kReal, 1},
               {"Total Time (ns)", CellKind::kInteger},
               {"Instances", CellKind::kInteger},
               {"Tensor Cores", CellKind::kText},
               {"Family", CellKind::kText},
               {"Name", CellKind::kText}},
              {}};
  Strings strings(reader);
  for (const auto& [id, time] : *times) {
    const std::string& name = strings.text(id);
    const insight::KernelKind kind = insight::kind_of_kernel(name);
    table.rows.push_back({percent(time.total, total), time.total, time.instances,
                          text(kind.tensor_cores), kind.family, name});
  }
  sort_falling(table, 1);
  sort_ties(table, 1);
  return table;
}

}  // namespace prof::stats
