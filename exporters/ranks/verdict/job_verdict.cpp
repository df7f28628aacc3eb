#include "exporters/ranks/verdict/job_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "exporters/ranks/delays/delay_places.hpp"
#include "exporters/ranks/delays/late_ranks.hpp"
#include "exporters/ranks/delays/slow_kernels.hpp"
#include "exporters/ranks/replay/job_gains.hpp"
#include "exporters/ranks/verdict/slow_network.hpp"

namespace prof::ranks {

namespace {

using analyze::time_text;

std::string time_of(double ns) { return time_text(std::llround(ns)); }

double percent_of(double part, double all) { return all > 0 ? 100 * part / all : 0; }

// "rank 17 (gpu03, GPU 1)"
std::string rank_text(const JobRank& rank) {
  std::string text = fmt::format("rank {}", *rank.unit.rank);
  std::string place = rank.unit.node.empty() ? "" : base::mark_name("node", rank.unit.node);
  if (rank.times.device >= 0)
    place += fmt::format("{}GPU {}", place.empty() ? "" : ", ", rank.times.device);
  return place.empty() ? text : fmt::format("{} ({})", text, place);
}

const char* remedy_of(const LateRank& late, SlowKernels::Kind kernels) {
  switch (late.cause) {
    case Cause::kSleep:
      return "Do not sleep in a launching thread: wait for the event itself, in another thread";
    case Cause::kDataLoading:
      return "Load this rank's data in advance, by more worker processes; compare its storage and "
             "the sizes of its batches with other ranks";
    case Cause::kLock:
      return "Look at what holds the lock meanwhile: prof analyze of this rank's report";
    case Cause::kNetwork:
      if (late.transfers)
        return "Check cables, switch ports and settings of this rank's network interfaces, and "
               "measure between its node and another one (nccl-tests); record "
               "--enable=network_interface to see lost packets";
      return "Ask for it in advance, in another thread; prof analyze of this rank's report says "
             "which calls wait";
    case Cause::kLaunch:
    case Cause::kCudaCall:
      return "Compare the calls with another rank's: prof stats -r cuda_api_sum --by-rank";
    case Cause::kKernels:
      if (kernels == SlowKernels::Kind::kMore)
        return "Give all ranks the same work, or this rank less of the rest: prof stats -r "
               "cuda_gpu_kern_sum --by-rank";
      if (kernels == SlowKernels::Kind::kAll)
        return "Check clock, power and cooling of this GPU: prof profile --enable=nvml_metrics "
               "records them";
      return "Check the sizes of its batches, and clock, power and cooling of this GPU: prof stats "
             "-r cuda_gpu_kern_sum --by-rank";
    case Cause::kCopies:
      return "Check the PCIe link and the NUMA node of this GPU: prof stats -r "
             "cuda_gpu_mem_time_sum --by-rank";
    case Cause::kNoCpu:
      return "Find out what else runs on this rank's CPUs (prof monitor), bind ranks to CPUs of "
             "their "
             "own, and compare limits of its container (cpu.max) with those of other ranks";
    case Cause::kGarbage:
      return "Let all ranks collect garbage in the same steps: gc.disable() and gc.collect() every "
             "few hundred steps; gc.freeze() after the start makes each collection shorter";
    case Cause::kPageFaults:
      return "Allocate buffers once and use them again; prof analyze of its report says which code "
             "uses new memory";
    case Cause::kSystemCall:
    case Cause::kCode:
      break;
  }
  return "Move what only this rank does to another thread, or give it the same work at the same "
         "time as the others; prof analyze of its report says more";
}

const char* verb_of(const LateRank& late, SlowKernels::Kind kernels) {
  switch (late.cause) {
    case Cause::kSleep:
      return "it sleeps";
    case Cause::kDataLoading:
      return "it waits for data";
    case Cause::kLock:
      return "it waits for a lock or another thread";
    case Cause::kNetwork:
      return late.transfers ? "its network is slow" : "it waits for the network";
    case Cause::kSystemCall:
      return "it is in system calls";
    case Cause::kLaunch:
      return "its launches take longer";
    case Cause::kCudaCall:
      return "its CUDA calls take longer";
    case Cause::kNoCpu:
      return "it waits for a CPU that others use";
    case Cause::kGarbage:
      return "it collects garbage";
    case Cause::kPageFaults:
      return "it uses new memory (page faults)";
    case Cause::kCode:
      return "its CPU code takes longer";
    case Cause::kKernels:
      if (kernels == SlowKernels::Kind::kMore) return "it launches more kernels";
      return kernels == SlowKernels::Kind::kAll ? "its GPU is slower" : "its kernels take longer";
    case Cause::kCopies:
      return "its copies take longer";
  }
  return "";
}

class VerdictMaker {
 public:
  VerdictMaker(const JobCollectives& job, const FindLines& find_lines)
      : job_(job), find_lines_(find_lines), delays_(job), late_(late_ranks(delays_, job)) {}

