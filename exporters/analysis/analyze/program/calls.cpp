#include "exporters/analysis/analyze/program/calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::analyze {

namespace {

// Calls `visit(start, end, thread, row)` for the events that the views show, clipped to their
// window. The query's columns are in the row from column 0 on; the last one is the thread.
template <class Visit>
base::Status for_each_clipped(const report::ReportReader& reader, report::TableQuery query,
                              Visit visit) {
  const report::EventFilter& window = reader.filter();
  const auto thread = static_cast<int>(query.columns.size());
  query.columns.emplace_back("globalTid");
  return events::for_each_event(reader, std::move(query),
                                [&](const events::Times& times, const report::Row& row) {
                                  const std::int64_t start = std::max(times.start, window.start);
                                  const std::int64_t end = std::min(times.end, window.end);
                                  if (start <= end) visit(start, end, row.integer(thread), row);
                                });
}

base::Status read_table(const report::ReportReader& reader, const char* table,
                        std::optional<report::RowCondition> condition,
                        const std::unordered_set<std::int64_t>& without, ThreadNumbers& threads,
                        std::vector<OsCall>& calls) {
  if (!reader.has_table(table)) return {};
  const auto column = [&](const char* name) {
    return report::column_or(reader, table, name, report::ScanColumn::constant(0));
  };
  return for_each_clipped(
      reader,
      {table, {"nameId", column("callchainId"), column("returnValue")}, std::move(condition)},
      [&](std::int64_t start, std::int64_t end, std::int64_t tid, const report::Row& row) {
        if (without.contains(tid)) return;
        OsCall call;
        call.start = start;
        call.end = end;
        call.name = row.integer_or(0, events::Strings::kNone);
        call.chain = row.integer(1);
        call.result = row.integer(2);
        call.thread = threads.of(tid);
        calls.push_back(call);
      });
}

}  // namespace

base::Result<std::vector<OsCall>> read_calls(const report::ReportReader& reader,
                                             ThreadNumbers& threads) {
  std::vector<OsCall> calls;
  base::Status read =
      read_table(reader, events::kOsrtTable, events::osrt_calls(), {}, threads, calls);
  if (!read) return tl::make_unexpected(read.error());
  std::unordered_set<std::int64_t> known;
  for (std::uint32_t i = 0; i < threads.size(); ++i) known.insert(threads.key(i));
  read = read_table(reader, events::kSyscallTable, {}, known, threads, calls);
  if (!read) return tl::make_unexpected(read.error());
  return calls;
}

void order(std::vector<OsCall>& calls) {
  std::stable_sort(calls.begin(), calls.end(), [](const OsCall& a, const OsCall& b) {
    return std::tuple(a.thread, a.start, -a.end) < std::tuple(b.thread, b.start, -b.end);
  });
  const OsCall* outer = nullptr;
  for (OsCall& call : calls) {
    call.is_nested = outer != nullptr && outer->thread == call.thread && call.start < outer->end;
    if (!call.is_nested) outer = &call;
  }
}

base::Result<std::vector<LockRange>> read_lock_ranges(const report::ReportReader& reader,
                                                      ThreadNumbers& threads) {
  std::vector<LockRange> ranges;
  if (!reader.has_table(events::kNvtxTable)) return ranges;
  const auto read = [&](const char* name, bool is_wait) {
    std::int64_t id = -1;
    const base::Status found = events::for_each_row(
        reader, fmt::format("SELECT id FROM StringIds WHERE value = {}", report::quoted_text(name)),
        [&](const report::Statement& row) { id = row.integer(0); });
    if (!found || id < 0) return found;
    return for_each_clipped(
        reader,
        {events::kNvtxTable,
         {"textId"},
         report::RowCondition{"textId", {id}},
         fmt::format("AND eventType = {} AND \"end\" IS NOT NULL", events::kPushPopRange)},
        [&](std::int64_t start, std::int64_t end, std::int64_t tid, const report::Row&) {
          ranges.push_back({start, end, threads.of(tid), is_wait});
        });
  };
  base::Status done = read("Waiting for GIL", true);
  if (done) done = read("Holding GIL", false);
  if (!done) return tl::make_unexpected(done.error());
  return ranges;
}

}  // namespace prof::analyze
