#include "collector/session/launcher.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "collector/base/unique_fd.hpp"
#include "injection/preload/program_file.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

using base::fail_errno;
using base::UniqueFd;

namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& string : strings) result.push_back(const_cast<char*>(string.c_str()));
  result.push_back(nullptr);
  return result;
}

// In the child, between fork and exec. Reports errno through the pipe if exec fails.
[[noreturn]] void become_target(const LaunchRequest& request, char* const* arguments,
                                char* const* environment, int start_pipe, int error_pipe) {
  char go;
  if (read(start_pipe, &go, 1) != 1) _exit(127);
  if (request.stdout_fd >= 0) dup2(request.stdout_fd, STDOUT_FILENO);
  if (request.stderr_fd >= 0) dup2(request.stderr_fd, STDERR_FILENO);
  for (const auto& [signal, action] : request.signal_actions) sigaction(signal, &action, nullptr);
  sigprocmask(SIG_SETMASK, &request.signal_mask, nullptr);
  execvpe(arguments[0], arguments, environment);
  const int error = errno;
  static_cast<void>(!write(error_pipe, &error, sizeof error));
  _exit(error == ENOENT ? 127 : 126);
}

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

base::Result<Pipe> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return fail_errno("cannot create a pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

std::vector<std::string> entries_of(const std::string& list) {
  std::vector<std::string> entries;
  std::string entry;
  for (const char c : list + ":") {
    if (c != ':' && c != ' ') {
      entry += c;
      continue;
    }
    if (!entry.empty()) entries.push_back(entry);
    entry.clear();
  }
  return entries;
}

// LD_PRELOAD with ours in front but for sanitizers' runtimes, each library once.
std::string preload_list(const Preload& preload, const std::string& existing) {
  std::vector<std::string> list = preload.first;
  const auto add = [&list](const std::string& entry) {
    if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
  };
  const std::vector<std::string> others = entries_of(existing);
  for (const std::string& entry : others)
    if (preload::wants_to_be_first(entry.data(), entry.size())) add(entry);
  add(preload.library);
  for (const std::string& entry : preload.behind) add(entry);
  for (const std::string& entry : others) add(entry);
  std::string joined;
  for (const std::string& item : list) joined += (joined.empty() ? "" : ":") + item;
  return joined;
}

}  // namespace

base::Result<Launch> Launch::prepare(const LaunchRequest& request) {
  const std::vector<char*> arguments = pointers(request.command);
  const std::vector<char*> environment = pointers(request.environment);
  auto start = make_pipe();
  auto error = make_pipe();
  if (!start || !error) return tl::make_unexpected((start ? error : start).error());
  const pid_t pid = fork();
  if (pid < 0) return fail_errno("cannot start " + request.command[0], errno);
  if (pid == 0) {
    start->write_end.reset();
    become_target(request, arguments.data(), environment.data(), start->read_end.get(),
                  error->write_end.get());
  }
  return Launch(pid, request.command[0], std::move(start->write_end), std::move(error->read_end));
}

Launch::Launch(Launch&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      program_(std::move(other.program_)),
      start_(std::move(other.start_)),
      error_(std::move(other.error_)) {}

Launch::~Launch() {
  if (!start_) return;
  start_.reset();
  waitpid(pid_, nullptr, 0);
}

base::Status Launch::go() {
  static_cast<void>(!write(start_.get(), "g", 1));
  start_.reset();
  int error = 0;
  ssize_t bytes;
  do {
    bytes = read(error_.get(), &error, sizeof error);
  } while (bytes < 0 && errno == EINTR);
  if (bytes != sizeof error) return {};  // closed by a successful exec
  waitpid(pid_, nullptr, 0);
  return fail_errno("cannot run " + program_, error);
}

std::vector<std::string> target_environment(
    char* const* base, const std::vector<std::pair<std::string, std::string>>& additions,
    const std::string& session, const Preload& preload, const InjectionDoors& doors) {
  std::vector<std::string> order;
  std::map<std::string, std::string> values;
  const auto set = [&](const std::string& name, std::string value) {
    if (!values.contains(name)) order.push_back(name);
    values[name] = std::move(value);
  };
  for (; base != nullptr && *base != nullptr; ++base) {
    const char* equals = std::strchr(*base, '=');
    if (equals != nullptr) set(std::string(static_cast<const char*>(*base), equals), equals + 1);
  }
  for (const auto& [name, value] : additions) set(name, value);
  const auto existing = values.find("LD_PRELOAD");
  set("LD_PRELOAD",
      preload_list(preload, existing == values.end() ? std::string() : existing->second));
  set(wire::kSessionVariable, session);
  if (doors.nvtx) set("NVTX_INJECTION64_PATH", preload.library);
  if (doors.cuda) set("CUDA_INJECTION64_PATH", preload.library);
  std::vector<std::string> environment;
  environment.reserve(order.size());
  for (const std::string& name : order) environment.push_back(name + "=" + values[name]);
  return environment;
}

}  // namespace prof::session
