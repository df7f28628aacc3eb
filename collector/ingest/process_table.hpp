// The process images of a session, from the notes in the spool, and their ids in the report.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace prof::ingest {

// Lost events by cause.
using Drops = std::map<std::string, std::uint64_t>;
// Those that a note tells of; none if it does not make sense.
Drops drops_of(const nlohmann::json& note);

// One program image in one process: exec makes a new one with the same pid.
struct ProcessImage {
  std::uint32_t serial = 0;
  std::uint32_t parent_serial = 0;  // forked from this image; 0 if it was started by exec
  std::int32_t pid = 0;             // in the profiler's pid namespace
  std::int32_t own_pid = 0;         // what getpid() says inside
  std::uint64_t time = 0;           // clock reading of its Hello
  std::string name;                 // executable, else kernel name
  Drops dropped;                    // from its end note
};

// Serialized ids as nsys writes them: hardware 0, virtual machine 1, process, thread.
constexpr std::int64_t kGlobalVid = std::int64_t{1} << 48;
constexpr std::int64_t global_pid(std::int32_t pid) {
  return kGlobalVid | (static_cast<std::int64_t>(pid & 0xffffff) << 24);
}
constexpr std::int64_t global_tid(std::int32_t pid, std::uint32_t tid) {
  return global_pid(pid) | static_cast<std::int64_t>(tid & 0xffffff);
}

class ProcessTable {
 public:
  explicit ProcessTable(const std::vector<nlohmann::json>& notes);

  // In the order they joined.
  const std::vector<ProcessImage>& images() const { return images_; }
  // Null for a serial nobody announced (its note was lost).
  const ProcessImage* find(std::uint32_t serial) const;

  // A thread's id in the report. The main thread of a process in another pid namespace is
  // translated; its other threads keep the number they have there.
  std::int64_t global_tid_of(std::uint32_t serial, std::uint32_t tid) const;
  std::int64_t global_pid_of(std::uint32_t serial) const;

 private:
  std::vector<ProcessImage> images_;
  std::unordered_map<std::uint32_t, std::size_t> by_serial_;
};

}  // namespace prof::ingest
