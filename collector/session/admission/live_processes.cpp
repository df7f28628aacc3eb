#include "collector/session/admission/live_processes.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "collector/session/admission/process_facts.hpp"
#include "collector/session/admission/session_processes.hpp"
#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"

namespace prof::session {

namespace {

// Returns the highest descriptor for pidfds, which use the lower half of the descriptors. The rest
// is for connections of new processes.
int highest_pidfd() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1 << 20) return 1 << 20;
  return static_cast<int>(limit.rlim_cur / 2);
}

// Returns whether the process maps the arena; nothing if prof may not read its maps.
std::optional<bool> maps_arena(ino_t arena, pid_t pid) {
  const std::string inode = " " + std::to_string(arena) + " ";
  std::ifstream maps(base::proc_path(base::living_thread(pid), "maps"));
  if (!maps) return std::nullopt;
  for (std::string line; std::getline(maps, line);)
    if (line.find(inode) != std::string::npos && line.find("prof-arena") != std::string::npos)
      return true;
  return false;
}

// Processes take their serials in turn, so the order of serials is right even if the clocks of CPUs
// differ.
bool is_later(const LiveProcess& process, const LiveProcess& than) {
  const bool have_taken_serials =
      process.serial < wire::kFirstCollectorSerial && than.serial < wire::kFirstCollectorSerial;
  return have_taken_serials ? process.serial > than.serial : process.time >= than.time;
}

bool is_gone(const LiveProcess& process) {
  pollfd end{process.pidfd.get(), POLLIN, 0};
  return process.is_reaped || (process.pidfd && poll(&end, 1, 0) > 0);
}

}  // namespace

LiveProcesses::LiveProcesses(wire::ArenaHeader* arena)
    : arena_(arena), highest_pidfd_(highest_pidfd()) {}

LiveProcess& LiveProcesses::add(pid_t pid, std::string name) {
  LiveProcess process;
  process.serial = next_serial_++;
  process.slot = wire::claim_slot(arena_, process.serial);
  process.pid = pid;
  process.name = std::move(name);
  if (pid > 0) process.pidfd = open_pidfd(pid);
  return add(std::move(process));
}

LiveProcess& LiveProcesses::add(LiveProcess process) {
  if (process.pidfd.get() > highest_pidfd_) process.pidfd.reset();
  const std::uint32_t serial = process.serial;
  names_of_.emplace(serial, &*names_.insert(process.name).first);
  return by_serial_.emplace(serial, std::move(process)).first->second;
}

std::string LiveProcesses::name_of(std::uint32_t serial) const {
  const auto at = names_of_.find(serial);
  return at == names_of_.end() ? std::string() : *at->second;
}

template <class Predicate>
std::vector<LiveProcess> LiveProcesses::remove_if(Predicate predicate) {
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

std::vector<LiveProcess> LiveProcesses::remove(pid_t pid) {
  return remove_if([&](const LiveProcess& process) { return process.pid == pid; });
}

std::vector<LiveProcess> LiveProcesses::remove_replaced(pid_t pid) {
  const LiveProcess* latest = nullptr;
  for (const auto& [serial, process] : by_serial_)
    if (process.pid == pid && (latest == nullptr || is_later(process, *latest))) latest = &process;
  const std::uint32_t runs = latest != nullptr ? latest->serial : 0;
  return remove_if([&](const LiveProcess& process) {
    return process.pid == pid && (process.serial != runs || process.is_reaped);
  });
}

std::vector<LiveProcess> LiveProcesses::remove_vanished() {
  return remove_if(
      [](const LiveProcess& process) { return !process.pidfd && has_ended(process.pid); });
}

std::vector<LiveProcess> LiveProcesses::remove_impostors(const std::string& session, ino_t arena) {
  return remove_if([&](LiveProcess& process) {
    if (!process.is_self_reported) return false;
    process.is_self_reported = false;
    if (process.pid == getpid()) return true;  // prof maps the arena, too
    const std::optional<bool> maps = maps_arena(arena, process.pid);
    if (maps.value_or(false) || was_started_in(session, process.pid)) return false;
    return maps.has_value() ||
           age_of(process.pid) > age_of(getpid());  // no process of the session is older than prof
  });
}

std::vector<LiveProcess> LiveProcesses::remove_all() {
  return remove_if([](const LiveProcess&) { return true; });
}

void LiveProcesses::release(const LiveProcess& image) {
  // Cleared, because the next process with this slot may have no Python.
  arena_->slots[image.slot].python_runtime.store(0, std::memory_order_relaxed);
  arena_->slots[image.slot].cupti_state.store(wire::CuptiState::kNone, std::memory_order_relaxed);
  arena_->slots[image.slot].steps.store(0, std::memory_order_relaxed);
  wire::release_slot(arena_, image.slot, image.serial);
}

bool LiveProcesses::has(pid_t pid) const {
  return std::any_of(by_serial_.begin(), by_serial_.end(),
                     [&](const auto& each) { return each.second.pid == pid; });
}

// If a process has ended and a living process has its pid, they are two processes.
std::uint32_t LiveProcesses::other_image(const LiveProcess& image) const {
  for (const auto& [serial, each] : by_serial_)
    if (each.pid == image.pid && serial != image.serial && (is_gone(image) || !is_gone(each)))
      return serial;
  return 0;
}

pid_t LiveProcesses::owner_of(int pidfd) const {
  for (const auto& [serial, process] : by_serial_)
    if (process.pidfd.get() == pidfd) return process.pid;
  return 0;
}

}  // namespace prof::session
