// The process images that are in the session right now.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collector/base/unique_fd.hpp"
#include "injection/wire/handshake.hpp"

namespace prof::session {

struct LiveProcess {
  std::uint32_t serial = 0;
  std::uint32_t slot = 0;
  pid_t pid = 0;
  base::UniqueFd pidfd;  // invalid where the kernel has none, or few are left: then it is polled
};

class LiveProcesses {
 public:
  LiveProcesses();

  // Registers an image that just said hello. If the process was known under another image, that one
  // has to be taken out first.
  LiveProcess& add(pid_t pid);

  // The images that these remove keep their slots until release().
  // Removes and returns the images of a process.
  std::vector<LiveProcess> take(pid_t pid);
  // Removes and returns the images of processes that have ended but have no pidfd to say so.
  std::vector<LiveProcess> take_vanished();
  // Removes and returns all.
  std::vector<LiveProcess> take_all();
  // The image's counters have been read: another may use its slot.
  void release(const LiveProcess& image);

  bool empty() const { return by_serial_.empty(); }
  bool has(pid_t pid) const;
  // Was an image with that serial ever added?
  bool knows(std::uint32_t serial) const {
    return serial >= wire::kFirstSerial && serial < next_serial_;
  }
  // How many were added so far.
  std::uint32_t images() const { return next_serial_ - wire::kFirstSerial; }
  // The process a pidfd belongs to; 0 if it is not one of ours.
  pid_t owner_of(int pidfd) const;

 private:
  template <class Predicate>
  std::vector<LiveProcess> take_if(Predicate predicate);

  std::map<std::uint32_t, LiveProcess> by_serial_;
  std::vector<std::uint32_t> free_slots_;
  std::uint32_t next_serial_;
  int highest_pidfd_;
};

// Executable of a process, or the kernel's name for it.
std::string process_name(pid_t pid);

// Processes whose environment names the session: also those that never said hello.
std::vector<pid_t> processes_of_session(const std::string& session);

}  // namespace prof::session
