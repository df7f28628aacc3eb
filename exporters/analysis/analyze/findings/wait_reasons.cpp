#include "exporters/analysis/analyze/findings/wait_reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/verdict.hpp"
#include "exporters/analysis/analyze/program/cpu_facts.hpp"
#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/names.hpp"
#include "exporters/analysis/insight/waits/peer_waits.hpp"
#include "exporters/analysis/tables/percent.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::analyze {

namespace {

using insight::IdleTime;
using insight::Interval;
using insight::Intervals;

// Finds out what threads do. The facts are read only if a reason is needed and the report can have
// one.
class Threads {
 public:
  explicit Threads(const report::ReportReader& reader) : reader_(reader) {}

  // `all` is the time that percentages refer to.
  HostWork work(const std::vector<ThreadTime>& times, std::int64_t all) {
    if (times.empty() || !status_ || !has_data()) return {};
    if (!facts_) {
      auto read = read_cpu_facts(reader_);
      if (!read) {
        status_ = tl::make_unexpected(read.error());
        return {};
      }
      facts_.emplace(std::move(*read));
    }
    return host_work(*facts_, times, all);
  }
  const base::Status& status() const { return status_; }

 private:
  bool has_data() const {
    return std::any_of(kTables.begin(), kTables.end(),
                       [&](const char* table) { return reader_.has_table(table); });
  }

  static constexpr std::initializer_list<const char*> kTables = {
      events::kOsrtTable, events::kSchedulingTable, events::kCpuSampleTable, "PROF_PYTHON_SAMPLES"};
  const report::ReportReader& reader_;
  std::optional<CpuFacts> facts_;
  base::Status status_;
};

// Returns the time from the start of the idle time to the launch that ends it, within `window`.
std::optional<ThreadTime> before_launch(const IdleTime& idle, const Interval& window) {
  const Interval time{std::max(idle.time.start, window.start), std::min(idle.launch, window.end)};
  if (idle.thread == 0 || time.length() <= 0) return std::nullopt;
  return ThreadTime{idle.thread, time};
}

// Describes what launching threads do in idle times of one kind.
HostWork work_in_idle_times(const Facts& facts, Bound bound, Threads& threads) {
  std::vector<ThreadTime> times;
  std::int64_t all = 0;
  for (const IdleTime& each : facts.idle) {
    if (bound_of(facts, each) != bound) continue;
    all = events::sum(all, each.time.length());
    if (const auto time = before_launch(each, each.time)) times.push_back(*time);
  }
  return threads.work(times, all);
}

// Describes what a device and its launching thread do in the times in which others wait for the
// device.
class LateReason {
 public:
  LateReason(const Facts& facts, Threads& threads, std::uint32_t device)
      : facts_(facts), threads_(threads), device_(device) {}

  std::string text(const Intervals& waits) {
    for (const Interval& wait : waits) add(wait);
    const std::int64_t all = insight::total(waits);
    std::string text = "meanwhile is " + idle_text(all);
    if (2 * idle_ < all) return text + computing_text(waits, all);
    text += ranges_text(all);
    const HostWork work = threads_.work(times_, all);
    if (!work.text.empty()) text += "; its launching thread spends " + work.text;
    return text;
  }
  std::int64_t idle() const { return idle_; }

 private:
  void add(const Interval& wait) {
    // The binary search works because the idle times of a device do not overlap.
    auto at = std::lower_bound(facts_.idle.begin(), facts_.idle.end(), wait.start,
                               [&](const IdleTime& idle, std::int64_t time) {
                                 return idle.device < device_ ||
                                        (idle.device == device_ && idle.time.end <= time);
                               });
    for (; at != facts_.idle.end() && at->device == device_ && at->time.start < wait.end; ++at) {
      const std::int64_t length =
          std::min(at->time.end, wait.end) - std::max(at->time.start, wait.start);
      idle_ = events::sum(idle_, length);
      std::int64_t& of_bound = bounds_[bound_of(facts_, *at)];
      of_bound = events::sum(of_bound, length);
      if (at->range != events::RangeTree::kNone)
        ranges_[insight::without_numbers(insight::without_arguments(
            facts_.ranges.name_of(facts_.ranges.at(at->range))))] += static_cast<double>(length);
      if (const auto time = before_launch(*at, wait)) times_.push_back(*time);
    }
  }

  // Returns "61 % idle (CPU work), 20 % idle (synchronization), 19 % busy".
  std::string idle_text(std::int64_t all) const {
    std::vector<std::pair<std::int64_t, Bound>> order;
    for (const auto& [bound, time] : bounds_) order.emplace_back(-time, bound);
    std::sort(order.begin(), order.end());
    std::string text;
    for (const auto& [time, bound] : order)
      if (tables::percent(-time, all) >= kMinPercent)
        text += fmt::format("{:.0f} % {}, ", tables::percent(-time, all), time_name(bound));
    return text + fmt::format("{:.0f} % busy", tables::percent(all - idle_, all));
  }

