// Reads from /proc which code is mapped in each process image of a session. It serves stack copies
// that processes make themselves, and does not need perf's records (address_spaces.hpp).
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

// The mappings of all process images. When a process has ended, its last mappings are kept until
// its last records have been read. Mappings that the process made after they were read are unknown.
class ImageMaps {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ImageMaps(Modules& modules) : modules_(modules) {}

  // Code that was unloaded at a time. All times here are CLOCK_MONOTONIC_RAW in ns.
  struct Unloaded {
    std::uint64_t time, start, end;
  };
  // Returns the code that a process reported as unloaded since the last call. The report may be
  // incomplete.
  using UnloadedCode = std::function<std::vector<Unloaded>()>;

  // Adds an image that joined at `time`. `parent` is the image it was forked from, or 0. If the
  // image has already ended, it gets the parent's mappings.
  void join(std::uint32_t serial, pid_t pid, std::uint32_t parent, std::uint64_t time,
            UnloadedCode unloaded = {});
  // Call it when the process has ended or runs another image.
  void end(std::uint32_t serial);
  void forget(std::uint32_t serial) { images_.erase(serial); }

  // Returns the mappings of an image, or null if it has not joined. Valid until the image is
  // refreshed or forgotten.
  const ModuleMap* find(std::uint32_t serial);

  // Reads the mappings again if the image is twice as old as at the last reading. So a recent state
  // is known even if the process ends before its stack copies are unwound.
  void keep_up(std::uint32_t serial, Clock::time_point now = Clock::now());

  // Reads the mappings again if code was unloaded, because other code may be in its place. Call it
  // before looking up an address whose code may be newer than the last reading.
  void follow_unloading(std::uint32_t serial, Clock::time_point now = Clock::now());

  // Reads the mappings again, because a library may have been loaded. Returns false if the process
  // has ended, or if it is too early: reading takes at most a tenth of the time.
  bool refresh(std::uint32_t serial, Clock::time_point now = Clock::now());

  // Like refresh(), for an address that is unknown. A limited number of calls may read earlier than
  // refresh() allows, because plug-ins are loaded one right after another.
  bool refresh_for_unknown(std::uint32_t serial, Clock::time_point now = Clock::now());

 private:
  struct Image {
    explicit Image(ModuleMap begin) : map(std::move(begin)) {}

    ModuleMap map;
    pid_t pid = 0;     // 0: the process has ended
    std::string text;  // read but not parsed yet, because most images are never looked up
    UnloadedCode unloaded;
    std::vector<Unloaded> gone;    // code reported as unloaded by the last report
    std::size_t applied = 0;       // number of elements of `gone` that the map takes into account
    std::uint64_t text_time = 0;   // when the text was read
    std::uint64_t known_time = 0;  // when the text in the map was read, or the time of the fork
    Clock::time_point joined{};
    Clock::time_point last_read{};
    Clock::time_point not_before{};
    int early_readings = 0;           // number of early readings that are left
    Clock::time_point early_since{};  // when the number was last increased
  };
  static void take_unloaded(Image& image);
  static bool read(Image& image);
  static const ModuleMap& map_of(Image& image);

  Modules& modules_;
  std::unordered_map<std::uint32_t, Image> images_;
};

}  // namespace prof::unwind
