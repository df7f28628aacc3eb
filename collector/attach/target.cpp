#include "collector/attach/target.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "collector/attach/filters.hpp"
#include "collector/attach/injector.hpp"
#include "collector/attach/target_memory.hpp"
#include "common/base/machine.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/text_file.hpp"
#include "common/wire/handshake.hpp"

namespace prof::attach {

using base::fail;

namespace {

// Returns the path of a file in /proc for a process whose first thread may have ended.
std::string living_path(pid_t process, std::string_view name) {
  return base::proc_path(base::living_thread(process), name);
}

// Returns a field of /proc/PID/status, or an empty string if it has no such field.
std::string field_of(pid_t process, const char* name) {
  return std::string(
      base::status_value(base::read_proc_file(base::proc_path(process, "status")), name));
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool has_name(pid_t process, const std::string& name) {
  if (name_of(process) == name) return true;
  const std::string command = base::read_proc_file(living_path(process, "cmdline"));
  return !command.empty() && base_name(command.substr(0, command.find('\0'))) == name;
}

pid_t parent_of(pid_t process) { return std::atoi(field_of(process, "PPid").c_str()); }

// True if the process runs in the container. Container runtimes put the container's id, or at least
// its beginning, into the path of the control group.
bool is_in_container(pid_t process, const std::string& id) {
  return id.size() >= 12 && id.find_first_not_of("0123456789abcdef") == std::string::npos &&
         base::read_proc_file(base::proc_path(process, "cgroup")).find(id) != std::string::npos;
}

// Returns the processes that are not children of another process in the list.
std::vector<pid_t> roots_of(const std::vector<pid_t>& processes) {
  std::vector<pid_t> roots;
  for (const pid_t process : processes) {
    bool is_below = false;
    for (pid_t at = parent_of(process); at > 1 && !is_below; at = parent_of(at))
      is_below = std::find(processes.begin(), processes.end(), at) != processes.end();
    if (!is_below) roots.push_back(process);
  }
  return roots;
}

// Returns the user or the group that the process acts for, by the field of /proc/PID/status. It is
// not the owner of /proc/PID, which is root for a process that once had other rights.
std::optional<uid_t> effective_id(pid_t process, const char* field) {
  std::istringstream ids(field_of(process, field));
  uid_t real = 0, effective = 0;
  if (!(ids >> real >> effective)) return std::nullopt;
  return effective;
}

// True if the user of the process may read the file. Only root can ask: a child process of prof
// becomes that user.
bool may_read(pid_t process, uid_t user, const std::string& path) {
  const auto group = effective_id(process, "Gid").value_or(user);
  const pid_t asker = fork();
  if (asker < 0) return true;
  if (asker == 0) {
    const bool is_user = setgroups(0, nullptr) == 0 && setgid(group) == 0 && setuid(user) == 0;
    _exit(!is_user || access(path.c_str(), R_OK) == 0 ? 0 : 1);
  }
  int status = 0;
  while (waitpid(asker, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0;
}

base::Status check_rights(pid_t process) {
  if (kill(process, 0) != 0 && errno == ESRCH)
    return fail(fmt::format("there is no process {}", process));
  const auto user = user_of(process);
  if (user && *user != geteuid() && geteuid() != 0)
    return fail(fmt::format(
        "process {} ({}) belongs to another user. Run prof as root or as that user: sudo -u '#{}' "
        "prof attach {}",
        process, name_of(process), *user, process));
  if (base::read_link(living_path(process, "ns/mnt")).empty())
    return fail(
        fmt::format("process {} may not be attached to: it was set-user-id or given capabilities. "
                    "Start it with "
                    "prof launch as a user who has its rights",
                    process));
  return {};
}

base::Status check_program(pid_t process, const TargetMemory& memory) {
  const std::string name = fmt::format("process {} ({})", process, name_of(process));
  if (memory.module_named("ld-musl") != nullptr)
    return fail(name +
                " uses the C library musl, whose functions prof does not know. CPU samples: prof "
                "profile --sample=system-wide");
  if (memory.module_named("ld-linux") == nullptr || memory.module_named("libc.so.6") == nullptr)
    return fail(name + " is statically linked, or it is not an " + base::kMachineName +
                " program: no library can be loaded into it. CPU samples: prof profile "
                "--sample=system-wide");
  if (memory.module_named("libprof_inject.so") == nullptr && is_in_session(process))
    return fail(name + " was started under prof already");
  if (field_of(base::living_thread(process), "x86_Thread_features").find("shstk") !=
      std::string::npos)
    return fail(name +
                " uses shadow stacks, which end it when prof calls a function in it. Start it with "
                "prof launch, or without shadow stacks (GLIBC_TUNABLES=glibc.cpu.hwcaps=-SHSTK)");
  for (const char* sanitizer : {"libasan.so", "libtsan.so", "libmsan.so"})
    if (memory.module_named(sanitizer) != nullptr)
      return fail(name +
                  " runs under a sanitizer, which knows nothing of threads that prof starts. "
                  "Start it with prof launch");
  return {};
}

}  // namespace

std::optional<uid_t> user_of(pid_t process) { return effective_id(process, "Uid"); }

base::Status check_readable(pid_t process, const std::string& path) {
  const auto user = user_of(process);
  if (!user || *user == geteuid() || geteuid() != 0 || may_read(process, *user, path)) return {};
  return fail(fmt::format(
      "process {} ({}) belongs to user {}, who may not read {}. Install prof where all users can "
      "read it (/usr, /opt)",
      process, name_of(process), *user, path));
}

bool is_in_session(pid_t process) {
  const std::string name = std::string(1, '\0') + wire::kSessionVariable + "=";
  const std::string environment =
      '\0' + base::read_text_file(living_path(process, "environ")).value_or("");
  const std::size_t at = environment.find(name);
  if (at == std::string::npos) return false;
  const std::string session(environment.c_str() + at + name.size());
  std::error_code error;
  return !session.empty() && std::filesystem::exists(living_path(process, "root") + session, error);
}

std::string name_of(pid_t process) {
  std::string name = base::read_proc_file(base::proc_path(process, "comm"));
  while (!name.empty() && name.back() == '\n') name.pop_back();
  return name;
}

base::Result<pid_t> find_target(const std::string& word) {
  if (const base::Status proc = base::check_proc(); !proc) return tl::make_unexpected(proc.error());
  pid_t number = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), number);
  if (parsed.ec == std::errc{} && parsed.ptr == word.data() + word.size()) {
    if (number <= 0 || !std::filesystem::exists("/proc/" + word))
      return fail("there is no process " + word);
    return number;
  }
  std::vector<pid_t> found;
  for (const pid_t process : base::ids_in("/proc"))
    if (process != getpid() && (has_name(process, word) || is_in_container(process, word)))
      found.push_back(process);
  found = roots_of(found);
  if (found.empty()) return fail("there is no process or container named " + word);
  if (found.size() == 1) return found.front();
  std::string list;
  for (const pid_t process : found) list += (list.empty() ? "" : ", ") + std::to_string(process);
  return fail(fmt::format("{} processes are named {}: choose one of {}", found.size(), word, list));
}

std::vector<pid_t> process_tree(const std::vector<pid_t>& roots) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t process : base::ids_in("/proc")) children.emplace(parent_of(process), process);
  std::vector<pid_t> tree;
  std::set<pid_t> taken;
  const auto take = [&](pid_t process) {
    if (taken.insert(process).second) tree.push_back(process);
  };
  for (const pid_t root : roots) take(root);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto [begin, end] = children.equal_range(tree[i]);
    for (auto at = begin; at != end; ++at) take(at->second);
  }
  return tree;
}