  std::string ranges_text(std::int64_t all) const {
    constexpr std::size_t kMaximum = 2;
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [range, time] : ranges_) order.emplace_back(-time, range);
    std::sort(order.begin(), order.end());
    std::string text;
    for (std::size_t i = 0; i < std::min(kMaximum, order.size()); ++i)
      if (const double percent = -100 * order[i].first / static_cast<double>(all);
          percent >= kMinPercent)
        text +=
            fmt::format("{} {} ({:.0f} %)", i == 0 ? "; in NVTX range" : ",",
                        base::mark_name("range", tables::one_line(order[i].second, 100)), percent);
    return text;
  }

  std::string computing_text(const Intervals& waits, std::int64_t all) const {
    std::map<std::string, double> kernels;
    for (const insight::Operation& each : facts_.work.operations_of(device_))
      if (const std::int64_t shared = insight::covered(waits, each.start, each.end); shared > 0)
        kernels[facts_.work.name_of(each)] += static_cast<double>(shared);
    const std::string* kernel = key_of_most(kernels);
    if (kernel == nullptr) return "";
    return fmt::format(", {:.0f} % in {}", 100 * kernels.at(*kernel) / static_cast<double>(all),
                       base::mark_name("kernel", tables::one_line(*kernel, 120)));
  }

  static constexpr double kMinPercent = 5;
  const Facts& facts_;
  Threads& threads_;
  std::uint32_t device_;
  std::int64_t idle_ = 0;
  std::map<Bound, std::int64_t> bounds_;  // the parts of idle_
  std::map<std::string, double> ranges_;
  std::vector<ThreadTime> times_;
};

std::vector<LateDevice> late_devices(const Facts& facts, Threads& threads) {
  // Waits by late device and waiting device. The wait of a device in two kernels at once counts
  // once.
  std::map<std::uint32_t, std::map<std::uint32_t, std::vector<Interval>>> waits;
  std::map<std::uint32_t, Intervals> counted;  // waits that were counted, by waiting device
  for (const insight::PeerWait& each : insight::peer_waits(facts.work)) {
    for (const Interval& time : insight::difference({each.time}, counted[each.device]))
      waits[each.peer][each.device].push_back(time);
    // Waits come in the order of time, so only the latest one can overlap with the next.
    counted[each.device] = {each.time};
  }
  std::vector<LateDevice> result;
  for (auto& [device, by_waiting] : waits) {
    LateDevice& late = result.emplace_back();
    late.device = device;
    std::vector<Interval> all;
    for (auto& [waiting, times] : by_waiting) {
      const std::int64_t waited = insight::total(insight::merged(times));
      late.waited = events::sum(late.waited, waited);
      late.waiting.push_back(waiting);
      if (waited > late.longest) {
        late.longest = waited;
        std::swap(late.waiting.front(), late.waiting.back());
      }
      all.insert(all.end(), times.begin(), times.end());
    }
    late.times = insight::merged(std::move(all));
    LateReason reason(facts, threads, device);
    late.reason = reason.text(late.times);
    late.idle = reason.idle();
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const LateDevice& a, const LateDevice& b) { return a.waited > b.waited; });
  return result;
}

std::string device_text(const Facts& facts, std::uint32_t index) {
  const insight::Device& device = facts.work.devices()[index];
  return fmt::format("GPU {} of process {}", device.number, events::pid_of(device.global_pid));
}

}  // namespace

base::Status explain_waits(const report::ReportReader& reader, Facts& facts) {
  Threads threads(reader);
  facts.cpu_work = work_in_idle_times(facts, Bound::kCpu, threads);
  facts.loading_work = work_in_idle_times(facts, Bound::kDataLoading, threads);
  facts.late = late_devices(facts, threads);
  return threads.status();
}

std::string late_device_text(const Facts& facts, const LateDevice& late) {
  const std::uint32_t first = late.waiting.front();
  std::string who = device_text(facts, first) + " waits";
  if (late.waiting.size() > 1)
    who = fmt::format("{} and {} wait", device_text(facts, first),
                      count_text(static_cast<std::int64_t>(late.waiting.size() - 1), "other GPU"));
  return fmt::format("{} {}{:.0f} % of {} time in communication kernels for {}, which {}", who,
                     late.waiting.size() > 1 ? "up to " : "",
                     tables::percent(late.longest, facts.spans[first].length()),
                     late.waiting.size() > 1 ? "their" : "its", device_text(facts, late.device),
                     late.reason);
}

}  // namespace prof::analyze
