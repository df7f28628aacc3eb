#include "collector/session/kernel/cpu_event_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collector/sampler/cpu_timers.hpp"
#include "collector/sampler/running_tasks.hpp"
#include "common/code/symbols/kernel_symbols.hpp"

namespace prof::session {

using sampler::Scope;
using spool::KernelSource;

namespace {

std::string not_recorded(bool samples, bool switches, const std::string& why) {
  const char* what = !samples    ? "Context switches"
                     : !switches ? "CPU samples"
                                 : "CPU samples and context switches";
  return fmt::format("{} are not recorded: {}", what, why);
}

}  // namespace

CpuEventSource::CpuEventSource(const SessionContext& session, sampler::Tasks tasks)
    : options_(session.options.cpu),
      target_loads_library_(session.target_loads_library),
      is_on_demand_(session.options.time.on_demand),
      tasks_(std::move(tasks)),
      chains_(session.chains),
      recorder_(session.recorder) {
  if (!options_.is_any()) return;
  if (options_.samples != Scope::kNone && options_.method == sampler::SamplingMethod::kTimer) {
    use_timers("as requested");
    if (options_.switches != Scope::kNone) open(options_.switches, false, true, KernelSource::kCpu);
    // One event per CPU records both samples and switches, unless they are about different
    // processes.
  } else if (options_.samples == options_.switches || options_.switches == Scope::kNone) {
    open(options_.samples, true, options_.switches != Scope::kNone, KernelSource::kCpu);
  } else {
    if (options_.samples != Scope::kNone) open(options_.samples, true, false, KernelSource::kCpu);
    open(options_.switches, false, true, KernelSource::kSwitches);
  }
  for (const Part& part : parts_)
    for (const int descriptor : part.events.descriptors()) session.loop.watch_edges(descriptor);
  if (note_.sampler == "perf") chains_.follow_mappings = [this] { follow_mappings(); };
  note_.boot_id = symbols::boot_id();
  recorder_.note(note_);
}

void CpuEventSource::open(Scope scope, bool samples, bool switches, KernelSource source) {
  auto events = sampler::CpuEvents::open(scope, samples, switches, tasks_, options_, chains_.spaces,
                                         chains_.tree);
  if (!events) return report_refusal(samples, switches, events.error().message);
  if (samples) note_.sampler = "perf";
  if (samples && options_.period != 0 && !events->counts_cycles())
    recorder_.warn(
        "--sampling-period: this machine has no hardware counters, so the period is counted in "
        "ns of CPU time");
  if (switches) note_.switches.push_back(source);
  parts_.push_back({std::move(*events), source});
  sampler::KernelRecordBuffer running;
  if (scope == Scope::kSystem)
    sampler::add_running_tasks(running);
  else if (tasks_.are_running)
    sampler::add_running_tasks(running, tasks_.processes);
  else
    return;
  recorder_.kernel_records({spool::kNoCpu, source}, running.bytes());
}

void CpuEventSource::add(const sampler::Tasks& tasks) {
  for (Part& part : parts_)
    if (const base::Status added = part.events.add(tasks); !added)
      recorder_.warn("A program is not sampled: " + added.error().message);
}

// Reports that the kernel refused, and uses timers if possible. Timers run code in the program, so
// they replace the kernel only if the user chose samples.
void CpuEventSource::report_refusal(bool samples, bool switches, const std::string& why) {
  const bool may_use_timers =
      options_.samples_chosen && options_.method == sampler::SamplingMethod::kAuto;
  if (samples && may_use_timers && use_timers(why)) samples = false;
  const bool warns_of_samples = samples && options_.samples_chosen;
  const bool warns_of_switches = switches && options_.switches_chosen;
  if (warns_of_samples || warns_of_switches)
    recorder_.warn(not_recorded(warns_of_samples, warns_of_switches, why));
  if (samples == warns_of_samples && switches == warns_of_switches) return;
  std::string text =
      not_recorded(samples && !warns_of_samples, switches && !warns_of_switches, why);
  if (samples && !warns_of_samples && !is_on_demand_ && sampler::timers_obstacle().empty())
    text += ". With --sample=process-tree, timers in the program take samples instead";
  recorder_.diagnostic(spool::Severity::kInfo, text + ".");
}

// Falls back to timers, or uses them as requested. Returns false if that is not possible; then the
// user is warned if they were requested.
bool CpuEventSource::use_timers(const std::string& why) {
  const bool is_requested = options_.method == sampler::SamplingMethod::kTimer;
  std::string obstacle = sampler::timers_obstacle();
  if (is_on_demand_)
    obstacle = "timers sample only programs of prof profile";
  else if (options_.samples != Scope::kProcessTree)
    obstacle = "timers sample only the program and its children (--sample=process-tree)";
  if (!obstacle.empty()) {
    if (is_requested) recorder_.warn("CPU samples are not recorded: " + obstacle);
    return false;
  }
  const std::uint64_t tick = sampler::kernel_tick();
  timer_period_ = sampler::timer_period(options_, tick);
  note_.sampler = "timer";
  note_.period = timer_period_;
  const std::string text = fmt::format(
      "CPU samples are taken by timers in {}, at most {} per second of CPU time and without kernel "
      "frames{}{}",
      target_loads_library_ ? "the program"
                            : "what the program starts, not in itself (it cannot load prof)",
      1'000'000'000 / std::max(tick, timer_period_),
      is_requested ? ", " : "; perf_event_open: ", why);
  if (is_requested && target_loads_library_)
    recorder_.diagnostic(spool::Severity::kInfo, text);
  else
    recorder_.warn(text);
  return true;
}

void CpuEventSource::follow_mappings() {
  for (Part& part : parts_) part.events.follow_changes();
}

bool CpuEventSource::drain(bool in_range) {
  bool any = false;
  for (Part& part : parts_) {
    part.events.keep_samples(in_range);
    const auto take = [&](std::uint32_t cpu, std::span<const std::byte> records) {
      chains_.write_definitions(recorder_);
      recorder_.kernel_records({cpu, part.source}, records);
      any = true;
    };
    part.events.drain(take, [&] { chains_.read_jit_dumps(recorder_); });
  }
  return any;
}

void CpuEventSource::finish(bool in_range) {
  // A drain reads what happened before it started. The second drain reads the rest.
  drain(in_range);
  drain(in_range);
  for (const Part& part : parts_) {
    if (const std::uint64_t lost = part.events.lost(); lost > 0)
      recorder_.note(spool::KernelLostNote{part.source, lost});
    if (const std::uint64_t bytes = part.events.corrupt_bytes(); bytes > 0)
      recorder_.diagnostic(
          spool::Severity::kError,
          fmt::format("{} bytes of the kernel's records of the CPUs were damaged.", bytes));
  }
}

}  // namespace prof::session
