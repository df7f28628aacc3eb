#include "collector/attach/filters.hpp"

#include <fmt/format.h>
#include <linux/seccomp.h>
#include <unistd.h>

#include <string>

#include "collector/attach/target.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::attach {

namespace {

struct Seccomp {
  std::uint64_t mode = SECCOMP_MODE_DISABLED;
  std::uint64_t filters = 0;  // Linux 5.9 and later show the number; before, it is 1
};

Seccomp seccomp_of(pid_t thread) {
  const std::string status = base::read_proc_file(base::proc_path(thread, "status"));
  Seccomp found;
  found.mode = base::number_in(base::status_value(status, "Seccomp"));
  if (found.mode != SECCOMP_MODE_FILTER) return found;
  const auto count = base::status_value(status, "Seccomp_filters");
  found.filters = count.empty() ? 1 : base::number_in(count);
  return found;
}

bool confines(const Seccomp& its) {
  static const std::uint64_t own = seccomp_of(getpid()).filters;  // prof itself installs no filters
  return its.mode == SECCOMP_MODE_STRICT || its.filters > own;
}

}  // namespace

bool is_confined(pid_t thread) { return confines(seccomp_of(thread)); }

base::Status check_filters(pid_t process) {
  for (const pid_t thread : base::threads_of(process)) {
    const Seccomp its = seccomp_of(thread);
    if (!confines(its)) continue;
    const bool is_strict = its.mode == SECCOMP_MODE_STRICT;
    const std::string which = thread == process ? "" : fmt::format(" in its thread {}", thread);
    return base::fail(
        fmt::format("process {} ({}) has a seccomp filter{}{}, which may kill it for a system call "
                    "of prof. Start it with prof launch, or without the filter",
                    process, name_of(process), is_strict ? " (strict mode)" : "", which));
  }
  return {};
}

}  // namespace prof::attach