  base::Result<JobVerdict> make() {
    if (const base::Status found = SlowNetwork(job_, delays_).add(late_); !found)
      return tl::make_unexpected(found.error());
    JobVerdict verdict;
    verdict.diagnosis.span = std::llround(delays_.elapsed());
    add_facts(verdict.diagnosis.job);
    add_verdict(verdict);
    constexpr std::size_t kMost = 3;
    for (std::size_t i = 0; i < std::min(kMost, late_.size()); ++i) {
      auto finding = finding_of(late_[i]);
      if (!finding) return tl::make_unexpected(finding.error());
      verdict.diagnosis.findings.push_back(*std::move(finding));
      verdict.late.push_back(late_[i].rank);
      verdict.is_slow_network.push_back(late_[i].transfers.has_value());
    }
    return verdict;
  }

 private:
  void add_facts(std::vector<std::string>& lines) const {
    std::set<std::string> nodes;
    std::set<std::string> jobs;
    std::size_t unmatched = 0;
    std::size_t operations = 0;
    for (const JobRank& each : job_.ranks) {
      nodes.insert(each.unit.node);
      if (!each.unit.job.empty()) jobs.insert(each.unit.job);
    }
    for (const MatchedCommunicator& each : job_.communicators) {
      unmatched += each.unmatched;
      operations += each.collectives.size();
    }
    std::string line = jobs.size() == 1 ? base::mark_name("job", *jobs.begin()) + ", " : "";
    line += fmt::format("{} on {}",
                        analyze::count_text(static_cast<std::int64_t>(job_.ranks.size()), "rank"),
                        analyze::count_text(static_cast<std::int64_t>(nodes.size()), "node"));
    if (delays_.median_step() > 0)
      line += fmt::format(", {} steps, median {}", delays_.steps(), time_of(delays_.median_step()));
    line += fmt::format(", {} collective operations", operations);
    lines.push_back(std::move(line));
    if (unmatched > 0)
      lines.push_back(fmt::format("{} calls have no partner on another rank", unmatched));
    if (job_.without_kernel > 0)
      lines.push_back(fmt::format(
          "{} calls of NCCL have no kernel in the reports (CUDA graphs: --cuda-graph-trace=node)",
          job_.without_kernel));
    if (std::string clocks = clock_text(); !clocks.empty()) lines.push_back(std::move(clocks));
  }

  std::string clock_text() const {
    if (job_.machines.size() < 2) return {};
    double most = 0;
    for (const MachineEstimate& each : job_.machines) {
      if (!each.bound)
        return fmt::format("the clock of {} cannot be compared",
                           base::mark_name("node", each.node));
      most = std::max(most, *each.bound);
    }
    return fmt::format("clocks of {} machines agree within {}", job_.machines.size(),
                       time_of(most));
  }

  // The shares of a rank's time, on average.
  double waiting() const {
    double sum = 0;
    for (const RankDelay& each : delays_.ranks()) sum += each.waited;
    return percent_of(sum / static_cast<double>(delays_.ranks().size()), delays_.elapsed());
  }

