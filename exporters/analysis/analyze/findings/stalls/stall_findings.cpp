// Findings from PC samples: what kernels wait for, and at which line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/findings/amount_text.hpp"
#include "exporters/analysis/analyze/findings/finding.hpp"
#include "exporters/analysis/analyze/findings/stalls/kernel_stalls.hpp"

namespace prof::analyze {

namespace {

// A smaller share of the samples rarely limits a kernel.
constexpr double kMinWaiting = 0.3;

// The part that a cause takes of a kernel's time at most. The cycles in which an instruction is
// issued stay.
double part_at_stake(const KernelStalls& kernel, const CauseShare& cause) {
  return std::min(1 - kernel.issued, cause.share);
}

bool is_counted(const Facts& facts, const KernelStalls& kernel) {
  // Communication kernels wait for other GPUs in a loop, whatever their samples say.
  return kernel.is_known() && !facts.work.kernel_kind(kernel.name).communication;
}

// The part of a kernel's time that is saved at most if the instructions at a place cost nothing:
// their samples, or without a known place all samples of the cause.
double part_of_place(const KernelStalls& kernel, const CauseShare& cause) {
  return cause.place.text.empty() ? part_at_stake(kernel, cause)
                                  : std::min(1 - kernel.issued, cause.share * cause.place.share);
}

// Returns where the samples are. `of` names the samples that the share refers to.
std::string most_text(const SampledPlace& place, const char* of) {
  if (place.text.empty()) return "; prof stats -r pc_sampling_lines has the functions";
  return fmt::format("; {:.0f} % {} are at {}", 100 * place.share, of,
                     base::mark_name("line", place.text));
}

// A kernel to which a rule applies.
struct Concerned {
  const KernelStalls* kernel;
  double at_stake;  // ns
};

// The kernels to which a rule applies, the most time at stake first.
class ConcernedKernels {
 public:
  void add(const KernelStalls& kernel, double at_stake) {
    kernels_.push_back({&kernel, at_stake});
    count_ += kernel.count;
    at_stake_ += at_stake;
  }
  void sort() {
    std::ranges::stable_sort(
        kernels_, [](const Concerned& a, const Concerned& b) { return a.at_stake > b.at_stake; });
  }
  bool is_empty() const { return kernels_.empty(); }
  const Concerned& worst() const { return kernels_[0]; }
  std::string count_text() const { return analyze::count_text(count_, "kernel"); }
  std::int64_t at_stake() const { return std::llround(at_stake_); }

  // Tells the finding which parts of the kernels' times are saved at most.
  template <class PartOf>
  void add_parts(Finding& finding, PartOf part_of) const {
    for (const Concerned& each : kernels_) {
      finding.kernels.push_back(each.kernel->name);
      finding.parts.push_back(part_of(*each.kernel));
    }
  }

  // Names the kernels after the worst one that have enough time at stake. `describe(kernel)` says
  // what is known of one.
  template <class Describe>
  std::string others_text(const Facts& facts, Describe describe) const {
    constexpr std::size_t kMaxOthers = 9;
    constexpr double kMinPart = 0.01;  // of the analyzed time
    const double least = kMinPart * static_cast<double>(facts.span());
    std::string text;
    for (std::size_t i = 1; i < kernels_.size() && i <= kMaxOthers; ++i) {
      const auto& [kernel, at_stake] = kernels_[i];
      if (at_stake < least) break;
      text += fmt::format("{}{} ({}, {})", i == 1 ? "; then " : ", ",
                          analyze::name_text(facts.work.kernel_name(kernel->name)),
                          time_text(std::llround(at_stake)), describe(*kernel));
    }
    return text;
  }

