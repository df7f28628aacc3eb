// cuda_api_callers, osrt_callers: calls by the code they come from, as far as call chains were
// recorded.
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/stats/events/api_calls.hpp"
#include "exporters/stats/events/call_chains.hpp"
#include "exporters/stats/events/rows.hpp"
#include "exporters/stats/events/strings.hpp"

namespace prof::stats {

namespace {

struct Source {
  const char* events;
  const char* where;
  const char* chains;
};

struct CallSite {
  std::int64_t name;                                  // of the called function, in StringIds
  std::int64_t caller;                                // number of the text in a Callers
  auto operator<=>(const CallSite&) const = default;  // NOLINT(modernize-use-nullptr)
};
struct HashCallSite {
  std::size_t operator()(const CallSite& site) const {
    return std::hash<std::int64_t>()(site.name * 1'000'003 + site.caller);
  }
};

base::Result<Table> by_caller(const report::ReportReader& reader, const Source& source,
                              const Arguments& arguments) {
  Strings strings(reader);
  auto callers =
      Callers::read(reader, source.chains, arguments.depth, strings, arguments.code_lines.get());
  if (!callers) return tl::make_unexpected(callers.error());
  DurationGroups<CallSite, HashCallSite> groups;
  const base::Status read = for_each_event(
      reader, source.events, "nameId, callchainId", source.where,
      [&](const Times& times, const report::Row& row) {
        const std::int64_t name = row.integer_or(0, Strings::kNone);
        const std::int64_t caller = callers->of_chain(row.integer_or(1, Callers::kNoChain), name);
        if (caller != Callers::kNone) groups.add({name, caller}, times.duration());
      });
  if (!read) return tl::make_unexpected(read.error());
  return summary_table(
      groups, "Num Calls", {"Name", "Caller", "Location"}, [&](const CallSite& site) {
        const Caller& caller = callers->text(site.caller);
        return std::vector<std::string>{std::string(without_version(strings.text(site.name))),
                                        caller.functions, caller.places};
      });
}

}  // namespace

// Of all event classes: in nsys's reports those of 67 have the chains, the calls themselves none.
base::Result<Table> cuda_api_callers(const report::ReportReader& reader,
                                     const Arguments& arguments) {
  return by_caller(reader, {kApiTable, "", "CUDA_CALLCHAINS"}, arguments);
}

base::Result<Table> osrt_callers(const report::ReportReader& reader, const Arguments& arguments) {
  return by_caller(reader, {"OSRT_API", "WHERE eventClass = 27", "OSRT_CALLCHAINS"}, arguments);
}

}  // namespace prof::stats
