#include "exporters/viewer/answers/event/event_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/kernel_kinds.hpp"
#include "exporters/analysis/insight/occupancy/gpu_limits.hpp"
#include "exporters/analysis/insight/occupancy/rule_texts.hpp"
#include "exporters/analysis/insight/profiles/kernel_profiles.hpp"
#include "exporters/analysis/insight/profiles/metric_rules.hpp"
#include "exporters/analysis/insight/profiles/verdict.hpp"
#include "exporters/analysis/tables/readable_units.hpp"
#include "exporters/viewer/answers/event/event_links.hpp"

namespace prof::view {

namespace {

using tables::Measure;

std::string readable(std::int64_t value, Measure measure) {
  return tables::readable_text(value, measure).value_or(std::to_string(value));
}

bool has_columns(const report::ReportReader& reader, const char* table,
                 std::initializer_list<const char*> columns) {
  return std::all_of(columns.begin(), columns.end(),
                     [&](const char* each) { return reader.has_column(table, each); });
}

void add_kernel(const report::Statement& row, const insight::GpuLimits& gpu,
                const insight::MetricValues& metrics, EventFacts& facts) {
  const auto volume = [&](int column) {
    return events::product(events::product(row.integer(column), row.integer(column + 1)),
                           row.integer(column + 2));
  };
  const insight::LaunchShape shape{volume(2), volume(5), row.integer(8), row.integer(9),
                                   row.integer(11)};
  const auto dimensions = [&](int column) {
    return fmt::format("{} × {} × {}", row.integer(column), row.integer(column + 1),
                       row.integer(column + 2));
  };
  facts.emplace_back("Grid", fmt::format("{} = {} blocks", dimensions(2), shape.blocks));
  facts.emplace_back("Block", fmt::format("{} = {} threads", dimensions(5), shape.threads));
  const insight::Occupancy occupancy = insight::occupancy_of(shape, gpu);
  if (occupancy.blocks_per_multiprocessor == 0) return;
  std::string text =
      fmt::format("{:.0f} %, limited by {}", occupancy.percent, insight::limiter_text(occupancy));
  if (occupancy.reachable_percent < occupancy.percent)
    text += fmt::format("; {:.0f} % with this grid", occupancy.reachable_percent);
  facts.emplace_back("Theoretical occupancy", std::move(text));
  facts.emplace_back(
      "Waves", fmt::format("{:.2f} on {} multiprocessors", occupancy.waves, gpu.multiprocessors));
  const insight::ProfiledKernel kernel{"", shape, gpu, metrics};
  if (std::string verdict = insight::verdict_of(kernel).text; !verdict.empty())
    facts.emplace_back("Verdict", std::move(verdict));
  for (const insight::RuleResult& rule : insight::main_rules(kernel))
    facts.emplace_back(insight::rule_name(rule.rule),
                       rule.is_local ? rule.reason
                                     : fmt::format("up to {:.0f} % of its time: {}",
                                                   100 * rule.part, rule.reason));
}

base::Status add_kernel(const report::ReportReader& reader, std::int64_t rowid, EventFacts& facts) {
  if (!has_columns(reader, events::kKernelTable,
                   {"globalPid", "deviceId", "gridX", "gridY", "gridZ", "blockX", "blockY",
                    "blockZ", "registersPerThread", "staticSharedMemory", "dynamicSharedMemory"}))
    return {};
  const auto gpus = insight::GpuLimitsTable::read(reader);
  if (!gpus) return tl::make_unexpected(gpus.error());
  const auto or_zero = [&](const char* column) {
    return reader.has_column(events::kKernelTable, column) ? fmt::format("IFNULL({}, 0)", column)
                                                           : std::string("0");
  };
  return events::for_each_row(
      reader,
      fmt::format("SELECT globalPid, deviceId, gridX, gridY, gridZ, blockX, blockY, blockZ, "
                  "registersPerThread, staticSharedMemory + dynamicSharedMemory, {}, {}, {} "
                  "FROM main.{} WHERE rowid = {}",
                  or_zero("greenContextId"), or_zero("sharedMemoryExecuted"),
                  or_zero("correlationId"), events::kKernelTable, rowid),
      [&](const report::Statement& row) {
        const auto pid = events::pid_of(row.integer(0));
        const auto metrics = insight::read_launch_metrics(reader, row.integer(0), row.integer(12));
        if (!metrics) reader.note(metrics.error());
        add_kernel(row, gpus->of(pid, row.integer(1), row.integer(10)),
                   metrics.value_or(insight::MetricValues()), facts);
      });
}

base::Status add_rate(const report::ReportReader& reader, const timeline::Event& event,
                      const std::string& table, EventFacts& facts) {
  if (event.duration() <= 0 || !reader.has_column(table, "bytes")) return {};
  return events::for_each_row(
      reader,
      fmt::format("SELECT bytes FROM main.{} WHERE rowid = {}", report::quoted(table), event.rowid),
      [&](const report::Statement& row) {
        facts.emplace_back("Rate",
                           fmt::format("{:.2f} GB/s", static_cast<double>(row.integer(0)) /
                                                          static_cast<double>(event.duration())));
      });
}

// Adds each field of a payload as a fact.
base::Status add_payload(const report::ReportReader& reader, std::int64_t rowid,
                         EventFacts& facts) {
  if (!reader.has_column(events::kNvtxTable, "jsonText")) return {};
  return events::for_each_row(
      reader,
      fmt::format("SELECT jsonText FROM main.{} WHERE rowid = {} AND jsonText IS NOT NULL",
                  events::kNvtxTable, rowid),
      [&](const report::Statement& row) {
        const auto fields = nlohmann::ordered_json::parse(row.text(0), nullptr, false);
        if (!fields.is_object()) return;
        for (const auto& [name, value] : fields.items())
          facts.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
      });
}

}  // namespace

base::Result<EventFacts> facts_of(const report::ReportReader& reader,
                                  const timeline::Snapshot& snapshot, const timeline::Event& event,
                                  const std::string& table) {
  EventFacts facts;
  if (event.open_end)
    facts.emplace_back("Duration", fmt::format("open: not ended after {}",
                                               readable(event.duration(), Measure::kDuration)));
  else if (!event.instant)
    facts.emplace_back("Duration", readable(event.duration(), Measure::kDuration));
  const timeline::Row& row = *snapshot.row(event.row);
  base::Status read;
  if (table == events::kKernelTable) {
    const auto kind = insight::kind_of_kernel(snapshot.names().text(event.name));
    if (kind.tensor_cores == insight::TensorCores::kUsed)
      facts.emplace_back("Tensor cores", "used");
    if (kind.tensor_cores == insight::TensorCores::kEligible)
      facts.emplace_back("Tensor cores", "not used, but it could");
    read = add_kernel(reader, event.rowid, facts);
  } else if (table == events::kMemcpyTable || table == events::kMemsetTable) {
    read = add_rate(reader, event, table, facts);
  } else if (table == events::kNvtxTable) {
    read = add_payload(reader, event.rowid, facts);
  }
  if (!read) return tl::make_unexpected(read.error());
  if (row.thread) return facts;
  const auto call = launch_of(snapshot, event);
  if (call && call->start <= event.start)
    facts.emplace_back("Started after its launch",
                       readable(event.start - call->start, Measure::kDuration));
  return facts;
}

}  // namespace prof::view
