// thread_state_sum: how long threads ran, waited for a CPU and slept. With :osrt and :cuda: in
// which calls they waited.
#include <algorithm>
#include <array>

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/thread_names.hpp"
#include "exporters/analysis/insight/thread_states.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "exporters/analysis/stats/cpu/waits_by_call.hpp"
#include "exporters/analysis/tables/percent.hpp"

namespace prof::stats {

using insight::StatePeriod;
using insight::ThreadState;

namespace {

std::int64_t length(const StatePeriod& period) { return period.end - period.start; }

struct States {
  std::array<std::int64_t, insight::kThreadStates> times{};  // ns
  std::array<std::int64_t, insight::kThreadStates> switches{};

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
  const bool has_reasons = unknown == 0;  // the reasons for leaving the CPU are known
  cells.insert(cells.end(),
               {preempted + blocked + unknown, has_reasons ? tables::Cell{blocked} : tables::Cell{},
                has_reasons ? tables::Cell{preempted} : tables::Cell{}, events::pid_of(thread),
                events::tid_of(thread), names.thread(thread)});
  return cells;
}

base::Result<tables::Table> by_thread(const report::ReportReader& reader,
                                      const events::ThreadNames& names) {
  tables::Table table{state_columns(), {}};
  const base::Status read = insight::for_each_thread(
      reader, [&](std::int64_t thread, std::span<const StatePeriod> periods) {
        States states;
        for (const StatePeriod& period : periods) states.add(period);
        table.rows.push_back(state_cells(thread, states, names));
      });
  if (!read) return tl::make_unexpected(read.error());
  constexpr std::size_t kRunningTime = 2;
  tables::sort_descending(table, 0);
  tables::sort_descending(table, kRunningTime);
  return table;
}

}  // namespace

base::Result<tables::Table> thread_state_sum(const report::ReportReader& reader,
                                             const Arguments& arguments) {
  const auto names = events::ThreadNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  if (arguments.waited_in == WaitedIn::kAnything) return by_thread(reader, *names);
  return waits_by_call(reader, *names, arguments);
}

}  // namespace prof::stats
