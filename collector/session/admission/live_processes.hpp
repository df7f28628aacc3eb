// The process images that are in the session right now.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "common/base/unique_fd.hpp"
#include "common/wire/chunk.hpp"

namespace prof::session {

struct LiveProcess {
  std::uint32_t serial = 0;
  std::uint32_t slot = 0;
  pid_t pid = 0;
  std::uint64_t time = 0;         // when it started, as the process reports it
  base::UniqueFd pidfd;           // invalid if none could be opened; then the process is polled
  bool is_reaped = false;         // it ended before its arrival was read
  bool is_self_reported = false;  // the process itself reported its pid
  std::string name;               // name of the program
};

class LiveProcesses {
 public:
  // `arena` outlives the object.
  explicit LiveProcesses(wire::ArenaHeader* arena);

  // Registers an image that waits for a reply, and gives it a serial and a slot.
  LiveProcess& add(pid_t pid, std::string name);
  // Registers an image that has taken its serial and slot itself.
  LiveProcess& add(LiveProcess process);

  // The remove functions remove and return images. The images keep their slots until release().
  // This one removes all images of a process.
  std::vector<LiveProcess> remove(pid_t pid);
  // Removes the earlier images of a process, which runs one image at a time.
  std::vector<LiveProcess> remove_replaced(pid_t pid);
  // Removes images of processes that have ended and have no pidfd.
  std::vector<LiveProcess> remove_vanished();
  // Closes the pidfd: no event announces the end of this process, so remove_vanished() looks for
  // it.
  void watch_by_polling(std::uint32_t serial) { by_serial_.at(serial).pidfd.reset(); }
  // Removes images that reported the pid of a process outside of the session. Such a process
  // neither maps the arena nor was started with the session in its environment.
  std::vector<LiveProcess> remove_impostors(const std::string& session, ino_t arena);
  // Removes all images.
  std::vector<LiveProcess> remove_all();
  // Frees the slot of a removed image whose counters have been read.
  void release(const LiveProcess& image);

  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [serial, process] : by_serial_) visit(process);
  }

  bool empty() const { return by_serial_.empty(); }
  bool has(pid_t pid) const;
  // Returns the serial of another image of the same process, or 0.
  std::uint32_t other_image(const LiveProcess& image) const;
  // True if an image with that serial was ever added.
  bool was_added(std::uint32_t serial) const { return names_of_.contains(serial); }
  // Returns the program of an image that was ever added; empty if there was none.
  std::string name_of(std::uint32_t serial) const;
  // Returns how many images were given a serial so far.
  std::size_t assigned_serials() const { return next_serial_ - wire::kFirstCollectorSerial; }
  // Returns the process that a pidfd belongs to, or 0 if the pidfd is not of an image here.
  pid_t owner_of(int pidfd) const;

 private:
  template <class Predicate>
  std::vector<LiveProcess> remove_if(Predicate predicate);

  wire::ArenaHeader* arena_;
  std::map<std::uint32_t, LiveProcess> by_serial_;
  std::unordered_map<std::uint32_t, const std::string*> names_of_;
  std::unordered_set<std::string> names_;
  std::uint32_t next_serial_ = wire::kFirstCollectorSerial;
  int highest_pidfd_;
};

}  // namespace prof::session
