// The terminal while prof redraws a screen on it. The terminal gets its old state back when the
// object ends, when a signal ends prof, and when prof crashes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/unique_fd.hpp"

namespace prof::cli {

class LiveTerminal {
 public:
  LiveTerminal();
  ~LiveTerminal();
  LiveTerminal(const LiveTerminal&) = delete;
  LiveTerminal& operator=(const LiveTerminal&) = delete;

  void show(const std::vector<std::string>& lines);
  std::size_t width() const;
  std::size_t height() const;

  enum class Event : std::uint8_t { kNothing, kKey, kResized, kEnd };
  // Waits for a key, a change of the terminal's size, or a signal that ends prof. Sets `key` if a
  // key was pressed. If the user stops prof (^Z), the terminal is restored until prof continues.
  Event wait(std::chrono::steady_clock::time_point until, char& key);
  // The signal after the event kEnd. 0: the terminal was closed.
  int signal() const { return signal_; }

 private:
  void stop();

  base::UniqueFd signals_;
  int signal_ = 0;
};

}  // namespace prof::cli
