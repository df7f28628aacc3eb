// The terminal while a screen is redrawn on it. It gets back its old state when the object ends,
// when a signal ends prof, and when prof crashes.
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
  // Waits for a key, another size of the terminal, or a signal that ends prof. `key` becomes the
  // key. A stop (^Z) is done here, with the terminal restored meanwhile.
  Event wait(std::chrono::steady_clock::time_point until, char& key);
  // The signal after kEnd; 0: the terminal was closed.
  int signal() const { return signal_; }

 private:
  void stop();

  base::UniqueFd signals_;
  int signal_ = 0;
};

}  // namespace prof::cli