  void add_verdict(JobVerdict& result) const {
    analyze::Verdict& verdict = result.diagnosis.verdict;
    verdict.sentence = fmt::format(
        "{} from the {} step on: ranks wait {:.1f} % of the time for others, and transfers take "
        "{:.1f} %",
        time_of(delays_.elapsed()), delays_.steps() < 5 ? "first" : "second", waiting(),
        percent_of(delays_.transfer(), delays_.elapsed()));
    if (!late_.empty()) {
      const JobRank& rank = job_.ranks[late_.front().rank];
      const std::string pattern = text_of(late_.front().pattern);
      if (late_.front().transfers) {
        verdict.bound = "a slow network";
        verdict.sentence += fmt::format("; that of {} is slow {}", rank_text(rank), pattern);
        return;
      }
      verdict.bound = late_.size() == 1 ? "a late rank" : "late ranks";
      verdict.sentence += fmt::format("; {} is late {}", rank_text(rank), pattern);
      return;
    }
    verdict.bound = "no rank is late";
    const auto least = std::ranges::min_element(delays_.ranks(), {}, &RankDelay::waited);
    result.typical = static_cast<std::size_t>(least - delays_.ranks().begin());
  }

  base::Result<analyze::Finding> finding_of(const LateRank& late) const {
    const auto place = late.transfers ? base::Result<DelayPlace>(DelayPlace{})
                                      : place_of(job_, delays_, late, find_lines_);
    if (!place) return tl::make_unexpected(place.error());
    const auto kernels = late.cause == Cause::kKernels ? slow_kernels(job_, delays_, late.rank)
                                                       : base::Result<SlowKernels>(SlowKernels{});
    if (!kernels) return tl::make_unexpected(kernels.error());
    const JobRank& rank = job_.ranks[late.rank];
    const RankDelay& delay = delays_.ranks()[late.rank];
    analyze::Finding finding;
    finding.rule = analyze::kLateRank;
    finding.sentence = fmt::format("The other ranks wait for {}: {} {}", rank_text(rank),
                                   verb_of(late, kernels->kind), text_of(late.pattern));
    finding.at_stake = std::llround(late.late);
    finding.saved_part = late.late > 0 ? std::min(1.0, late.gain / late.late) : 1;
    finding.evidence = evidence_of(late, *place, *kernels, delay);
    finding.remedy = remedy_of(late, kernels->kind);
    finding.rank = rank.unit.rank;
    if (place->global_tid != 0)
      finding.where = analyze::Where{place->longest, place->global_tid, {}, {}};
    return finding;
  }

  std::string evidence_of(const LateRank& late, const DelayPlace& place, const SlowKernels& kernels,
                          const RankDelay& delay) const {
    if (late.transfers) return transfers_text(late);
    std::string text = fmt::format("{} beyond the median rank", time_of(late.delay));
    if (place.global_tid != 0) {
      text += fmt::format(", most of it in {}", place.thread);
      if (!place.function.empty())
        text += fmt::format(" in {}", base::mark_name("function", place.function));
      if (!place.caller.empty()) text += ", called by " + base::mark_name("function", place.caller);
      if (!place.range.empty())
        text += fmt::format(" in the range {}", base::mark_name("range", place.range));
      text += fmt::format(", {} at {:.6f} s", time_of(static_cast<double>(place.longest.length())),
                          static_cast<double>(place.longest.start) / 1e9);
    } else if (std::string slow = text_of(kernels); !slow.empty()) {
      text += ", " + slow;
    }
    return text + fmt::format("; last in {} of {} operations, in which the others waited {}",
                              delay.last, delay.operations, time_of(waits_of_others(late.rank)));
  }

