#include "collector/session/live_processes.hpp"

#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "injection/wire/chunk.hpp"

namespace prof::session {

namespace fs = std::filesystem;

namespace {

// The last slot is shared by everybody who finds no free one.
constexpr std::uint32_t kSharedSlot = wire::kProcessSlots - 1;

// Pidfds get the lower part of the descriptors: the rest is for talking to new processes.
int highest_pidfd() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1 << 20) return 1 << 20;
  return static_cast<int>(limit.rlim_cur / 2);
}

bool has_ended(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

}  // namespace

LiveProcesses::LiveProcesses() : next_serial_(wire::kFirstSerial), highest_pidfd_(highest_pidfd()) {
  for (std::uint32_t slot = kSharedSlot; slot-- > 0;) free_slots_.push_back(slot);
}

LiveProcess& LiveProcesses::add(pid_t pid) {
  LiveProcess process;
  process.serial = next_serial_++;
  process.pid = pid;
  process.slot = kSharedSlot;
  if (!free_slots_.empty()) {
    process.slot = free_slots_.back();
    free_slots_.pop_back();
  }
  if (pid > 0) process.pidfd.reset(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (process.pidfd.get() > highest_pidfd_) process.pidfd.reset();
  return by_serial_.emplace(process.serial, std::move(process)).first->second;
}

template <class Predicate>
std::vector<LiveProcess> LiveProcesses::take_if(Predicate predicate) {
  std::vector<LiveProcess> taken;
  for (auto at = by_serial_.begin(); at != by_serial_.end();) {
    if (!predicate(at->second)) {
      ++at;
      continue;
    }
    taken.push_back(std::move(at->second));
    at = by_serial_.erase(at);
  }
  return taken;
}

std::vector<LiveProcess> LiveProcesses::take(pid_t pid) {
  return take_if([&](const LiveProcess& process) { return process.pid == pid; });
}

std::vector<LiveProcess> LiveProcesses::take_vanished() {
  return take_if(
      [](const LiveProcess& process) { return !process.pidfd && has_ended(process.pid); });
}

std::vector<LiveProcess> LiveProcesses::take_all() {
  return take_if([](const LiveProcess&) { return true; });
}

void LiveProcesses::release(const LiveProcess& image) {
  if (image.slot != kSharedSlot) free_slots_.push_back(image.slot);
}

bool LiveProcesses::has(pid_t pid) const {
  return std::any_of(by_serial_.begin(), by_serial_.end(),
                     [&](const auto& each) { return each.second.pid == pid; });
}

pid_t LiveProcesses::owner_of(int pidfd) const {
  for (const auto& [serial, process] : by_serial_)
    if (process.pidfd.get() == pidfd) return process.pid;
  return 0;
}

std::string process_name(pid_t pid) {
  const std::string directory = "/proc/" + std::to_string(pid);
  char executable[PATH_MAX];
  const ssize_t length = readlink((directory + "/exe").c_str(), executable, sizeof executable);
  if (length > 0) return {executable, static_cast<std::size_t>(length)};
  std::ifstream file(directory + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

std::vector<pid_t> processes_of_session(const std::string& session) {
  const std::string wanted =
      std::string(1, '\0') + wire::kSessionVariable + "=" + session + std::string(1, '\0');
  std::vector<pid_t> found;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; at != end && !error; at.increment(error)) {
    const std::string name = at->path().filename().string();
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc{} || *parsed.ptr != '\0' || pid == getpid()) continue;
    std::ifstream file(at->path() / "environ", std::ios::binary);
    std::string environment(1, '\0');
    environment.append(std::istreambuf_iterator<char>(file), {});
    if (environment.find(wanted) != std::string::npos) found.push_back(pid);
  }
  return found;
}

}  // namespace prof::session
