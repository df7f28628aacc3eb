#include "collector/session/kernel/cpu_event_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collector/sampler/cpu_timers.hpp"
#include "collector/sampler/running_tasks.hpp"
#include "collector/symbols/kernel_symbols.hpp"

namespace prof::session {

using sampler::Scope;
using spool::KernelSource;

CpuEventSource::CpuEventSource(const sampler::CpuOptions& options, pid_t target, CallChainContext& stacks,
                           SpoolRecorder& recorder, const EventLoop& loop)
    : options_(options), target_(target), stacks_(stacks), recorder_(recorder) {
  if (!options.is_any()) return;
  if (options.samples != Scope::kNone && options.method == sampler::SamplingMethod::kTimer) {
    use_timers("as asked for");
    if (options.switches != Scope::kNone) open(options.switches, false, true, KernelSource::kCpu);
    // One event a CPU serves for both, unless they are about different processes.
  } else if (options.samples == options.switches || options.switches == Scope::kNone) {
    open(options.samples, true, options.switches != Scope::kNone, KernelSource::kCpu);
  } else {
    if (options.samples != Scope::kNone) open(options.samples, true, false, KernelSource::kCpu);
    open(options.switches, false, true, KernelSource::kSwitches);
  }
  for (const Part& part : parts_)
    for (const int descriptor : part.events.descriptors()) loop.watch_edges(descriptor);
  note_["type"] = "cpu_recording";
  note_["boot_id"] = symbols::boot_id();
  recorder_.note(note_);
}

void CpuEventSource::open(Scope scope, bool samples, bool switches, KernelSource source) {
  auto events = sampler::CpuEvents::open(scope, samples, switches, target_, options_,
                                         stacks_.spaces, stacks_.tree);
  if (!events) {
    const bool other_way = samples && options_.method == sampler::SamplingMethod::kAuto &&
                           use_timers(events.error().message);
    const std::string what = !samples || (other_way && switches) ? "Context switches are"
                             : !switches                         ? "CPU samples are"
                                         : "CPU samples and context switches are";
    if (other_way && !switches) return;
    return recorder_.warn(what + " not recorded: " + events.error().message);
  }
  if (samples) note_["sampler"] = "perf";
  if (samples && options_.period != 0 && !events->counts_cycles())
    recorder_.warn(
        "--sampling-period: this machine has no hardware counters; the period is taken as ns of "
        "CPU time");
  if (switches) note_["switches"].push_back(source);
  parts_.push_back({std::move(*events), source});
  if (scope != Scope::kSystem) return;
  sampler::KernelRecordBuffer running;
  sampler::add_running_tasks(running);
  recorder_.kernel_records({spool::kNoCpu, source}, running.bytes());
}

// False: that is not possible either, and said so if it was asked for.
bool CpuEventSource::use_timers(const std::string& why) {
  const bool asked_for = options_.method == sampler::SamplingMethod::kTimer;
  std::string obstacle = sampler::timers_obstacle();
  if (options_.samples != Scope::kProcessTree)
    obstacle = "timers sample the program and its children only (--sample=process-tree)";
  if (!obstacle.empty()) {
    if (asked_for) recorder_.warn("CPU samples are not recorded: " + obstacle);
    return false;
  }
  const std::uint64_t tick = sampler::kernel_tick();
  timer_period_ = sampler::timer_period(options_, tick);
  note_["sampler"] = "timer";
  note_["period"] = timer_period_;
  const std::string text = fmt::format(
      "CPU samples are taken by timers in the program, {} a second of CPU time at most and without "
      "the kernel's part of the chains{}{}",
      1'000'000'000 / std::max(tick, timer_period_), asked_for ? ", " : "; perf_event_open: ", why);
  if (asked_for)
    recorder_.diagnostic(1, text);
  else
    recorder_.warn(text);
  return true;
}

void CpuEventSource::drain() {
  for (Part& part : parts_) {
    const auto take = [&](std::uint32_t cpu, std::span<const std::byte> records) {
      stacks_.write_definitions(recorder_);
      recorder_.kernel_records({cpu, part.source}, records);
    };
    part.events.drain(take, [&] { stacks_.read_jit_dumps(recorder_); });
  }
}

void CpuEventSource::finish() {
  // The first time takes what happened up to its beginning.
  drain();
  drain();
  for (const Part& part : parts_) {
    if (const std::uint64_t lost = part.events.lost(); lost > 0)
      recorder_.note({{"type", "kernel_lost"}, {"source", part.source}, {"records", lost}});
    if (const std::uint64_t bytes = part.events.corrupt_bytes(); bytes > 0)
      recorder_.diagnostic(
          3, fmt::format("{} bytes of the kernel's records of the CPUs made no sense.", bytes));
  }
}

}  // namespace prof::session
