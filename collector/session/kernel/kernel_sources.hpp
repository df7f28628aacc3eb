// What the kernel records about the target.
#pragma once

#include "collector/session/kernel/cpu_event_source.hpp"
#include "collector/session/kernel/system_call_source.hpp"

namespace prof::session {

struct KernelSources {
  KernelSources(const SessionContext& session, const sampler::Tasks& tasks)
      : system_calls(session, tasks.threads.empty() ? 0 : tasks.threads.front()),
        cpu(session, tasks) {}

  // `in_range`: has there been a capture range since the last drain? Samples and context switches
  // of other times are dropped, as a program can run for hours between two ranges. Returns whether
  // there was anything of the CPUs.
  bool drain(bool in_range) {
    system_calls.drain();
    return cpu.drain(in_range);
  }
  void finish(bool in_range) {
    system_calls.finish();
    cpu.finish(in_range);
  }

  SystemCallSource system_calls;
  CpuEventSource cpu;
};

}  // namespace prof::session