  // Names the operations that are slow, and the ranks that take part.
  std::string transfers_text(const LateRank& late) const {
    constexpr std::size_t kMostRanks = 8;
    const SlowTransfers& slow = delays_.slow_transfers()[*late.transfers];
    const MatchedCommunicator& communicator = job_.communicators[slow.communicator];
    std::string ranks;
    for (std::size_t i = 0; i < std::min(kMostRanks, communicator.sequences.size()); ++i)
      ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ",
                           *job_.ranks[job_.sequences[communicator.sequences[i]].rank].unit.rank);
    if (communicator.sequences.size() > kMostRanks) ranks += ", …";
    const std::string size = slow.bytes > 0 ? " of " + analyze::bytes_text(slow.bytes) : "";
    std::string text =
        fmt::format("{} beyond the usual transfers: {} of {} {}{} of ranks {} take {}, {} {}",
                    time_of(late.delay), slow.operations.size(), communicator.collectives.size(),
                    base::mark_name("operation", slow.name), size, ranks, time_of(slow.transfer),
                    slow.is_always_slow ? "and those of other communicators" : "and the others",
                    time_of(slow.usual));
    if (!late.trouble.empty()) text += "; meanwhile " + late.trouble;
    return text;
  }

  double waits_of_others(std::size_t rank) const {
    double sum = 0;
    for (const std::size_t peer : delays_.peers_of(rank))
      if (peer != rank) sum += delays_.ranks()[peer].waited;
    return sum;
  }

  const JobCollectives& job_;
  const FindLines& find_lines_;
  JobDelays delays_;
  std::vector<LateRank> late_;
};

bool can_replay(const std::vector<PlannedReport>& reports) {
  constexpr std::uintmax_t kMostBytes = 512 << 20;  // a replay takes three times as much memory
  std::uintmax_t bytes = 0;
  for (const PlannedReport& each : reports) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(each.path, error);
    if (error) return false;
    bytes += size;
  }
  return bytes <= kMostBytes;
}

}  // namespace

base::Result<std::optional<JobVerdict>> job_verdict(const JobCollectives& job,
                                                    const FindLines& find_lines) {
  const bool has_any = std::ranges::any_of(
      job.communicators, [](const auto& each) { return !each.collectives.empty(); });
  if (!has_any) return std::optional<JobVerdict>();
  auto verdict = VerdictMaker(job, find_lines).make();
  if (!verdict) return tl::make_unexpected(verdict.error());
  return std::optional(*std::move(verdict));
}

void add_gains(const std::vector<PlannedReport>& reports, const JobCollectives& job,
               const FilterOf& filter_of, JobVerdict& verdict) {
  if (verdict.late.empty() || !can_replay(reports)) return;
  std::vector<std::int64_t> late;
  for (const std::size_t rank : verdict.late) late.push_back(*job.ranks[rank].unit.rank);
  const auto gains = gains_of_ranks(reports, job, late, filter_of);
  if (!gains) return;
  for (std::size_t i = 0; i < late.size(); ++i) {
    const std::optional<replay::Prediction>& prediction = (*gains)[i];
    if (verdict.is_slow_network[i]) continue;
    if (!prediction || prediction->gain() <= 0) continue;
    analyze::Finding& finding = verdict.diagnosis.findings[i];
    finding.at_stake = std::max(finding.at_stake, prediction->gain());
    finding.saved_part =
        static_cast<double>(prediction->gain()) / static_cast<double>(finding.at_stake);
    finding.evidence +=
        fmt::format("; as the median rank the job would take {} instead of {}",
                    time_text(prediction->predicted), time_text(prediction->replayed));
  }
}

void add_typical(const JobCollectives& job, const analyze::Diagnosis& typical,
                 JobVerdict& verdict) {
  const JobRank& rank = job.ranks[*verdict.typical];
  verdict.diagnosis.verdict.bound = typical.verdict.bound;
  verdict.diagnosis.verdict.sentence +=
      fmt::format("; no rank is late; {}: {}", rank_text(rank), typical.verdict.sentence);
  verdict.diagnosis.span = typical.span;
  verdict.diagnosis.findings = typical.findings;
  for (analyze::Finding& each : verdict.diagnosis.findings) each.rank = rank.unit.rank;
}

}  // namespace prof::ranks
