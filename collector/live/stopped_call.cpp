#include "collector/live/stopped_call.hpp"

#include "collector/ptrace/waiting_call.hpp"

namespace prof::live {

std::optional<SystemCall> call_of_unstopped(pid_t thread) {
  const auto call = ptrace::waiting_call(thread);
  if (!call) return {};
  return SystemCall{static_cast<std::uint32_t>(call->number), call->arguments};
}

}  // namespace prof::live
