#include "collector/session/cpu_recording.hpp"

#include <fmt/format.h>

#include "collector/symbols/kernel_symbols.hpp"

namespace prof::session {

using ingest::KernelSource;
using sampler::Scope;

CpuRecording::CpuRecording(const sampler::CpuOptions& options, pid_t target, CallStacks& stacks,
                           Recorder& recorder, const EventLoop& loop)
    : options_(options), target_(target), stacks_(stacks), recorder_(recorder) {
  if (!options.is_any()) return;
  // One event a CPU serves for both, unless they are about different processes.
  if (options.samples == options.switches || options.switches == Scope::kNone) {
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

void CpuRecording::open(Scope scope, bool samples, bool switches, KernelSource source) {
  auto events = sampler::CpuEvents::open(scope, samples, switches, target_, options_,
                                         stacks_.spaces, stacks_.tree);
  const std::string what = !samples    ? "Context switches are"
                           : !switches ? "CPU samples are"
                                       : "CPU samples and context switches are";
  if (!events) return recorder_.warn(what + " not recorded: " + events.error().message);
  if (samples && options_.period != 0 && !events->counts_cycles())
    recorder_.warn(
        "--sampling-period: this machine has no hardware counters; the period is taken as ns of "
        "CPU time");
  if (switches) note_["switches"].push_back(source);
  parts_.push_back({std::move(*events), source});
}

void CpuRecording::drain() {
  for (Part& part : parts_) {
    part.events.drain([&](std::uint32_t cpu, std::span<const std::byte> records) {
      stacks_.write_definitions(recorder_);
      recorder_.kernel_records({cpu, part.source}, records);
    });
  }
}

void CpuRecording::finish() {
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
