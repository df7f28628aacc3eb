// The sources of what the kernel records about the target.
#pragma once

#include "collector/session/kernel/cpu_event_source.hpp"
#include "collector/session/kernel/system_call_source.hpp"
#include "collector/session/kernel/tracepoint_source.hpp"

namespace prof::session {

struct KernelSources {
  KernelSources(const SessionContext& session, const sampler::Tasks& tasks)
      : system_calls(session, tasks.threads.empty() ? 0 : tasks.threads.front()),
        cpu(session, tasks),
        tracepoints(session) {}

  // `in_range`: a capture range was open at some time since the last drain. Otherwise samples,
  // context switches and events of tracepoints are dropped, because a program can run for hours
  // between two ranges. Returns whether there were any records of the CPUs.
  bool drain(bool in_range) {
    system_calls.drain();
    tracepoints.drain(in_range);
    return cpu.drain(in_range);
  }
  void finish(bool in_range) {
    system_calls.finish();
    cpu.finish(in_range);
    tracepoints.finish(in_range);
  }

  SystemCallSource system_calls;
  CpuEventSource cpu;
  TracepointSource tracepoints;
};

}  // namespace prof::session
