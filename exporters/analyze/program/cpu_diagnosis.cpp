#include <cmath>

#include "exporters/analyze/program/cpu_rules.hpp"

namespace prof::analyze {

namespace {

// With equal times the first one comes first.
constexpr NamedCpuRule kCpuRules[] = {
    {"python_imports", python_imports},
    {"short_processes", short_processes},
    {"interpreter_lock", interpreter_lock},
    {"memory_mapping", memory_mapping},
    {"too_few_cpus", too_few_cpus},
    {"hot_python_function", hot_python_function},
    {"hot_function", hot_function},
    {"uneven_threads", uneven_threads},
    {"lock_waits", lock_waits},
    {"disk_flush", disk_flush},
    {"small_transfers", small_transfers},
    {"many_system_calls", many_system_calls},
    {"sleeping", sleeping},
    {"polling", polling},
    {"network_waits", network_waits},
    {"input_waits", input_waits},
    {"file_waits", file_waits},
    {"child_processes", child_processes},
};

// A shorter time is not worth a change, and samples say little about it.
constexpr std::int64_t kLeastTimeAtStake = 20'000'000;

}  // namespace

std::span<const NamedCpuRule> cpu_rules() { return kCpuRules; }

std::optional<Where> longest_period(const CpuFacts& facts, Activity activity,
                                    std::uint32_t thread) {
  const Period* longest = nullptr;
  for (const Period& each : facts.periods)
    if (each.activity == activity && (thread == CpuFacts::kNone || each.thread == thread) &&
        (longest == nullptr || each.length() > longest->length()))
      longest = &each;
  if (longest == nullptr) return std::nullopt;
  return Where{{longest->start, longest->end}, facts.threads[longest->thread].global_tid};
}

std::optional<Where> where_of(const CpuFacts& facts, const OsCall* call) {
  if (call == nullptr) return std::nullopt;
  return Where{{call->start, call->end}, facts.threads[call->thread].global_tid};
}

std::vector<std::string> not_recorded(const CpuFacts& facts) {
  std::vector<std::string> missing;
  const auto add = [&](bool is_there, const char* text) {
    if (!is_there) missing.emplace_back(text);
  };
  add(facts.has_states, "when threads run and wait (prof profile --cpuctxsw=process-tree)");
  add(facts.has_samples || (facts.has_python_samples && facts.has_python()),
      "functions (prof profile -s process-tree)");
  add(facts.has_calls, "calls in which threads wait (prof profile -t osrt)");
  add(facts.has_python_samples || !facts.has_python(),
      "functions of Python (prof profile --python-sampling=true)");
  return missing;
}

Diagnosis diagnose_cpus(CpuFacts& facts) {
  Diagnosis result;
  result.subject = Subject::kCpus;
  result.span = std::llround(facts.time);
  result.verdict = cpu_verdict(facts);
  result.not_recorded = not_recorded(facts);
  Ranking ranking(result.span);
  for (const NamedCpuRule& rule : kCpuRules)
    if (auto finding = rule.run(facts); finding && finding->at_stake >= kLeastTimeAtStake)
      ranking.add(std::move(finding));
  result.findings = ranking.take();
  return result;
}

}  // namespace prof::analyze