base::Status check_reach(pid_t process, const std::string& path) {
  struct stat here {
  }, there{};
  const std::string seen = living_path(process, "root") + path;
  if (stat(path.c_str(), &here) == 0 && stat(seen.c_str(), &there) == 0 &&
      here.st_dev == there.st_dev && here.st_ino == there.st_ino)
    return {};
  return fail(fmt::format(
      "process {} ({}) does not see {}: it has other mounts or another root directory, as in a "
      "container. Run prof inside (docker exec, kubectl exec, or nsenter -t {} -m -p)",
      process, name_of(process), path, process));
}

base::Status check_target(pid_t process) {
  if (!can_attach())
    return fail(std::string("prof attach does not work on ") + base::kMachineName +
                " yet: prof knows only x86-64's registers well enough to start a thread in a "
                "program that runs. "
                "Start the program with prof profile or prof launch");
  const pid_t living = base::living_thread(process);
  const std::string state = field_of(living, "State");
  const std::string name = fmt::format("process {} ({})", process, name_of(process));
  if (living == 0) return fail(name + " has ended");
  if (base::Status allowed = check_rights(process); !allowed) return allowed;
  if (state.starts_with("T")) return fail(name + " is stopped: continue it first (kill -CONT)");
  if (state.starts_with("t") || field_of(living, "TracerPid") != "0")
    return fail(fmt::format("{} is traced by another debugger, process {}", name,
                            field_of(living, "TracerPid")));
  if (base::Status unconfined = check_filters(process); !unconfined) return unconfined;
  TargetMemory memory(process);
  if (!memory.read_mappings())
    return fail(name +
                " may not be attached to. If it is this user's, Yama forbids it: sudo sysctl "
                "kernel.yama.ptrace_scope=0, or run prof as root");
  return check_program(process, memory);
}

}  // namespace prof::attach
