#include <fmt/format.h>

#include <cmath>
#include <map>

#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/program/rules/code_sums.hpp"
#include "exporters/analysis/events/call_chains/code_frames.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/tables/visible_text.hpp"

namespace prof::analyze {

namespace {

// The rules. With equal times the first one comes first.
constexpr NamedCpuRule kCpuRules[] = {
    {"python_imports", python_imports},
    {"openmp_oversubscribed", openmp_oversubscribed},
    // A thread that waits for a CPU is late.
    {.name = "openmp_imbalance", .run = openmp_imbalance, .cause = openmp_oversubscribed},
    {"openmp_tiny_regions", openmp_tiny_regions},
    {"openmp_locks", openmp_locks},
    {"openmp_serial", openmp_serial},
    {"gfx_pipeline_hitch", gfx_pipeline_hitch},
    {.name = "gfx_stutter", .run = gfx_stutter, .cause = gfx_pipeline_hitch},
    {"gfx_present_stall", gfx_present_stall},
    {"gfx_submit_bound", gfx_submit_bound},
    {"short_processes", short_processes},
    {"thread_creation", thread_creation},
    {"event_loop_blocked", event_loop_blocked},
    {"big_messages", big_messages},
    {"exceptions", exceptions},
    {"heap_allocation", heap_allocation},
    {"interpreter_lock", interpreter_lock},
    // Each thread gets a stack, which the kernel maps.
    {.name = "memory_mapping", .run = memory_mapping, .cause = thread_creation},
    {.name = "too_few_cpus", .run = too_few_cpus, .cause = openmp_oversubscribed},
    {"hot_python_function", hot_python_function},
    {"hot_function", hot_function},
    {"uneven_threads", uneven_threads},
    {"lock_waits", lock_waits},
    {"disk_flush", disk_flush, 0},  // has its own limits
    {"small_transfers", small_transfers},
    {"spinning", spinning},
    {"failing_accept", failing_accept},
    {.name = "many_system_calls", .run = many_system_calls, .cause = spinning},
    // A callback that sleeps blocks its loop, which is the problem.
    {.name = "sleeping", .run = sleeping, .cause = event_loop_blocked},
    {"polling", polling},
    {"network_waits", network_waits},
    {"input_waits", input_waits},
    {"file_waits", file_waits},
    // If the child processes are short, their number is the problem.
    {.name = "child_processes", .run = child_processes, .cause = short_processes},
};

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

namespace {

// Returns the name of a program whose threads wait long and of which no calls were recorded, or an
// empty text if there is none. Such a program is static, as are most in Go.
std::string program_without_calls(const CpuFacts& facts) {
  constexpr double kMuch = 0.1;  // share of the time
  struct Process {
    double unknown = 0;
    bool has_calls = false;
    const std::string* name = nullptr;
  };
  std::map<std::int64_t, Process> processes;
  const auto process_of = [&](std::uint32_t thread) -> Process& {
    return processes[events::process_of(facts.threads[thread].global_tid)];
  };
  for (const OsCall& call : facts.calls) process_of(call.thread).has_calls = true;
  for (const ShortCallSum& calls : facts.short_calls) process_of(calls.thread).has_calls = true;
  for (std::uint32_t i = 0; i < facts.threads.size(); ++i) {
    const CpuThread& thread = facts.threads[i];
    process_of(i).unknown += thread.shares[static_cast<std::size_t>(Activity::kUnknown)];
    process_of(i).name = &thread.process;
  }
  for (const auto& [id, process] : processes)
    if (!process.has_calls && process.unknown >= kMuch * facts.time)
      return base::mark_name("program", tables::one_line(events::file_name(*process.name), 60));
  return "";
}

// Returns the share of samples in JIT compilers' code without a name, and in the functions that it
// calls.
double unnamed_part(const CpuFacts& facts) {
  if (!facts.native) return 0;
  const std::vector<bool> nodes = nodes_in(*facts.native, is_unknown_code);
  double all = 0;
  double unnamed = 0;
  for (const CodeProfile::Sample& sample : facts.native->samples) {
    all += sample.share;
    if (nodes[sample.node]) unnamed += sample.share;
  }
  return all > 0 ? unnamed / all : 0;
}

}  // namespace

std::vector<std::string> not_recorded(const CpuFacts& facts) {
  std::vector<std::string> missing;
  const auto add = [&](bool is_there, const char* text) {
    if (!is_there) missing.emplace_back(text);
  };
  add(facts.has_states, "when threads run and wait (prof profile --cpuctxsw=process-tree)");
  add(facts.has_samples || (facts.has_python_samples && facts.has_python()),
      "functions (prof profile -s process-tree)");
  add(facts.has_calls, "calls in which threads wait (prof profile -t osrt)");
  constexpr double kMuchWithoutName = 0.25;
  if (const double part = unnamed_part(facts); part >= kMuchWithoutName)
    missing.push_back(
        fmt::format("names of functions made at run time, {:.0f} % of the samples ({})", 100 * part,
                    kNamesOfJitCode));
  if (facts.has_calls && facts.has_states)
    if (const std::string program = program_without_calls(facts); !program.empty())
      missing.push_back(fmt::format(
          "what {} waits for, because its calls do not go through the C library (prof profile -t "
          "syscall)",
          program));
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
  std::map<CpuRule*, std::int64_t> at_stake;
  for (const NamedCpuRule& rule : kCpuRules) {
    auto finding = rule.run(facts);
    if (!finding) continue;
    at_stake[rule.run] = finding->at_stake;
    if (rule.cause != nullptr && 2 * at_stake[rule.cause] >= finding->at_stake) continue;
    if (finding->at_stake >= rule.min_at_stake) ranking.add(*std::move(finding));
  }
  result.findings = ranking.take();
  return result;
}

}  // namespace prof::analyze
