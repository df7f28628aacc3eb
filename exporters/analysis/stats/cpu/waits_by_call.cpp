#include "exporters/analysis/stats/cpu/waits_by_call.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/call_chains/callers.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/insight/thread_states.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::stats {

using insight::ThreadState;

namespace {

// A table of calls in which threads may wait.
struct CallSource {
  const char* table;
  const char* chains;
  const char* none;  // printed if the thread was in no such call
};
constexpr CallSource kOsrtCalls{events::kOsrtTable, events::kOsrtCallChainTable,
                                "[No OS-runtime call]"};
constexpr CallSource kCudaCalls{events::kApiTable, events::kApiCallChainTable, "[No CUDA call]"};

struct Call {
  std::int64_t thread;
  events::Times times;
  std::int64_t name;
  std::int64_t chain;
};

// Reads all calls, ignoring the filter. They are sorted by thread and start; outer calls come
// first.
base::Result<std::vector<Call>> read_calls(const report::ReportReader& reader,
                                           const CallSource& source) {
  std::vector<Call> calls;
  if (!reader.has_table(source.table)) return calls;
  std::int64_t faulty = 0;
  report::TableQuery query{source.table, {"globalTid", "start", "end", "nameId", "callchainId"}};
  query.ignores_filter = true;
  const base::Status read = report::scan(reader, query, [&](const report::Row& row) {
    const events::Times times{row.integer_or(1, INT64_MAX), row.integer_or(2, INT64_MIN)};
    if (times.is_valid())
      calls.push_back({row.integer(0), times, row.integer_or(3, events::Strings::kNone),
                       row.integer_or(4, events::Callers::kNoChain)});
    else
      ++faulty;
  });
  if (faulty > 0) reader.note_faulty(source.table, faulty);
  if (!read) return tl::make_unexpected(read.error());
  std::sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) {
    return std::tuple(a.thread, a.times.start, -a.times.end) <
           std::tuple(b.thread, b.times.start, -b.times.end);
  });
  return calls;
}

// Finds the innermost call around a time. The times must be passed in the order of threads and
// time.
class InnermostCalls {
 public:
  explicit InnermostCalls(const std::vector<Call>& calls)
      : next_(calls.begin()), end_(calls.end()) {}

  const Call* at(std::int64_t thread, std::int64_t time) {
    while (next_ != end_ && std::tie(next_->thread, next_->times.start) <= std::tie(thread, time))
      open_.push_back(&*next_++);
    while (!open_.empty() && (open_.back()->thread != thread || open_.back()->times.end < time))
      open_.pop_back();
    return open_.empty() ? nullptr : open_.back();
  }

 private:
  std::vector<Call>::const_iterator next_;
  std::vector<Call>::const_iterator end_;
  std::vector<const Call*> open_;
};

struct Wait {
  std::int64_t thread;
  ThreadState state;
  std::int64_t name;    // StringIds.id of the call's name, or Strings::kNone
  std::int64_t caller;  // number in Callers, or kNone
  auto operator<=>(const Wait&) const = default;  // NOLINT(modernize-use-nullptr)
};
struct HashWait {
  std::size_t operator()(const Wait& wait) const {
    std::size_t hash = std::hash<std::int64_t>()(wait.thread);
    for (const std::int64_t each : {std::int64_t(wait.state), wait.name, wait.caller})
      hash = hash * 1'000'003 + std::hash<std::int64_t>()(each);
    return hash;
  }
};

using Waits = DurationGroups<Wait, HashWait>;

base::Result<std::optional<events::Callers>> read_callers(const report::ReportReader& reader,
                                                          const CallSource& source,
                                                          const Arguments& arguments,
                                                          events::Strings& strings) {
  if (!reader.has_table(source.chains)) return std::nullopt;
  auto callers = events::Callers::read(reader, source.chains, arguments.depth, strings,
                                       arguments.code_lines.get());
  if (!callers) return tl::make_unexpected(callers.error());
  return std::optional(*std::move(callers));
}

// Adds the periods in which the thread waited, each under the call in which it waited.
void add_waits(std::int64_t thread, std::span<const insight::StatePeriod> periods,
               InnermostCalls& calls, std::optional<events::Callers>& callers, Waits& waits) {
  for (const insight::StatePeriod& period : periods) {
    if (period.state < ThreadState::kBlocked) continue;
    const Call* call = calls.at(thread, period.since);
    Wait wait{thread, period.state, events::Strings::kNone, events::Callers::kNone};
    if (call != nullptr) wait.name = call->name;
    if (call != nullptr && callers) wait.caller = callers->caller_of(call->chain, call->name);
    waits.add(wait, period.end - period.start);
  }
}

std::vector<tables::ColumnSpec> wait_columns() {
  auto columns = summary_columns("Waits");
  for (const char* header : {"State", "Function", "Caller", "Location"})
    columns.push_back({header, tables::CellKind::kText});
  columns.insert(columns.end(), {{"PID", tables::CellKind::kInteger},
                                 {"TID", tables::CellKind::kInteger},
                                 {"Thread", tables::CellKind::kText}});
  return columns;
}

}  // namespace

base::Result<tables::Table> waits_by_call(const report::ReportReader& reader,
                                          const events::ThreadNames& names,
                                          const Arguments& arguments) {
  const CallSource& source = arguments.waited_in == WaitedIn::kOsrt ? kOsrtCalls : kCudaCalls;
  events::Strings strings(reader);
  auto callers = read_callers(reader, source, arguments, strings);
  if (!callers) return tl::make_unexpected(callers.error());
  const auto calls = read_calls(reader, source);
  if (!calls) return tl::make_unexpected(calls.error());
  InnermostCalls innermost(*calls);
  Waits waits;
  const base::Status read = insight::for_each_thread(
      reader, [&](std::int64_t thread, std::span<const insight::StatePeriod> periods) {
        add_waits(thread, periods, innermost, *callers, waits);
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{wait_columns(), {}};
  for (const auto& [wait, durations, share] : waits.summarise()) {
    const bool known = wait.caller != events::Callers::kNone;
    const events::Caller caller = known ? (*callers)->text(wait.caller) : events::Caller{};
    auto& row = table.rows.emplace_back(summary_cells(durations, share));
    row.insert(row.end(), {wait.state == ThreadState::kBlocked ? "blocked" : "off CPU",
                           wait.name == events::Strings::kNone
                               ? std::string(source.none)
                               : std::string(events::without_version(strings.text(wait.name))),
                           caller.functions, caller.places, events::pid_of(wait.thread),
                           events::tid_of(wait.thread), names.thread(wait.thread)});
  }
  return table;
}

}  // namespace prof::stats
