#include "exporters/analysis/analyze/findings/gpu_users.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::analyze {

namespace {

constexpr int kContextStart = 9;  // ENUM_GPU_CTX_SWITCH

// ns of `foreign` in which the GPU worked for a process, by its globalPid.
using TimeByProcess = std::map<std::int64_t, std::int64_t>;

base::Result<TimeByProcess> times_of(const report::ReportReader& reader, const GpuLoad& load) {
  TimeByProcess times;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT IFNULL(globalPid, 0), timestamp, \"end\" FROM main.{} "
                  "WHERE tag = {} AND \"end\" IS NOT NULL AND gpuId = {}",
                  events::kContextSwitchTable, kContextStart, load.gpu),
      [&](const report::Statement& row) {
        times[row.integer(0)] += insight::covered(load.foreign, row.integer(1), row.integer(2));
      });
  if (!read) return tl::make_unexpected(read.error());
  return times;
}

base::Result<std::string> name_of(const report::ReportReader& reader, std::int64_t process) {
  std::string name = "a process";
  if (!reader.has_table("PROCESSES")) return name;
  const base::Status read = events::for_each_row(
      reader, fmt::format("SELECT name FROM main.PROCESSES WHERE globalPid = {}", process),
      [&](const report::Statement& row) { name = base::mark_name("program", row.text(0)); });
  if (!read) return tl::make_unexpected(read.error());
  return name;
}

base::Result<std::string> user_of(const report::ReportReader& reader, const GpuLoad& load) {
  const auto times = times_of(reader, load);
  if (!times) return tl::make_unexpected(times.error());
  const auto most = std::ranges::max_element(
      *times, {}, [](const TimeByProcess::value_type& each) { return each.second; });
  if (most == times->end() || most->second == 0)
    return std::string("it worked for no context of this report then");
  if (most->first == 0)
    return fmt::format("for {} it worked for a process that is not known", time_text(most->second));
  const auto name = name_of(reader, most->first);
  if (!name) return name;
  return fmt::format("for {} it worked for {} (process {})", time_text(most->second), *name,
                     events::pid_of(most->first));
}

}  // namespace

base::Status name_foreign_users(const report::ReportReader& reader, std::vector<GpuLoad>& loads) {
  if (!reader.has_column(events::kContextSwitchTable, "end")) return {};
  for (GpuLoad& load : loads) {
    if (load.foreign.empty()) continue;
    auto user = user_of(reader, load);
    if (!user) return tl::make_unexpected(user.error());
    load.foreign_user = std::move(*user);
  }
  return {};
}

}  // namespace prof::analyze
