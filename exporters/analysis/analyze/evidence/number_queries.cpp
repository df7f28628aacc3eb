#include "exporters/analysis/analyze/evidence/number_queries.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"

namespace prof::analyze {

namespace {

constexpr std::size_t kMaxIds = 100;  // of names in a query

// Returns sums of the rows' times: of those in the window, and of all.
std::vector<std::string> sums(const char* table, const std::string& condition,
                              const std::optional<insight::Interval>& window) {
  const std::string all =
      fmt::format("SELECT sum(\"end\" - start) FROM {} WHERE {}", table, condition);
  std::vector<std::string> result;
  if (window)
    result.push_back(
        fmt::format("{} AND start >= {} AND \"end\" <= {}", all, window->start, window->end));
  result.push_back(all);
  return result;
}

std::string ids_text(const std::vector<std::int64_t>& ids) {
  return fmt::format("({})", fmt::join(ids, ", "));
}

}  // namespace

void add_query(const report::ReportReader& reader, NumberQuery query,
               std::vector<NumberQuery>& queries) {
  if (std::ranges::any_of(queries, [&](const NumberQuery& each) {
        return std::string_view(each.number) == query.number;
      }))
    return;
  auto statement = reader.prepare(query.sql);
  if (!statement) return;
  const auto row = statement->step();
  if (row && *row && !statement->is_null(0) && statement->integer(0) == query.value)
    queries.push_back(std::move(query));
}

std::vector<std::string> queries_of_time(const report::ReportReader& reader, const Finding& finding,
                                         const std::optional<insight::Interval>& window) {
  if (std::string_view(finding.rule) == "pageable_copies" &&
      reader.has_column(events::kMemcpyTable, "srcKind"))
    return sums(events::kMemcpyTable,
                "(copyKind = 1 AND srcKind = 0 OR copyKind = 2 AND dstKind = 0)", window);
  if (finding.kernels.empty() || finding.kernels.size() > kMaxIds ||
      !reader.has_column(events::kKernelTable, "demangledName"))
    return {};
  std::vector<std::int64_t> names = finding.kernels;
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return sums(events::kKernelTable, "demangledName IN " + ids_text(names), window);
}

std::vector<std::string> queries_of_calls(const report::ReportReader& reader,
                                          const Finding& finding) {
  std::vector<std::string> result;
  if (finding.calls.empty() || finding.calls.size() > kMaxIds) return result;
  for (const char* table : {events::kOsrtTable, events::kSyscallTable})
    if (reader.has_table(table))
      for (std::string& each : sums(table, "nameId IN " + ids_text(finding.calls), {}))
        result.push_back(std::move(each));
  return result;
}

}  // namespace prof::analyze
