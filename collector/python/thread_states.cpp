#include "collector/python/thread_states.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string_view>

namespace prof::python {

bool ThreadStates::is_running(pid_t thread) {
  const auto [at, is_new] = files_.try_emplace(thread);
  if (is_new) {
    const std::string path =
        "/proc/" + std::to_string(process_) + "/task/" + std::to_string(thread) + "/stat";
    at->second = base::UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  char text[128];
  const ssize_t bytes = pread(at->second.get(), text, sizeof text, 0);
  if (bytes <= 0) {  // the thread has ended; its tid may be reused
    files_.erase(at);
    return false;
  }
  // "12 (name) R". A name may contain parentheses.
  const std::string_view stat(text, static_cast<std::size_t>(bytes));
  const std::size_t name_end = stat.rfind(") ");
  return name_end != std::string_view::npos && stat.substr(name_end + 2).starts_with('R');
}

}  // namespace prof::python
