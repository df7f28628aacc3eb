// The process images of a session, from the notes in the spool, and their ids in the report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/spool/clock_model.hpp"
#include "collector/spool/notes.hpp"

namespace prof::ingest {

// A program that a process runs. An exec starts a new process image with the same pid.
struct ProcessImage {
  std::uint32_t serial = 0;
  // Serial of the image that it was forked from; 0: started by exec.
  std::uint32_t parent_serial = 0;
  std::int32_t pid = 0;      // in prof's pid namespace
  std::int32_t own_pid = 0;  // what getpid() returns in the process
  std::uint64_t time = 0;    // when it joined: reading of the session's clock
  // How many earlier processes had the same pid.
  std::uint32_t generation = 0;
  std::pmr::string name;  // path of the program; if unknown, the kernel's name
  spool::Drops dropped;
  bool has_ended = false;
};

// Serialized ids as in nsys: hardware 0, virtual machine 1, process, thread. If several processes
// had the same pid one after the other, the second gets virtual machine 2, and so on.
constexpr std::int64_t kGlobalVid = std::int64_t{1} << 48;
constexpr std::int64_t generation_id(std::uint32_t generation) {
  constexpr std::uint32_t kMaximum = 254;  // nsys has 8 bits for the virtual machine
  return static_cast<std::int64_t>(std::min(generation, kMaximum)) << 48;
}
constexpr std::int64_t global_pid(std::int32_t pid) {
  return kGlobalVid | (static_cast<std::int64_t>(pid & 0xffffff) << 24);
}
constexpr std::int64_t global_tid(std::int32_t pid, std::uint32_t tid) {
  return global_pid(pid) | static_cast<std::int64_t>(tid & 0xffffff);
}
// Returns the id of the process of a thread.
constexpr std::int64_t global_pid_of_thread(std::int64_t global_tid) {
  return global_tid & ~std::int64_t{0xffffff};
}

class ProcessTable {
 public:
  explicit ProcessTable(const spool::Notes& notes,
                        std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  // Returns the images in the order in which they joined.
  const std::pmr::vector<ProcessImage>& images() const { return images_; }
  // Returns the process image, or null if it has no note.
  const ProcessImage* find(std::uint32_t serial) const;

  // Returns a thread's id in the report. For a process in another pid namespace, the id of the main
  // thread is translated; other threads keep their tid of that namespace.
  std::int64_t global_tid_of(std::uint32_t serial, std::uint32_t tid) const;
  std::int64_t global_pid_of(std::uint32_t serial) const;
  // Returns the same for a thread that the kernel reported at this time (ns of the clock). Anything
  // that a process does before its first event counts for the earlier process with that pid.
  std::int64_t global_tid_at(std::int32_t pid, std::uint32_t tid, std::int64_t time,
                             const spool::ClockModel& clock) const;
  // Returns when the process began that had the pid at this time (ns of the clock). Returns
  // INT64_MIN for the first process with the pid.
  std::int64_t begin_at(std::int32_t pid, std::int64_t time, const spool::ClockModel& clock) const;

 private:
  struct Began {
    std::uint32_t generation = 0;
    std::int64_t time = INT64_MIN;
  };
  Began last_begin(std::int32_t pid, std::int64_t time, const spool::ClockModel& clock) const;

  std::pmr::vector<ProcessImage> images_;
  std::pmr::unordered_map<std::uint32_t, std::size_t> by_serial_;
  // For pids that several processes had: when each process began, by generation.
  std::pmr::unordered_map<std::int32_t, std::vector<std::uint64_t>> reused_;
};

}  // namespace prof::ingest
