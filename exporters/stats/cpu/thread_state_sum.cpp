// thread_state_sum: what threads did with their time; with :osrt and :cuda, what they waited in.
#include <algorithm>
#include <array>
#include <tuple>

#include "exporters/events/api_calls.hpp"
#include "exporters/events/call_chains.hpp"
#include "exporters/events/event_tables.hpp"
#include "exporters/events/global_ids.hpp"
#include "exporters/events/rows.hpp"
#include "exporters/events/strings.hpp"
#include "exporters/events/thread_names.hpp"
#include "exporters/insight/thread_states.hpp"
#include "exporters/stats/catalog.hpp"
#include "exporters/stats/duration_summary.hpp"
#include "exporters/tables/percent.hpp"

namespace prof::stats {

namespace {

std::int64_t length(const StatePeriod& period) { return period.end - period.start; }

struct States {
  std::array<std::int64_t, kThreadStates> times{};  // ns
  std::array<std::int64_t, kThreadStates> switches{};

  std::int64_t& time(ThreadState state) { return times[static_cast<std::size_t>(state)]; }
  void add(const StatePeriod& period) {
    time(period.state) += length(period);
    if (period.is_switch) ++switches[static_cast<std::size_t>(period.state)];
  }
  std::int64_t all() const { return times[0] + times[1] + times[2] + times[3]; }
};

std::vector<tables::ColumnSpec> state_columns() {
  std::vector<tables::ColumnSpec> columns = {{"Time (ns)", tables::CellKind::kInteger}};
  for (const char* state : {"Running", "Runnable", "Blocked", "Off CPU"}) {
    columns.push_back({std::string(state) + " (%)", tables::CellKind::kReal, 1});
    columns.push_back({std::string(state) + " (ns)", tables::CellKind::kInteger});
  }
  for (const char* header : {"Switches", "Voluntary", "Involuntary", "PID", "TID"})
    columns.push_back({header, tables::CellKind::kInteger});
  columns.push_back({"Thread", tables::CellKind::kText});
  return columns;
}

std::vector<tables::Cell> state_cells(std::int64_t thread, const States& states,
                                      const events::ThreadNames& names) {
  std::vector<tables::Cell> cells = {states.all()};
  for (const std::int64_t time : states.times) {
    cells.emplace_back(tables::percent(time, states.all()));
    cells.emplace_back(time);
  }
  const auto [running, preempted, blocked, unknown] = states.switches;
  const bool told = unknown == 0;  // why it left its CPU
  cells.insert(cells.end(),
               {preempted + blocked + unknown, told ? tables::Cell{blocked} : tables::Cell{},
                told ? tables::Cell{preempted} : tables::Cell{}, events::pid_of(thread),
                events::tid_of(thread), names.thread(thread)});
  return cells;
}

base::Result<tables::Table> by_thread(const report::ReportReader& reader,
                                      const events::ThreadNames& names) {
  tables::Table table{state_columns(), {}};
  const base::Status read =
      for_each_thread(reader, [&](std::int64_t thread, std::span<const StatePeriod> periods) {
        States states;
        for (const StatePeriod& period : periods) states.add(period);
        table.rows.push_back(state_cells(thread, states, names));
      });
  if (!read) return tl::make_unexpected(read.error());
  constexpr std::size_t kRunningTime = 2;
  tables::sort_falling(table, 0);
  tables::sort_falling(table, kRunningTime);
  return table;
}

// Where calls are that threads may wait in.
struct CallSource {
  const char* table;
  const char* chains;
  const char* none;  // in place of a call
};
constexpr CallSource kOsrtCalls{events::kOsrtTable, "OSRT_CALLCHAINS", "[No OS-runtime call]"};
constexpr CallSource kCudaCalls{events::kApiTable, "CUDA_CALLCHAINS", "[No CUDA call]"};

struct Call {
  std::int64_t thread;
  events::Times times;
  std::int64_t name;
  std::int64_t chain;
};

// All of them, by thread and start, the outer first.
base::Result<std::vector<Call>> read_calls(const report::ReportReader& reader,
                                           const CallSource& source) {
  std::vector<Call> calls;
  if (!reader.has_table(source.table)) return calls;
  std::int64_t faulty = 0;
  const base::Status read = report::scan(
      reader, "globalTid, start, \"end\", nameId, callchainId", std::string("main.") + source.table,
      [&](const report::Row& row) {
        const events::Times times{row.integer_or(1, INT64_MAX), row.integer_or(2, INT64_MIN)};
        if (times.make_sense())
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

// The innermost call around a moment, for moments in the order of threads and time.
class Around {
 public:
  explicit Around(const std::vector<Call>& calls) : next_(calls.begin()), end_(calls.end()) {}

  const Call* of(std::int64_t thread, std::int64_t time) {
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
  std::int64_t name;                              // Strings::kNone: in no call
  std::int64_t caller;                            // in a Callers, or kNone
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

base::Result<tables::Table> by_call(const report::ReportReader& reader,
                                    const events::ThreadNames& names, const CallSource& source,
                                    const Arguments& arguments) {
  events::Strings strings(reader);
  auto callers = read_callers(reader, source, arguments, strings);
  if (!callers) return tl::make_unexpected(callers.error());
  const auto calls = read_calls(reader, source);
  if (!calls) return tl::make_unexpected(calls.error());
  Around around(*calls);
  DurationGroups<Wait, HashWait> waits;
  const base::Status read =
      for_each_thread(reader, [&](std::int64_t thread, std::span<const StatePeriod> periods) {
        for (const StatePeriod& period : periods) {
          if (period.state < ThreadState::kBlocked) continue;
          const Call* call = around.of(thread, period.since);
          Wait wait{thread, period.state, events::Strings::kNone, events::Callers::kNone};
          if (call != nullptr) wait.name = call->name;
          if (call != nullptr && *callers)
            wait.caller = (*callers)->of_chain(call->chain, call->name);
          waits.add(wait, length(period));
        }
      });
  if (!read) return tl::make_unexpected(read.error());
  tables::Table table{summary_columns("Waits"), {}};
  for (const char* header : {"State", "Function", "Caller", "Location"})
    table.columns.push_back({header, tables::CellKind::kText});
  table.columns.insert(table.columns.end(), {{"PID", tables::CellKind::kInteger},
                                             {"TID", tables::CellKind::kInteger},
                                             {"Thread", tables::CellKind::kText}});
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

}  // namespace

base::Result<tables::Table> thread_state_sum(const report::ReportReader& reader,
                                             const Arguments& arguments) {
  const auto names = events::ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  if (arguments.waited_in == WaitedIn::kAnything) return by_thread(reader, *names);
  const CallSource& source = arguments.waited_in == WaitedIn::kOsrt ? kOsrtCalls : kCudaCalls;
  return by_call(reader, *names, source, arguments);
}

}  // namespace prof::stats
