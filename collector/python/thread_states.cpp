#include "collector/python/thread_states.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>

#include "common/base/proc_file.hpp"

namespace prof::python {

// Returns the start of a file of the thread in /proc, valid until the next call.
std::string_view ThreadStates::read(Files& files, const char* name, pid_t thread) {
  const auto [at, is_new] = files.try_emplace(thread);
  if (is_new) {
    const std::string path = base::proc_path(process_, thread, name);
    at->second = base::UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  }
  const ssize_t bytes = pread(at->second.get(), text_, sizeof text_, 0);
  if (bytes > 0) return {text_, static_cast<std::size_t>(bytes)};
  files.erase(at);  // the thread has ended; its tid may be reused
  return "";
}

bool ThreadStates::is_running(pid_t thread) {
  return base::stat_field(read(states_, "stat", thread), 3) == "R";
}

std::uint64_t ThreadStates::turns(pid_t thread) {
  // The file contains "TIME-ON-CPU TIME-WITHOUT-CPU TURNS".
  const std::string_view text = read(turns_, "schedstat", thread);
  const std::size_t last = text.rfind(' ');
  std::uint64_t turns = 0;
  if (last != std::string_view::npos)
    std::from_chars(text.data() + last + 1, text.data() + text.size(), turns);
  return turns;
}

}  // namespace prof::python
