// Moves CPU samples and context switches of the target and its children from the kernel into the
// spool, if the kernel allows it.
#pragma once

#include <sys/types.h>

#include <vector>

#include "collector/sampler/cpu_events.hpp"
#include "collector/session/session_context.hpp"

namespace prof::session {

class CpuEventSource {
 public:
  // If the kernel refuses, the report says so, and the user is warned if the refused part was
  // chosen.
  CpuEventSource(const SessionContext& session, sampler::Tasks tasks);

  // Adds another program that has been started in the session.
  void add(const sampler::Tasks& tasks);

  // Returns the CPU time between two samples, ns, if the processes must sample themselves, else 0.
  std::uint64_t timer_period() const { return timer_period_; }

  // Moves what the kernel has recorded by now into the spool. `in_range`: see KernelSources.
  // Returns whether there were any records.
  bool drain(bool in_range);
  // Drains for the last time. Also records how many records were lost.
  void finish(bool in_range);

 private:
  struct Part {
    sampler::CpuEvents events;
    spool::KernelSource source;
  };
  void open(sampler::Scope scope, bool samples, bool switches, spool::KernelSource source);
  void report_refusal(bool samples, bool switches, const std::string& why);
  bool use_timers(const std::string& why);
  void follow_mappings();

  const SamplingOptions& options_;
  bool target_loads_library_;
  bool is_on_demand_;
  const sampler::Tasks tasks_;
  CallChainContext& chains_;
  SpoolRecorder& recorder_;
  std::vector<Part> parts_;
  spool::CpuRecordingNote note_;
  std::uint64_t timer_period_ = 0;
};

}  // namespace prof::session
