#include "exporters/analysis/analyze/program/waits/host_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "exporters/analysis/analyze/program/waits/call_sites.hpp"
#include "exporters/analysis/analyze/program/waits/periods.hpp"
#include "exporters/analysis/analyze/program/waits/places.hpp"

namespace prof::analyze {

namespace {

using events::CallTree;
using insight::Interval;

// The part of PyTorch's DataLoader in which a Python call chain is.
enum class Loading : std::uint8_t {
  kNot,
  kInThread,    // the thread that iterates makes the data itself: num_workers=0
  kForWorkers,  // the thread that iterates waits for worker processes
  kWorker       // in a worker process
};
constexpr std::size_t kLoadings = 4;

Loading loading_of(const events::Function& function) {
  const std::string_view file(function.module);
  if (file.find("utils/data/_utils/worker.py") != std::string_view::npos) return Loading::kWorker;
  if (file.find("utils/data/dataloader.py") == std::string_view::npos) return Loading::kNot;
  const std::string_view name(function.name);
  if (name.ends_with("_get_data")) return Loading::kForWorkers;
  if (name.starts_with("_MultiProcessing")) return Loading::kForWorkers;
  return name.ends_with("_next_data") ? Loading::kInThread : Loading::kNot;
}

class Loadings {
 public:
  explicit Loadings(const CodeProfile& profile) : profile_(profile) {}

  Loading of(CallTree::Node node) {
    const auto [at, is_new] = known_.try_emplace(node, Loading::kNot);
    if (is_new)
      for (CallTree::Node each = node; each != CallTree::kNone && at->second == Loading::kNot;
           each = profile_.tree.parent(each))
        at->second = loading_of(profile_.code.function_of(profile_.tree.frame(each)));
    return at->second;
  }

 private:
  const CodeProfile& profile_;
  std::unordered_map<CallTree::Node, Loading> known_;
};

// Sums up what threads do in the given times.
class WorkSum {
 public:
  WorkSum(CpuFacts& facts, double all) : facts_(facts), all_(all) {
    for (std::uint32_t i = 0; i < facts.threads.size(); ++i)
      numbers_[facts.threads[i].global_tid] = i;
  }

  void add(const ThreadTime& each) {
    const auto thread = numbers_.find(each.global_tid);
    if (thread == numbers_.end()) return;
    add_own(thread->second, each.time);
    add_loading(each.time, thread->second);
  }

  HostWork describe() {
    HostWork work;
    if (all_ <= 0) return work;
    const std::string* place = key_of_most(places_);
    if (place != nullptr && places_.at(*place) >= kMinPart * all_)
      work.text = fmt::format("{:.0f} % {}", 100 * places_.at(*place) / all_, *place);
    work.sleeps = 2 * sleeping_ >= all_;
    describe_loading(work);
    if (work.text.empty() && others_.empty()) return work;
    const std::string* other = key_of_most(others_);
    if (waiting_ >= kWaits * all_ && other != nullptr)
      work.text += fmt::format("{}; meanwhile {}", work.text.empty() ? "waiting" : "", *other);
    return work;
  }

 private:
  static constexpr double kMinPart = 0.1;  // minimum share of the time of a place that is named
  static constexpr double kWaits = 0.3;

  void add_own(std::uint32_t thread, const Interval& times) {
    for_each_period(facts_, thread, times, [&](const Period& period, const Interval& time) {
      const auto length = static_cast<double>(time.length());
      if (runs_or_needs_cpu(period)) {
        std::map<std::string, double> places;
        add_places(facts_, thread, time, length, places);
        for (const auto& [place, amount] : places) places_["in " + place] += amount;
        return;
      }
      if (rank_of(period.activity) == 2 || period.activity == Activity::kInput) {
        waiting_ += length;
        add_others(thread, time);
      }
      if (period.call == CpuFacts::kNone) return;
      const bool sleeps = period.activity == Activity::kSleep;
      if (sleeps) sleeping_ += length;
      places_[fmt::format("{} in {}", sleeps ? "sleeping" : "waiting",
                          call_text(facts_, facts_.calls[period.call]))] += length;
    });
  }

