#include "exporters/analysis/analyze/findings/captures.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/nvtx/graph_captures.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::analyze {

namespace {

using FindingsByStart = std::unordered_multimap<std::int64_t, Finding*>;

// True if the worst case of a finding is the operation or, if it is a time without a stream, such
// as an idle time, ends when the operation starts.
bool is_of(const Where& where, const events::Times& times, std::int64_t global_pid,
           std::int64_t stream) {
  if (where.device->global_pid != global_pid) return false;
  if (!where.stream) return where.time.end == times.start;
  return where.time.end == times.end && where.stream == stream;
}

struct NodeWork {
  std::int64_t global_pid;
  std::int64_t node;
  std::int64_t start;
};

// Returns "captured in :layer 3, launched in :token 1", or a part of it, or an empty text.
std::string places_of(events::GraphCaptures& captures, events::RangeOf range_of,
                      const std::optional<events::ApiCall>& call, const NodeWork& operation) {
  std::string text;
  const std::int32_t capture =
      captures.of(operation.global_pid, operation.node, call ? call->start : operation.start);
  if (range_of != events::RangeOf::kLaunch && capture != events::GraphCaptures::kNone)
    text = "captured in " + base::mark_name("range", captures.text(capture));
  if (range_of == events::RangeOf::kCapture || !call) return text;
  const std::string ranges = captures.ranges_at(call->global_tid, call->start);
  if (!ranges.empty())
    text +=
        fmt::format("{}launched in {}", text.empty() ? "" : ", ", base::mark_name("range", ranges));
  return text;
}

base::Status add_captures(const report::ReportReader& reader, const Facts& facts, const char* table,
                          const FindingsByStart& findings, events::RangeOf range_of,
                          events::GraphCaptures& captures) {
  if (!reader.has_column(table, "graphNodeId")) return {};
  return events::for_each_event(
      reader, {table, {"globalPid", "streamId", "correlationId", "graphNodeId"}},
      [&](const events::Times& times, const report::Row& row) {
        const auto [first, end] = findings.equal_range(times.start);
        if (first == end || row.is_null(3)) return;
        const auto call = facts.calls.launching(row.integer(0), row.integer(2));
        const std::string places =
            places_of(captures, range_of, call, {row.integer(0), row.integer(3), times.start});
        if (places.empty()) return;
        for (auto at = first; at != end; ++at) {
          Finding& finding = *at->second;
          if (!is_of(*finding.where, times, row.integer(0), row.integer(1))) continue;
          finding.evidence +=
              (finding.where->stream ? "; the longest was " : "; the work after the longest was ") +
              places;
        }
      });
}

}  // namespace

base::Status add_captures(const report::ReportReader& reader, const Facts& facts,
                          events::RangeOf range_of, std::vector<Finding>& findings) {
  FindingsByStart by_start;
  for (Finding& each : findings)
    if (each.where && each.where->device)
      by_start.emplace(each.where->stream ? each.where->time.start : each.where->time.end, &each);
  if (by_start.empty() || !reader.has_table(events::kGraphNodeTable)) return {};
  auto captures = events::GraphCaptures::read(reader);
  if (!captures) return tl::make_unexpected(captures.error());
  for (const char* table : {events::kKernelTable, events::kMemcpyTable, events::kMemsetTable})
    if (const base::Status added =
            add_captures(reader, facts, table, by_start, range_of, *captures);
        !added)
      return added;
  return {};
}

}  // namespace prof::analyze
