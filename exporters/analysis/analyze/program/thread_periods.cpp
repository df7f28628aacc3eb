#include "exporters/analysis/analyze/program/thread_periods.hpp"

#include <algorithm>

namespace prof::analyze {

namespace {

using insight::Interval;
using insight::Intervals;
using insight::ThreadState;

constexpr std::uint32_t kNoCall = CpuFacts::kNone;

// Finds the innermost call around a time. The times must be passed in ascending order.
class InnermostCall {
 public:
  explicit InnermostCall(const ThreadEvents& events) : events_(events) {}

  // Returns the call's index in CpuFacts::calls, or kNoCall.
  std::uint32_t at(std::int64_t time) {
    const auto& calls = events_.calls;
    for (; next_ < calls.size() && calls[next_].start <= time; ++next_) open_.push_back(next_);
    while (!open_.empty() && calls[open_.back()].end < time) open_.pop_back();
    return open_.empty() ? kNoCall : events_.first_call + static_cast<std::uint32_t>(open_.back());
  }

 private:
  const ThreadEvents& events_;
  std::size_t next_ = 0;
  std::vector<std::size_t> open_;
};

bool is_within(const Intervals& intervals, std::int64_t time) {
  const auto next =
      std::upper_bound(intervals.begin(), intervals.end(), time,
                       [](std::int64_t value, const Interval& each) { return value < each.start; });
  return next != intervals.begin() && time < std::prev(next)->end;
}

class PeriodBuilder {
 public:
  PeriodBuilder(const ThreadEvents& events, const PeriodRules& rules, std::uint32_t thread,
                std::vector<Period>& periods)
      : events_(events), rules_(rules), thread_(thread), periods_(periods) {}

  void from_states() {
    InnermostCall innermost(events_);
    for (const insight::StatePeriod& state : events_.states) {
      if (state.state == ThreadState::kRunning) {
        add(state.start, state.end, Activity::kRunning, kNoCall);
      } else if (state.state == ThreadState::kRunnable) {
        add(state.start, state.end, Activity::kNeedsCpu, kNoCall);
      } else {
        const std::uint32_t call = innermost.at(state.since);
        add(state.start, state.end, activity_in(call, state.start), call);
      }
    }
  }

  // Makes periods without scheduler states: a thread waits in calls that may block, except where it
  // was sampled.
  void from_calls() {
    const Interval life = extent();
    std::int64_t now = life.start;
    for (std::uint32_t i = 0; i < events_.calls.size(); ++i) {
      const OsCall& call = events_.calls[i];
      const std::uint32_t index = events_.first_call + i;
      if (call.is_nested || call.end <= now) continue;
      const Activity activity = activity_in(index, call.start);
      if (activity == Activity::kUnknown) continue;
      between_calls(now, call.start);
      outside_samples(std::max(now, call.start), call.end, activity, index);
      now = call.end;
    }
    between_calls(now, life.end);
  }

 private:
  Interval extent() const {
    Interval all{INT64_MAX, INT64_MIN};
    const auto include = [&](std::int64_t start, std::int64_t end) {
      all = {std::min(all.start, start), std::max(all.end, end)};
    };
    for (const OsCall& call : events_.calls) include(call.start, call.end);
    if (!events_.samples.empty())
      include(events_.samples.front().start, events_.samples.back().end);
    return all;
  }

  Activity activity_in(std::uint32_t call, std::int64_t time) const {
    if (is_within(events_.lock_waits, time)) return Activity::kGil;
    if (call == kNoCall) return Activity::kUnknown;
    return rules_.wait_of(events_.calls[call - events_.first_call]);
  }

  void add(std::int64_t start, std::int64_t end, Activity activity, std::uint32_t call) {
    if (start >= end) return;
    Period& period = periods_.emplace_back();
    period.start = start;
    period.end = end;
    period.thread = thread_;
    period.call = call;
    period.activity = activity;
  }

  // Adds running periods where there are samples, and periods of `activity` elsewhere.
  void outside_samples(std::int64_t start, std::int64_t end, Activity activity,
                       std::uint32_t call) {
    const Intervals& samples = events_.samples;
    while (next_sample_ < samples.size() && samples[next_sample_].end <= start) ++next_sample_;
    for (std::size_t i = next_sample_; i < samples.size() && samples[i].start < end; ++i) {
      add(start, samples[i].start, activity, call);
      add(std::max(start, samples[i].start), std::min(end, samples[i].end), Activity::kRunning,
          kNoCall);
      start = samples[i].end;
    }
    add(start, end, activity, call);
  }

  void between_calls(std::int64_t start, std::int64_t end) {
    // The limit is above one interval, because the distances between samples of a busy thread vary.
    const std::int64_t shortest_gap = rules_.sampling_interval * 5 / 2;
    if (rules_.sampling_interval == 0) return add(start, end, Activity::kRunning, kNoCall);
    const std::size_t first = periods_.size();
    outside_samples(start, end, Activity::kUnknown, kNoCall);
    for (std::size_t i = first; i < periods_.size(); ++i)
      if (periods_[i].length() < shortest_gap) periods_[i].activity = Activity::kRunning;
  }

  const ThreadEvents& events_;
  const PeriodRules& rules_;
  std::uint32_t thread_;
  std::vector<Period>& periods_;
  std::size_t next_sample_ = 0;
};

}  // namespace

void append_periods(const ThreadEvents& events, const PeriodRules& rules, std::uint32_t thread,
                    std::vector<Period>& periods) {
  PeriodBuilder builder(events, rules, thread, periods);
  if (!events.states.empty())
    builder.from_states();
  else if (!events.calls.empty() || !events.samples.empty())
    builder.from_calls();
}

}  // namespace prof::analyze