 private:
  std::vector<Concerned> kernels_;
  std::int64_t count_ = 0;
  double at_stake_ = 0;
};

std::string at_text(const SampledPlace& place) {
  return place.text.empty() ? "" : " at " + base::mark_name("line", place.text);
}

ConcernedKernels that_wait_for(const Facts& facts, stalls::Cause cause) {
  ConcernedKernels kernels;
  for (const KernelStalls& each : facts.stalls) {
    if (!is_counted(facts, each) || each.is_issue_bound() || each.causes.empty()) continue;
    const CauseShare& main = each.causes[0];
    if (main.cause != cause || main.share < kMinWaiting) continue;
    // The bandwidth is the cause of these waits.
    if (cause == stalls::Cause::kMemory && is_memory_bound(facts, each.name)) continue;
    kernels.add(each, part_at_stake(each, main) * static_cast<double>(each.time));
  }
  kernels.sort();
  return kernels;
}

std::optional<Finding> waits_for(const Facts& facts, stalls::Cause cause, const char* rule,
                                 const char* sentence) {
  const ConcernedKernels kernels = that_wait_for(facts, cause);
  if (kernels.is_empty()) return std::nullopt;
  constexpr double kSavedPart = 0.5;  // Hiding a wait often leaves some of it.
  const KernelStalls& worst = *kernels.worst().kernel;
  const CauseShare& main = worst.causes[0];
  const std::string others = kernels.others_text(facts, [](const KernelStalls& each) {
    const CauseShare& its_main = each.causes[0];
    return fmt::format("{:.0f} % {}{}", 100 * its_main.reason_share,
                       base::mark_name("reason", its_main.reason), at_text(its_main.place));
  });
  std::string remedy = main.remedy;
  if (cause == stalls::Cause::kMemory && facts.loads.empty())
    remedy +=
        "; if the bandwidth is the limit (a run with --gpu-metrics-devices shows it), read and "
        "write less";
  Finding finding{
      rule,
      sentence,
      kernels.at_stake(),
      fmt::format("{}; the most time at stake ({}) is in {}: in {:.0f} % of its samples "
                  "the warp {} ({}){}{}",
                  kernels.count_text(), time_text(std::llround(kernels.worst().at_stake)),
                  analyze::name_text(facts.work.kernel_name(worst.name)), 100 * main.reason_share,
                  main.meaning, base::mark_name("reason", main.reason),
                  most_text(main.place, "of its waits of this kind"), others),
      std::move(remedy),
      where_of(facts, *worst.longest),
      false,
      kSavedPart};
  kernels.add_parts(finding,
                    [](const KernelStalls& each) { return part_of_place(each, each.causes[0]); });
  return finding;
}

}  // namespace

std::optional<Finding> memory_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kMemory, "memory_stalls",
                   "Kernels wait for data from memory");
}

std::optional<Finding> shared_memory_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kSharedMemory, "shared_memory_stalls",
                   "Kernels wait for shared memory or special functions");
}

std::optional<Finding> barrier_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kBarrier, "barrier_stalls",
                   "Warps wait for each other at barriers");
}

std::optional<Finding> arithmetic_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kArithmetic, "arithmetic_stalls",
                   "Kernels wait for results or units of arithmetic");
}

std::optional<Finding> instruction_stalls(const Facts& facts) {
  return waits_for(facts, stalls::Cause::kInstructions, "instruction_stalls",
                   "Kernels wait for their instructions");
}

std::optional<Finding> issue_bound_kernels(const Facts& facts) {
  ConcernedKernels kernels;
  for (const KernelStalls& each : facts.stalls)
    if (is_counted(facts, each) && each.is_issue_bound())
      kernels.add(each, static_cast<double>(each.time));
  if (kernels.is_empty()) return std::nullopt;
  kernels.sort();
  constexpr double kSavedPart = 0.1;  // Such kernels use the GPU well.
  const KernelStalls& worst = *kernels.worst().kernel;
  const std::string others = kernels.others_text(facts, [](const KernelStalls& each) {
    return fmt::format("{:.0f} %{}", 100 * each.issued, at_text(each.place));
  });
  Finding finding{
      "issue_bound_kernels",
      "Kernels are limited by the number of their instructions",
      kernels.at_stake(),
      fmt::format("{}; the most time ({}) is in {}: an instruction is issued at {:.0f} % of its "
                  "samples{}{}",
                  kernels.count_text(), time_text(worst.time),
                  name_text(facts.work.kernel_name(worst.name)), 100 * worst.issued,
                  most_text(worst.place, "of all samples"), others),
      "Execute fewer instructions: keep the threads of a warp on one path, use vector loads, a "
      "lower precision, tensor cores, and simpler integer arithmetic for addresses",
      where_of(facts, *worst.longest),
      false,
      kSavedPart};
  kernels.add_parts(finding, [](const KernelStalls& each) {
    return each.place.text.empty() ? kSavedPart : each.place.share;
  });
  return finding;
}

}  // namespace prof::analyze
