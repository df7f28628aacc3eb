#include "exporters/analysis/insight/thread_states.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

namespace {

constexpr std::int64_t kOpenEnd = INT64_MAX;

struct Event {
  std::int64_t thread;
  std::int64_t start;
  std::int64_t state;  // ENUM_SAMPLING_THREAD_STATE
  std::int64_t row;    // rowid
  std::int32_t cpu;
  bool is_in;
  std::int64_t limit = kOpenEnd;  // see CpuHandovers
};

// ENUM_SAMPLING_THREAD_STATE
enum SchedulerState : std::int64_t {
  kInterruptible = 2,
  kUninterruptible = 3,
  kStopped = 4,
  kTerminated = 5,
  kUnscheduled = 6,
  kWaiting = 7
};

ThreadState state_after(const Event& event) {
  if (event.is_in) return ThreadState::kRunning;
  switch (event.state) {
    case kUnscheduled:
      return ThreadState::kRunnable;
    case kInterruptible:
    case kUninterruptible:
    case kStopped:
    case kWaiting:
      return ThreadState::kBlocked;
    default:
      return ThreadState::kOffCpu;
  }
}

// Reads all events and ignores the filter, because the state at the start of the filter's window is
// known only from the event before it.
base::Result<std::vector<Event>> read_events(const report::ReportReader& reader) {
  std::vector<Event> events;
  std::int64_t faulty = 0;
  report::TableQuery query{
      events::kSchedulingTable,
      {"globalTid", "start", report::column_or(reader, events::kSchedulingTable, "threadState"),
       "isSchedIn", "rowid", "cpu"}};
  query.ignores_filter = true;
  const base::Status read = report::scan(reader, query, [&](const report::Row& row) {
    const std::int64_t start = row.integer_or(1, INT64_MAX);
    if (start >= -events::kMaxTime && start <= events::kMaxTime)
      events.push_back({row.integer(0), start, row.integer(2), row.integer(4),
                        static_cast<std::int32_t>(row.integer(5)), row.integer(3) != 0});
    else
      ++faulty;
  });
  if (faulty > 0) reader.note_faulty(events::kSchedulingTable, faulty);
  if (!read) return tl::make_unexpected(read.error());
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.thread, a.start) < std::tie(b.thread, b.start);
  });
  return events;
}

// Limits runs whose other end has no event, because it was lost or the thread ended or began
// without one. Otherwise they would go on to the end of the recording, or begin with it. A CPU runs
// one thread at a time: such a run is over when another thread gets its CPU, and begins after the
// last event of its CPU.
class CpuHandovers {
 public:
  // `events` are sorted by thread and time.
  explicit CpuHandovers(std::span<Event> events) : events_(events) {
    for (std::size_t i = 0; i < events.size(); ++i) {
      const bool is_first = i == 0 || events[i - 1].thread != events[i].thread;
      const bool is_last = i + 1 == events.size() || events[i + 1].thread != events[i].thread;
      if (events[i].is_in && (is_last || events[i + 1].is_in))
        without_end_[events[i].cpu].push_back(&events[i]);
      if (!events[i].is_in && is_first) without_start_[events[i].cpu].push_back(&events[i]);
    }
    for (ByCpu* runs : {&without_end_, &without_start_})
      for (auto& [cpu, of_cpu] : *runs)
        std::sort(of_cpu.begin(), of_cpu.end(),
                  [](const Event* a, const Event* b) { return a->start < b->start; });
  }

  void limit() {
    if (without_end_.empty() && without_start_.empty()) return;
    for (const Event& each : events_) {
      if (Event* run = last_before(without_end_, each); run != nullptr)
        run->limit = std::min(run->limit, each.start);
      if (Event* run = first_after(without_start_, each); run != nullptr)
        run->limit = run->limit == kOpenEnd ? each.start : std::max(run->limit, each.start);
    }
  }

 private:
  using ByCpu = std::unordered_map<std::int32_t, std::vector<Event*>>;  // sorted by time

  // Return the run of another thread on the event's CPU next to the event, or null. Runs that are
  // further away have a nearer event: that of the run in between.
  static Event* last_before(const ByCpu& runs, const Event& event) {
    const auto of_cpu = runs.find(event.cpu);
    if (of_cpu == runs.end()) return nullptr;
    const auto at =
        std::lower_bound(of_cpu->second.begin(), of_cpu->second.end(), event.start,
                         [](const Event* each, std::int64_t start) { return each->start < start; });
    if (at == of_cpu->second.begin() || (*std::prev(at))->thread == event.thread) return nullptr;
    return *std::prev(at);
  }
  static Event* first_after(const ByCpu& runs, const Event& event) {
    const auto of_cpu = runs.find(event.cpu);
    if (of_cpu == runs.end()) return nullptr;
    const auto at =
        std::upper_bound(of_cpu->second.begin(), of_cpu->second.end(), event.start,
                         [](std::int64_t start, const Event* each) { return start < each->start; });
    return at == of_cpu->second.end() || (*at)->thread == event.thread ? nullptr : *at;
  }

