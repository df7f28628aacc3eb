// Finds parallel regions of OpenMP that do not use their threads well.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/rules/busy_threads.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/sums.hpp"
#include "exporters/analysis/insight/intervals.hpp"

namespace prof::analyze {

namespace {

using insight::OpenMpRegion;

// What some regions at one place lose.
struct Loss {
  double time = 0;  // ns of the program's time
  std::int64_t count = 0;
  std::int64_t threads = 0;  // the most of a region
  double even_work = 0;      // ns, sums over the regions
  std::int64_t longest_work = 0;
  double worst = 0;  // ns, of one region
  const OpenMpRegion* worst_region = nullptr;

  void add(const OpenMpRegion& region, double lost) {
    time += lost;
    ++count;
    threads = std::max(threads, region.threads);
    even_work += region.even_work();
    longest_work = events::sum(longest_work, region.longest_work);
    if (worst_region != nullptr && lost <= worst) return;
    worst = lost;
    worst_region = &region;
  }
};

struct Losses {
  std::map<std::int64_t, Loss> by_site;
  double time = 0;  // ns, of all places

  void add(const OpenMpRegion& region, double lost) {
    by_site[region.site].add(region, lost);
    time += lost;
  }
  // Returns the place that loses most. There has to be one.
  const std::pair<const std::int64_t, Loss>& worst() const {
    return *std::ranges::max_element(by_site, {},
                                     [](const auto& each) { return each.second.time; });
  }
};

// Regions within others count there.
std::vector<const OpenMpRegion*> outer_regions(const CpuFacts& facts) {
  std::vector<const OpenMpRegion*> found;
  for (const OpenMpRegion& each : facts.openmp.regions)
    if (!each.is_nested && each.threads > 1) found.push_back(&each);
  return found;
}

std::string text_of(const CpuFacts& facts, std::int64_t site) {
  const insight::OpenMpSite place = facts.openmp.site(site);
  const std::string text = base::mark_name("line", place.text());
  return place.function.empty() || place.function == place.text()
             ? text
             : fmt::format("{} ({})", text, base::mark_name("function", place.function));
}

std::string others_text(std::size_t places) {
  return places < 2
             ? ""
             : fmt::format("; {} more", count_text(static_cast<std::int64_t>(places) - 1, "place"));
}

Where where_of(const OpenMpRegion& region) {
  return {{region.start, region.end}, region.global_tid};
}

std::int64_t most_threads(const std::vector<const OpenMpRegion*>& regions) {
  std::int64_t most = 0;
  for (const OpenMpRegion* each : regions) most = std::max(most, each->threads);
  return most;
}

// The outer regions of each process, in the order of time.
class RegionsOfProcesses {
 public:
  explicit RegionsOfProcesses(const CpuFacts& facts) : facts_(facts) {
    for (const OpenMpRegion* each : outer_regions(facts)) {
      regions_[events::process_of(each->global_tid)].push_back(each);
      times_.push_back({each->start, each->end});
    }
    for (auto& [process, regions] : regions_)
      std::ranges::sort(regions, {}, [](const OpenMpRegion* each) { return each->start; });
    times_ = insight::merged(std::move(times_));
  }

  const insight::Intervals& times() const { return times_; }

  // Returns the program's time in which threads wait for a CPU in regions of more threads than
  // `cpus`.
  Losses waits_for_cpus(std::int64_t cpus) const {
    std::map<const OpenMpRegion*, double> lost;
    for (const Period& each : facts_.periods)
      if (each.activity == Activity::kNeedsCpu) add_wait(each, cpus, lost);
    Losses losses;
    for (const auto& [region, time] : lost) losses.add(*region, time);
    return losses;
  }

 private:
  void add_wait(const Period& wait, std::int64_t cpus,
                std::map<const OpenMpRegion*, double>& lost) const {
    const auto found = regions_.find(events::process_of(facts_.threads[wait.thread].global_tid));
    if (found == regions_.end()) return;
    const auto& regions = found->second;
    auto region = std::ranges::partition_point(
        regions, [&](const OpenMpRegion* each) { return each->end <= wait.start; });
    for (; region != regions.end() && (*region)->start < wait.end; ++region) {
      const std::int64_t part =
          std::min(wait.end, (*region)->end) - std::max(wait.start, (*region)->start);
      if (part > 0 && (*region)->threads > cpus)
        lost[*region] +=
            wait.share * static_cast<double>(part) / static_cast<double>(wait.length());
    }
  }

