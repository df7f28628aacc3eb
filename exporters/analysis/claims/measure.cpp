#include "exporters/analysis/claims/measure.hpp"

#include <fmt/format.h>

#include <string_view>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/query/named_views.hpp"

namespace prof::claims {

namespace {

struct EventView {
  std::string_view kind;
  const char* view;
  const char* name;   // the column that the pattern is for
  const char* topic;  // of facts::missing_topic()
  const char* table;  // whose rows `id` counts; null: of several tables
};
constexpr EventView kViews[] = {
    {"kernel", "kernels", "name", "gpu_work", events::kKernelTable},
    {"range", "ranges", "name", "ranges", events::kNvtxTable},
    {"copy", "copies", "kind", "gpu_work", events::kMemcpyTable},
    {"call", "calls", "name", "os_calls", nullptr},
};

const EventView& view_of(const Events& events) {
  for (const EventView& each : kViews)
    if (each.kind == events.kind) return each;
  return kViews[0];
}

std::string condition(const EventView& view, const Events& events) {
  std::string text = "dur IS NOT NULL";
  if (events.pattern != "*")
    text += fmt::format(" AND {} GLOB {}", view.name, report::quoted_text(events.pattern));
  return text;
}

// Returns the query for a number.
std::string sql_of(const EventView& view, const Events& events, const std::string& number,
                   std::int64_t span) {
  const std::string from = fmt::format("FROM {} WHERE {}", view.view, condition(view, events));
  if (number == "count") return "SELECT count(*) " + from;
  if (number == "mean") return "SELECT avg(dur) " + from;
  if (number == "bytes") return "SELECT sum(bytes) " + from;
  if (number == "total") return "SELECT sum(dur) " + from;
  if (number == "share") return fmt::format("SELECT sum(dur) * 1.0 / {} {}", span, from);
  if (number == "median")
    return fmt::format("SELECT dur {} ORDER BY dur LIMIT 1 OFFSET (SELECT count(*) {}) / 2", from,
                       from);
  return fmt::format("SELECT {}(dur) {}", number, from);  // max, min
}

base::Result<Measured> run(const report::ReportReader& reader, std::string sql) {
  Measured measured{{}, std::move(sql), {}};
  const base::Status read =
      events::for_each_row(reader, measured.sql, [&](const report::Statement& row) {
        if (!row.is_null(0)) measured.value = row.real(0);
      });
  if (!read) return tl::make_unexpected(read.error());
  return measured;
}

base::Status add_rows(const report::ReportReader& reader, const EventView& view,
                      const Events& events, Measured& measured) {
  constexpr int kMaxRows = 5;
  if (view.table == nullptr) return {};
  analyze::EvidenceRows rows{view.table, {}};
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT id FROM {} WHERE {} ORDER BY dur DESC LIMIT {}", view.view,
                  condition(view, events), kMaxRows),
      [&](const report::Statement& row) { rows.ids.push_back(row.integer(0)); });
  if (read && !rows.ids.empty()) measured.rows = std::move(rows);
  return read;
}

}  // namespace

std::optional<facts::Missing> missing_events(const report::ReportReader& reader,
                                             const Events& events) {
  const EventView& view = view_of(events);
  if (view.table == nullptr) {  // calls of CUDA are enough
    auto calls = facts::missing_topic(reader, "os_calls");
    return calls && facts::missing_topic(reader, "cuda_calls") ? calls : std::nullopt;
  }
  if (auto missing = facts::missing_topic(reader, view.topic)) return missing;
  if (query::has_named_view(reader, view.view)) return std::nullopt;
  return facts::Missing{view.topic, "the report has none", ""};
}

std::optional<facts::Missing> missing_calls(const report::ReportReader& reader,
                                            const Events& events) {
  if (view_of(events).table != nullptr || events.pattern == "*") return std::nullopt;
  return facts::missing_topic(reader, events.pattern.starts_with("cu") ? "cuda_calls" : "os_calls");
}

base::Result<Measured> measure(const report::ReportReader& reader, const Events& events,
                               const std::string& number, std::int64_t span) {
  const EventView& view = view_of(events);
  auto measured = run(reader, sql_of(view, events, number, span));
  if (!measured) return measured;
  if (const base::Status added = add_rows(reader, view, events, *measured); !added)
    return tl::make_unexpected(added.error());
  return measured;
}

base::Status for_each_event(const report::ReportReader& reader, const Events& events,
                            const std::function<void(const NamedEvent&)>& use) {
  const EventView& view = view_of(events);
  return events::for_each_row(
      reader,
      fmt::format("SELECT {}, dur, {} FROM {} WHERE {}", view.name,
                  view.kind == "copy" ? "bytes" : "0", view.view, condition(view, events)),
      [&](const report::Statement& row) {
        use({row.text(0), row.integer(1), row.integer(2)});
      });
}

base::Result<Measured> session_duration(const report::ReportReader& reader) {
  if (!reader.has_column("ANALYSIS_DETAILS", "duration")) return Measured{};
  return run(reader, "SELECT duration FROM ANALYSIS_DETAILS LIMIT 1");
}

base::Result<Measured> first_start(const report::ReportReader& reader, const Events& events) {
  const EventView& view = view_of(events);
  return run(reader,
             fmt::format("SELECT min(start) FROM {} WHERE {}", view.view, condition(view, events)));
}

}  // namespace prof::claims