  std::span<Event> events_;
  ByCpu without_end_;    // the events that begin these runs
  ByCpu without_start_;  // the events that end these runs
};

// Returns the end of the recording, or the time of its last event if that is later.
base::Result<std::int64_t> end_of(const report::ReportReader& reader, std::int64_t last) {
  if (!reader.has_column("ANALYSIS_DETAILS", "duration")) return last;
  const base::Status read = events::for_each_row(
      reader, "SELECT duration FROM main.ANALYSIS_DETAILS", [&](const report::Statement& row) {
        last = std::max(last, std::min(row.integer(0), events::kMaxTime));
      });
  if (!read) return tl::make_unexpected(read.error());
  return last;
}

// Builds the periods of one thread after another.
class ThreadHistory {
 public:
  explicit ThreadHistory(const events::EventFilter& window) : window_(window) {}

  // Starts a thread with its first event. `first` is the time of the recording's first event.
  void begin(const Event& event, std::int64_t first) {
    periods_.clear();
    is_alive_ = !event.is_in;
    since_ = event.limit == kOpenEnd ? first : std::max(first, event.limit);
    row_ = event.row;
    cpu_ = event.cpu;
    state_ = ThreadState::kRunning;
    limit_ = kOpenEnd;
    was_switch_ = false;
  }
  void add(const Event& event) {
    const bool ran = is_alive_ && state_ == ThreadState::kRunning && limit_ >= event.start;
    close(event.start);
    if (is_alive_ && limit_ < event.start) close_unknown(event.start);
    is_alive_ = event.is_in || event.state != kTerminated;
    state_ = state_after(event);
    since_ = event.start;
    row_ = event.row;
    cpu_ = event.cpu;
    limit_ = event.is_in ? event.limit : kOpenEnd;
    was_switch_ = ran && !event.is_in;
  }
  std::span<const StatePeriod> finish(std::int64_t end) {
    close(end);
    return periods_;
  }

 private:
  // Adds what follows a run whose end is not known.
  void close_unknown(std::int64_t end) {
    state_ = ThreadState::kOffCpu;
    since_ = limit_;
    limit_ = kOpenEnd;
    was_switch_ = false;
    close(end);
  }
  void close(std::int64_t end) {
    if (!is_alive_) return;
    end = std::min(end, limit_);
    const std::int64_t from = std::max(since_, window_.start);
    const std::int64_t to = std::min(end, window_.end);
    if (from > to || (from == to && since_ != end)) return;
    periods_.push_back({from, to, since_, row_, state_, was_switch_ && since_ == from, cpu_});
  }

  events::EventFilter window_;
  std::vector<StatePeriod> periods_;
  bool is_alive_ = false;
  bool was_switch_ = false;
  std::int64_t since_ = 0;
  std::int64_t limit_ = kOpenEnd;  // end of a run whose end has no event
  std::int64_t row_ = 0;
  std::int32_t cpu_ = 0;
  ThreadState state_ = ThreadState::kRunning;
};

}  // namespace

base::Status for_each_thread(const report::ReportReader& reader, const VisitThread& visit) {
  auto events = read_events(reader);
  if (!events) return tl::make_unexpected(events.error());
  if (events->empty()) return {};
  const auto by_start = [](const Event& a, const Event& b) { return a.start < b.start; };
  const auto [first, last] = std::minmax_element(events->begin(), events->end(), by_start);
  const auto end = end_of(reader, last->start);
  if (!end) return tl::make_unexpected(end.error());
  const events::EventFilter& window = reader.filter();
  CpuHandovers(*events).limit();
  ThreadHistory history(window);
  for (auto at = events->begin(); at != events->end();) {
    const std::int64_t thread = at->thread;
    const auto next =
        std::find_if(at, events->end(), [&](const Event& event) { return event.thread != thread; });
    history.begin(*at, first->start);
    for (; at != next; ++at) history.add(*at);
    const auto periods = history.finish(*end);
    if (events::selects(window, thread) && !periods.empty()) visit(thread, periods);
  }
  return {};
}

}  // namespace prof::insight