  const CpuFacts& facts_;
  std::map<std::int64_t, std::vector<const OpenMpRegion*>> regions_;  // by process_of()
  insight::Intervals times_;
};

}  // namespace

std::optional<Finding> openmp_imbalance(CpuFacts& facts) {
  Losses losses;
  for (const OpenMpRegion* each : outer_regions(facts))
    losses.add(*each, static_cast<double>(each->longest_work) - each->even_work());
  if (losses.by_site.empty()) return std::nullopt;
  const auto& [site, loss] = losses.worst();
  const auto count = static_cast<double>(loss.count);
  return Finding{
      "openmp_imbalance",
      "Threads of parallel regions have different amounts of work, so they wait for the busiest",
      std::llround(losses.time),
      fmt::format("{}: {} of {}; the busiest thread works for {}, the average one for {}{}",
                  text_of(facts, site), count_text(loss.count, "region"),
                  count_text(loss.threads, "thread"),
                  time_text(std::llround(static_cast<double>(loss.longest_work) / count)),
                  time_text(std::llround(loss.even_work / count)),
                  others_text(losses.by_site.size())),
      "Share the work in smaller pieces: schedule(dynamic) or schedule(guided) for loops, tasks "
      "for "
      "work of different kinds; prof stats -r openmp_regions has all regions",
      where_of(*loss.worst_region)};
}

std::optional<Finding> openmp_tiny_regions(CpuFacts& facts) {
  constexpr std::int64_t kTiny = 10'000;  // ns
  constexpr double kMinPart = 0.1;        // of the time
  Losses losses;
  double time = 0;
  for (const OpenMpRegion* each : outer_regions(facts)) {
    if (each->duration() >= kTiny) continue;
    time += static_cast<double>(each->duration());
    losses.add(*each, std::max(static_cast<double>(each->duration()) - each->even_work(), 0.0));
  }
  if (losses.by_site.empty() || time < kMinPart * facts.time) return std::nullopt;
  const auto& [site, loss] = losses.worst();
  return Finding{
      "openmp_tiny_regions",
      "Many parallel regions are so short that starting and ending them takes most of "
      "their time",
      std::llround(losses.time),
      fmt::format("{}: {} of {}{}", text_of(facts, site), count_text(loss.count, "region"),
                  count_text(loss.threads, "thread"), others_text(losses.by_site.size())),
      "Put several loops into one region, make the outer loop parallel, or run short "
      "loops with one thread: the clause if(n > 1000)",
      where_of(*loss.worst_region)};
}

std::optional<Finding> openmp_serial(CpuFacts& facts) {
  constexpr double kMinParallel = 0.1;  // of the time
  constexpr double kMinShare = 0.25;
  const auto regions = outer_regions(facts);
  std::vector<insight::Interval> times;
  times.reserve(regions.size());
  for (const OpenMpRegion* each : regions) times.push_back({each->start, each->end});
  const auto parallel = static_cast<double>(insight::total(insight::merged(std::move(times))));
  if (parallel < kMinParallel * facts.time) return std::nullopt;
  const double serial = facts.time - parallel;
  const auto threads = static_cast<double>(most_threads(regions));
  const double share = serial * (threads - 1) / threads;
  if (share < kMinShare * facts.time_with_cpu()) return std::nullopt;
  return Finding{
      "openmp_serial", "Most threads have nothing to do, because no parallel region runs",
      std::llround(share),
      fmt::format("parallel regions take {} of {}; with more threads the program becomes at most "
                  "{:.1f} times as fast",
                  time_text(std::llround(parallel)), time_text(std::llround(facts.time)),
                  facts.time / std::max(serial, 1.0)),
      "Make more of the program parallel, beginning with what runs between the regions (hot "
      "functions: prof stats -r cpu_sample_sum)"};
}

std::optional<Finding> openmp_oversubscribed(CpuFacts& facts) {
  constexpr double kMinShare = 0.05;
  if (!facts.has_states || is_cpu_taken_by_others(facts)) return std::nullopt;
  RegionsOfProcesses regions(facts);
  const std::int64_t cpus =
      most_at_once(busy_times(facts, &regions.times()), insight::total(regions.times()));
  const Losses losses = regions.waits_for_cpus(cpus);
  if (losses.by_site.empty() || losses.time < kMinShare * facts.time) return std::nullopt;
  const auto& [site, loss] = losses.worst();
  return Finding{
      "openmp_oversubscribed",
      "Parallel regions have more threads than CPUs, so their threads wait for a CPU",
      std::llround(losses.time),
      fmt::format("{}: {} of {}, of which at most {} at the same time; the region that loses most "
                  "takes {}{}",
                  text_of(facts, site), count_text(loss.count, "region"),
                  count_text(loss.threads, "thread"),
                  cpus == 1 ? "1 runs" : fmt::format("{} run", cpus),
                  time_text(loss.worst_region->duration()), others_text(losses.by_site.size())),
      "Give the regions as many threads as the process has CPUs (OMP_NUM_THREADS, nproc), and "
      "processes or libraries that compute at the same time a part of them each",
      where_of(*loss.worst_region)};
}

std::optional<Finding> openmp_locks(CpuFacts& facts) {
  const auto threads = most_threads(outer_regions(facts));
  if (threads < 2 || facts.openmp.waits.empty()) return std::nullopt;
  std::int64_t time = 0;
  for (const auto& [site, waits] : facts.openmp.waits) time = events::sum(time, waits.time);
  const auto& [site, worst] = *std::ranges::max_element(
      facts.openmp.waits, {}, [](const auto& each) { return each.second.time; });
  return Finding{
      "openmp_locks",
      "Threads of parallel regions wait for locks and critical regions",
      time / threads,
      fmt::format("{}: {} of {} on average, at most {}{}", text_of(facts, site),
                  count_text(worst.count, "wait"), time_text(worst.time / worst.count),
                  time_text(worst.longest), others_text(facts.openmp.waits.size())),
      "Do less in the critical region, give different data different names or locks, or let each "
      "thread collect its results and add them up at the end (reduction)",
      Where{{worst.longest_start, events::sum(worst.longest_start, worst.longest)},
            worst.longest_tid}};
}

}  // namespace prof::analyze
