// tensor_core_sum: kernels by name, with their origin and their use of the tensor cores.
#include <unordered_map>

#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/kernel_kinds.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

namespace {

struct Time {
  std::int64_t total = 0;  // ns
  std::int64_t instances = 0;
};
using TimesByName = std::unordered_map<std::int64_t, Time>;

base::Result<TimesByName> read_times(const report::ReportReader& reader) {
  TimesByName times;
  const base::Status read =
      events::for_each_event(reader, {events::kKernelTable, {"demangledName"}},
                             [&](const events::Times& event, const report::Row& row) {
                               Time& time = times[row.integer_or(0, events::Strings::kNone)];
                               time.total += event.duration();
                               ++time.instances;
                             });
  if (!read) return tl::make_unexpected(read.error());
  return times;
}

}  // namespace

base::Result<tables::Table> tensor_core_sum(const report::ReportReader& reader, const Arguments&) {
  const auto times = read_times(reader);
  if (!times) return tl::make_unexpected(times.error());
  std::int64_t total = 0;
  for (const auto& [name, time] : *times) total += time.total;
  tables::Table table{{{"Time (%)", tables::CellKind::kReal, 1},
                       {"Total Time (ns)", tables::CellKind::kInteger},
                       {"Instances", tables::CellKind::kInteger},
                       {"Tensor Cores", tables::CellKind::kText},
                       {"Family", tables::CellKind::kText},
                       {"Name", tables::CellKind::kText}},
                      {}};
  events::Strings strings(reader);
  for (const auto& [id, time] : *times) {
    const std::string& name = strings.text(id);
    const insight::KernelKind kind = insight::kind_of_kernel(name);
    table.rows.push_back({tables::percent(time.total, total), time.total, time.instances,
                          insight::name_of(kind.tensor_cores), kind.family, name});
  }
  tables::sort_descending(table, 1);
  sort_ties(table, 1);
  return table;
}

}  // namespace prof::stats
