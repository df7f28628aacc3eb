#include "common/base/proc_ids.hpp"

#include <charconv>

#include "common/base/folder.hpp"
#include "common/base/proc_file.hpp"

namespace prof::base {

std::vector<pid_t> ids_in(const std::string& folder) {
  std::vector<pid_t> ids;
  for_each_name(folder, [&](std::string_view name) {
    pid_t id = 0;
    const char* const end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, id);
    if (parsed.ec == std::errc{} && parsed.ptr == end) ids.push_back(id);
  });
  return ids;
}

std::vector<pid_t> threads_of(pid_t process) { return ids_in(proc_path(process, "task")); }

namespace {

bool has_ended(pid_t thread) {
  const std::string stat = read_proc_file(proc_path(thread, "stat"));
  const std::string_view state = stat_field(stat, 3);
  return state.empty() || state == "Z" || state == "X";
}

}  // namespace

pid_t living_thread(pid_t process) {
  if (!has_ended(process)) return process;
  for (const pid_t thread : threads_of(process))
    if (thread != process && !has_ended(thread)) return thread;
  return 0;
}

}  // namespace prof::base
