#include "exporters/analysis/stats/calls/calling_threads.hpp"

#include <utility>

#include "exporters/analysis/events/rows.hpp"

namespace prof::stats {

base::Result<CallingThreads> CallingThreads::read(const report::ReportReader& reader,
                                                  events::Strings& strings) {
  CallingThreads result;
  if (!reader.has_table("ThreadNames")) return result;
  const base::Status read =
      events::for_each_row(reader, "SELECT globalTid, nameId, priority FROM ThreadNames",
                           [&](const report::Statement& row) {
                             Thread thread{{}, strings.text(row.integer(1))};
                             if (!row.is_null(2)) thread.priority = row.integer(2);
                             result.threads_.try_emplace(row.integer(0), std::move(thread));
                           });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

const CallingThreads::Thread& CallingThreads::of(std::int64_t global_tid) const {
  static const Thread kUnknown;
  const auto found = threads_.find(global_tid);
  return found == threads_.end() ? kUnknown : found->second;
}

}  // namespace prof::stats