  // Adds what other threads do while this thread waits.
  void add_others(std::uint32_t waiting, const Interval& times) {
    for (std::uint32_t thread = 0; thread < facts_.threads.size(); ++thread) {
      if (thread == waiting) continue;
      for_each_period(facts_, thread, times, [&](const Period& period, const Interval& time) {
        if (period.activity != Activity::kRunning) return;
        std::map<std::string, double> places;
        add_places(facts_, thread, time, static_cast<double>(time.length()), places);
        for (const auto& [place, amount] : places)
          others_[fmt::format("{} is in {}", facts_.thread_text(thread), place)] += amount;
      });
    }
  }

  void add_loading(const Interval& time, std::uint32_t launching) {
    if (!facts_.python || !facts_.python->has_samples()) return;
    for (std::uint32_t thread = 0; thread < facts_.threads.size(); ++thread)
      for (const auto& sample : samples_during(*facts_.python, thread, time)) {
        const Loading loading = loadings().of(sample.node);
        if (loading == Loading::kNot || (thread != launching && loading != Loading::kWorker))
          continue;
        ++loading_samples_[static_cast<std::size_t>(loading)];
        if (loading == Loading::kWorker) workers_[facts_.threads[thread].global_tid >> 24] += 1;
      }
  }

  void describe_loading(HostWork& work) const {
    const auto samples = [&](Loading loading) {
      return loading_samples_[static_cast<std::size_t>(loading)];
    };
    if (samples(Loading::kInThread) > samples(Loading::kWorker)) {
      work.text += ", inside of DataLoader's __next__ without worker processes (num_workers=0)";
      work.remedy =
          "Load data in other processes: DataLoader(num_workers=4 or more, pin_memory=True, "
          "persistent_workers=True), or make that function faster";
    } else if (!workers_.empty() && waiting_ >= kWaits * all_) {
      if (work.text.empty()) work.text = fmt::format("{:.0f} % waiting", 100 * waiting_ / all_);
      work.text += fmt::format("; the DataLoader's {} too slow",
                               workers_.size() == 1
                                   ? "only worker process is"
                                   : fmt::format("{} worker processes are", workers_.size()));
      work.remedy =
          "Raise the DataLoader's num_workers and prefetch_factor, or make what its workers do "
          "faster";
    }
  }

  Loadings& loadings() {
    if (!loadings_) loadings_.emplace(*facts_.python);
    return *loadings_;
  }

  CpuFacts& facts_;
  std::unordered_map<std::int64_t, std::uint32_t> numbers_;  // by globalTid
  std::optional<Loadings> loadings_;
  double all_;
  double sleeping_ = 0;
  double waiting_ = 0;                    // ns, for other threads and processes
  std::map<std::string, double> places_;  // places of the threads themselves
  std::map<std::string, double> others_;  // places of other threads while these wait
  std::int64_t loading_samples_[kLoadings] = {};
  std::map<std::int64_t, double> workers_;  // samples by process
};

}  // namespace

HostWork host_work(CpuFacts& facts, std::span<const ThreadTime> times, std::int64_t all) {
  constexpr std::size_t kMaximum = 20'000;
  std::vector<ThreadTime> longest(times.begin(), times.end());
  if (longest.size() > kMaximum) {
    std::nth_element(
        longest.begin(), longest.begin() + kMaximum, longest.end(),
        [](const auto& a, const auto& b) { return a.time.length() > b.time.length(); });
    longest.resize(kMaximum);
  }
  WorkSum sum(facts, static_cast<double>(all));
  for (const ThreadTime& each : longest) sum.add(each);
  return sum.describe();
}

}  // namespace prof::analyze
