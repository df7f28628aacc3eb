// The code that is mapped in each process image of a session, as /proc shows it: for stacks that
// processes copy themselves, whether or not the kernel tells of mappings (address_spaces.hpp).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collector/unwind/module_map.hpp"

namespace prof::unwind {

// An image is asked about until its last records have been taken, also after its process has ended:
// what was last read stays. What such a process mapped after the last reading is not known.
class ImageMaps {
 public:
  using Clock = std::chrono::steady_clock;

  explicit ImageMaps(Modules& modules) : modules_(modules) {}

  // Code that was unloaded at a time. CLOCK_MONOTONIC_RAW, ns, as all times here.
  struct Unloaded {
    std::uint64_t time, start, end;
  };
  // What a process has said of that since the last time; may be less than was unloaded.
  using UnloadedCode = std::function<std::vector<Unloaded>()>;

  // A new image, which still runs. `parent`: the image it was forked from, or 0; it serves where
  // /proc shows nothing.
  void join(std::uint32_t serial, pid_t pid, std::uint32_t parent, UnloadedCode unloaded = {});
  // The process has ended, or runs another image.
  void end(std::uint32_t serial);
  void forget(std::uint32_t serial) { images_.erase(serial); }

  // Null for an image that has not joined. Valid until the image is refreshed or forgotten.
  const ModuleMap* find(std::uint32_t serial);

  // Reads again if the image has become twice as old since: a process that ends before its stacks
  // are looked at is known as far as that.
  void keep_up(std::uint32_t serial, Clock::time_point now = Clock::now());

  // Reads again if code was unloaded since: other code may be in its place. Before each look-up of
  // what may be younger than the last reading.
  void follow_unloading(std::uint32_t serial, Clock::time_point now = Clock::now());

  // Reads again, as an address is not known: a library may have been loaded. False if it may not be
  // read again yet (that takes a tenth of the time at most), or not any more.
  bool refresh(std::uint32_t serial, Clock::time_point now = Clock::now());

 private:
  struct Image {
    explicit Image(ModuleMap begin) : map(std::move(begin)) {}

    ModuleMap map;
    pid_t pid = 0;     // 0: ended
    std::string text;  // read, and not yet in the map: most images are never asked for
    UnloadedCode unloaded;
    std::vector<Unloaded> gone;  // before the text was read, and not yet in the map
    Clock::time_point joined{};
    Clock::time_point last_read{};
    Clock::time_point not_before{};
  };
  static bool read(Image& image);
  static const ModuleMap& map_of(Image& image);

  Modules& modules_;
  std::unordered_map<std::uint32_t, Image> images_;
};

}  // namespace prof::unwind
