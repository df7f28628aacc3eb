#include "exporters/analysis/insight/thread_states.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::insight {

namespace {

struct Event {
  std::int64_t thread;
  std::int64_t start;
  std::int64_t state;  // ENUM_SAMPLING_THREAD_STATE
  std::int64_t row;    // rowid
  bool is_in;
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
  const char* state =
      reader.has_column(events::kSchedulingTable, "threadState") ? "threadState" : "NULL";
  const base::Status read =
      report::scan(reader, std::string("globalTid, start, ") + state + ", isSchedIn, rowid",
                   std::string("main.") + events::kSchedulingTable, [&](const report::Row& row) {
                     const std::int64_t start = row.integer_or(1, INT64_MAX);
                     if (start >= -events::kMaxTime && start <= events::kMaxTime)
                       events.push_back({row.integer(0), start, row.integer(2), row.integer(4),
                                         row.integer(3) != 0});
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
    since_ = first;
    row_ = event.row;
    state_ = ThreadState::kRunning;
    was_switch_ = false;
  }
  void add(const Event& event) {
    const bool ran = is_alive_ && state_ == ThreadState::kRunning;
    close(event.start);
    is_alive_ = event.is_in || event.state != kTerminated;
    state_ = state_after(event);
    since_ = event.start;
    row_ = event.row;
    was_switch_ = ran && !event.is_in;
  }
  std::span<const StatePeriod> finish(std::int64_t end) {
    close(end);
    return periods_;
  }

 private:
  void close(std::int64_t end) {
    if (!is_alive_) return;
    const std::int64_t from = std::max(since_, window_.start);
    const std::int64_t to = std::min(end, window_.end);
    if (from > to || (from == to && since_ != end)) return;
    periods_.push_back({from, to, since_, row_, state_, was_switch_ && since_ == from});
  }

  events::EventFilter window_;
  std::vector<StatePeriod> periods_;
  bool is_alive_ = false;
  bool was_switch_ = false;
  std::int64_t since_ = 0;
  std::int64_t row_ = 0;
  ThreadState state_ = ThreadState::kRunning;
};

}  // namespace

base::Status for_each_thread(const report::ReportReader& reader, const VisitThread& visit) {
  const auto events = read_events(reader);
  if (!events) return tl::make_unexpected(events.error());
  if (events->empty()) return {};
  const auto by_start = [](const Event& a, const Event& b) { return a.start < b.start; };
  const auto [first, last] = std::minmax_element(events->begin(), events->end(), by_start);
  const auto end = end_of(reader, last->start);
  if (!end) return tl::make_unexpected(end.error());
  const events::EventFilter& window = reader.filter();
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
