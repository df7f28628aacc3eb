// The process images that are in the session right now.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collector/base/unique_fd.hpp"
#include "injection/wire/chunk.hpp"

namespace prof::session {

struct LiveProcess {
  std::uint32_t serial = 0;
  std::uint32_t slot = 0;
  pid_t pid = 0;
  std::uint64_t time = 0;  // when it began, as it says
  base::UniqueFd pidfd;    // invalid where the kernel has none, or few are left: then it is polled
  bool is_reaped = false;  // ended before we got to know of it
  bool is_own_word = false;  // that this is its pid
  std::string name;          // of its program
};

class LiveProcesses {
 public:
  // `arena` outlives the object.
  explicit LiveProcesses(wire::ArenaHeader* arena);

  // Registers an image that waits for a serial and a slot.
  LiveProcess& add(pid_t pid, std::string name);
  // Registers one that has taken them. `pidfd`: invalid if the process is to be polled.
  LiveProcess& add(LiveProcess process);

  // The images that these remove keep their slots until release().
  // Removes and returns the images of a process.
  std::vector<LiveProcess> take(pid_t pid);
  // Those of them that are over: a process runs one image at a time.
  std::vector<LiveProcess> take_past(pid_t pid);
  // Removes and returns the images of processes that have ended but have no pidfd to say so.
  std::vector<LiveProcess> take_vanished();
  // Removes and returns those that claimed the pid of a process that has nothing to do with the
  // session: does not map its arena, and was not started with it in its environment.
  std::vector<LiveProcess> take_impostors(const std::string& session, ino_t arena);
  // Removes and returns all.
  std::vector<LiveProcess> take_all();
  // The image's counters have been read: another may use its slot.
  void release(const LiveProcess& image);

  bool empty() const { return by_serial_.empty(); }
  bool has(pid_t pid) const;
  // Was an image with that serial ever added?
  bool knows(std::uint32_t serial) const { return names_of_.contains(serial); }
  // Program of an image that was; empty if there was none.
  std::string name_of(std::uint32_t serial) const;
  // How many were added so far that did not take their serial themselves.
  std::size_t asked() const { return next_serial_ - wire::kFirstCollectorSerial; }
  // The process a pidfd belongs to; 0 if it is not one of ours.
  pid_t owner_of(int pidfd) const;

 private:
  template <class Predicate>
  std::vector<LiveProcess> take_if(Predicate predicate);

  wire::ArenaHeader* arena_;
  std::map<std::uint32_t, LiveProcess> by_serial_;
  std::unordered_map<std::uint32_t, const std::string*> names_of_;
  std::unordered_set<std::string> names_;
  std::uint32_t next_serial_ = wire::kFirstCollectorSerial;
  int highest_pidfd_;
};

// Processes whose environment names the session: also those that never said hello.
std::vector<pid_t> processes_of_session(const std::string& session);

}  // namespace prof::session
