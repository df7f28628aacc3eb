// Samples and scheduling of the target and its children, recorded into the spool where the kernel
// allows.
#pragma once

#include <sys/types.h>

#include <vector>

#include "collector/sampler/cpu_events.hpp"
#include "collector/session/chains/call_chain_context.hpp"
#include "collector/session/event_loop.hpp"
#include "collector/session/spool_recorder.hpp"

namespace prof::session {

class CpuEventSource {
 public:
  // Of a target that waits to exec; a refusal is told and recorded. The references outlive the
  // object.
  CpuEventSource(const sampler::CpuOptions& options, pid_t target, CallChainContext& stacks,
               SpoolRecorder& recorder, const EventLoop& loop);

  // CPU time between two samples that the target's processes are to take of themselves, as the
  // kernel does not, ns; 0: none.
  std::uint64_t timer_period() const { return timer_period_; }

  // Moves what the kernel has recorded into the spool.
  void drain();
  // The same for the last time, with what was lost.
  void finish();

 private:
  struct Part {
    sampler::CpuEvents events;
    spool::KernelSource source;
  };
  void open(sampler::Scope scope, bool samples, bool switches, spool::KernelSource source);
  bool use_timers(const std::string& why);

  const sampler::CpuOptions& options_;
  const pid_t target_;
  CallChainContext& stacks_;
  SpoolRecorder& recorder_;
  std::vector<Part> parts_;
  nlohmann::json note_;
  std::uint64_t timer_period_ = 0;
};

}  // namespace prof::session
