// cuda_api_callers, osrt_callers: calls by the code that calls them. Calls without a recorded call
// chain are left out.
#include "exporters/analysis/events/call_chains/callers.hpp"
#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

namespace {

struct CallerSource {
  const char* events;
  std::optional<report::RowCondition> condition;
  const char* chains;
};

struct CallSite {
  std::int64_t name;                                  // StringIds.id of the called function
  std::int64_t caller;                                // number in events::Callers
  auto operator<=>(const CallSite&) const = default;  // NOLINT(modernize-use-nullptr)
};
struct HashCallSite {
  std::size_t operator()(const CallSite& site) const {
    return std::hash<std::int64_t>()(site.name * 1'000'003 + site.caller);
  }
};

base::Result<tables::Table> by_caller(const report::ReportReader& reader,
                                      const CallerSource& source, const Arguments& arguments) {
  events::Strings strings(reader);
  auto callers = events::Callers::read(reader, source.chains, arguments.depth, strings,
                                       arguments.code_lines.get());
  if (!callers) return tl::make_unexpected(callers.error());
  DurationGroups<CallSite, HashCallSite> groups;
  const base::Status read =
      events::for_each_event(reader, {source.events, {"nameId", "callchainId"}, source.condition},
                             [&](const events::Times& times, const report::Row& row) {
                               const std::int64_t name = row.integer_or(0, events::Strings::kNone);
                               const std::int64_t caller = callers->caller_of(
                                   row.integer_or(1, events::Callers::kNoChain), name);
                               if (caller != events::Callers::kNone)
                                 groups.add({name, caller}, times.duration());
                             });
  if (!read) return tl::make_unexpected(read.error());
  return summary_table(groups, "Num Calls", {"Name", "Caller", "Location"},
                       [&](const CallSite& site) {
                         const events::Caller& caller = callers->text(site.caller);
                         return std::vector<std::string>{
                             std::string(events::without_version(strings.text(site.name))),
                             caller.functions, caller.places};
                       });
}

}  // namespace

// Reads rows of all event classes: in nsys's reports only rows of class 67 have call chains.
base::Result<tables::Table> cuda_api_callers(const report::ReportReader& reader,
                                             const Arguments& arguments) {
  return by_caller(reader, {events::kApiTable, {}, events::kApiCallChainTable}, arguments);
}

base::Result<tables::Table> osrt_callers(const report::ReportReader& reader,
                                         const Arguments& arguments) {
  return by_caller(reader, {events::kOsrtTable, events::osrt_calls(), events::kOsrtCallChainTable},
                   arguments);
}

}  // namespace prof::stats
