// What the kernel records about the target.
#pragma once

#include "collector/session/kernel/cpu_event_source.hpp"
#include "collector/session/kernel/system_call_source.hpp"

namespace prof::session {

struct KernelSources {
  // `target` waits to exec.
  KernelSources(const SessionContext& session, pid_t target)
      : system_calls(session, target), cpu(session, target) {}

  void drain() {
    system_calls.drain();
    cpu.drain();
  }
  void finish() {
    system_calls.finish();
    cpu.finish();
  }

  SystemCallSource system_calls;
  CpuEventSource cpu;
};

}  // namespace prof::session
