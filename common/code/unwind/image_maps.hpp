// The code that is mapped in each process image of a session, read from /proc. It serves stack
// copies that processes make themselves, and does not need perf's records (address_spaces.hpp).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/code/unwind/module_map.hpp"

namespace prof::unwind {

// After a process has ended, the last reading is kept until its last records have been read. What
// the process mapped after that reading is not known.
class ImageMaps {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ImageMaps(Modules& modules) : modules_(modules) {}

  // Code that was unloaded at a time (CLOCK_MONOTONIC_RAW in ns, like all times here).
  struct Unloaded {
    std::uint64_t time, start, end;
  };
  // Returns what a process reported as unloaded since the last call. It may not report everything.
  using UnloadedCode = std::function<std::vector<Unloaded>()>;

  // Adds a new image that joined at `time`. `parent` is the image it was forked from, or 0. If the
  // image has ended since, it has the parent's mappings.
  void join(std::uint32_t serial, pid_t pid, std::uint32_t parent, std::uint64_t time,
            UnloadedCode unloaded = {});
  // The process has ended, or runs another image.
  void end(std::uint32_t serial);
  void forget(std::uint32_t serial) { images_.erase(serial); }

  // Null if the image has not joined. Valid until the image is refreshed or forgotten.
  const ModuleMap* find(std::uint32_t serial);

  // Reads the mappings again if the image is twice as old as at the last reading. So something
  // recent is known even if the process ends before its stack copies are unwound.
  void keep_up(std::uint32_t serial, Clock::time_point now = Clock::now());

  // Reads the mappings again if code was unloaded, because other code may be in its place. Call it
  // before looking up an address whose code may be newer than the last reading.
  void follow_unloading(std::uint32_t serial, Clock::time_point now = Clock::now());

  // Reads the mappings again, because a library may have been loaded. Returns false if the process
  // has ended, or if it is too early: reading takes at most a tenth of the time.
  bool refresh(std::uint32_t serial, Clock::time_point now = Clock::now());

  // The same after an unknown address. It may be too early a limited number of times: plug-ins are
  // loaded one right after the other.
  bool refresh_for_unknown(std::uint32_t serial, Clock::time_point now = Clock::now());

 private:
  struct Image {
    explicit Image(ModuleMap begin) : map(std::move(begin)) {}

    ModuleMap map;
    pid_t pid = 0;     // 0: ended
    std::string text;  // read but not parsed yet, because most images are never looked up
    UnloadedCode unloaded;
    std::vector<Unloaded> gone;    // what was reported last
    std::size_t applied = 0;       // of `gone`: they are in the map
    std::uint64_t text_time = 0;   // when the text was read
    std::uint64_t known_time = 0;  // when the map's own text was read, or the process was forked
    Clock::time_point joined{};
    Clock::time_point last_read{};
    Clock::time_point not_before{};
    int early_readings = 0;           // left
    Clock::time_point early_since{};  // when the number was last increased
  };
  static void take_unloaded(Image& image);
  static bool read(Image& image);
  static const ModuleMap& map_of(Image& image);

  Modules& modules_;
  std::unordered_map<std::uint32_t, Image> images_;
};

}  // namespace prof::unwind
