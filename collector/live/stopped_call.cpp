#include "collector/live/stopped_call.hpp"

#include <sstream>
#include <string>

#include "collector/base/proc_file.hpp"

namespace prof::live {

// "58 0x… 0x… … SP PC" or "running".
std::optional<SystemCall> call_of_unstopped(pid_t pid, pid_t thread) {
  std::istringstream words(
      base::read_proc_file(base::proc_path(pid, "task/" + std::to_string(thread) + "/syscall")));
  SystemCall call;
  if (!(words >> call.number)) return {};
  for (std::uint64_t& each : call.arguments) words >> std::hex >> each;
  return call;
}

bool has_signal(pid_t pid, pid_t thread) {
  const std::string status =
      base::read_proc_file(base::proc_path(pid, "task/" + std::to_string(thread) + "/status"));
  const auto mask = [&](const char* key) {
    return base::number_in(base::status_value(status, key), 16);
  };
  return status.empty() || ((mask("SigPnd") | mask("ShdPnd")) & ~mask("SigBlk")) != 0;
}

}  // namespace prof::live
