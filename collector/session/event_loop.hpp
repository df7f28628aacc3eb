// epoll over descriptors that their owners keep.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "collector/base/unique_fd.hpp"

namespace prof::session {

class EventLoop {
 public:
  EventLoop();

  // Watches a descriptor for input until it is closed.
  void watch(int fd) const;
  // The same, but told once for each change: for a descriptor that stays readable at its end.
  void watch_edges(int fd) const;

  // Not until resume(): for input that cannot be taken now.
  void pause(int fd) const;
  void resume(int fd) const;

  // Watches for one event; rearm() asks for the next. For descriptors that anybody may keep busy.
  void watch_once(int fd) const;
  void rearm(int fd) const;

  // Waits at most `timeout` and calls `handle` with each readable descriptor, kMostAtOnce at most.
  // Returns how many there were.
  static constexpr int kMostAtOnce = 64;
  int wait(std::chrono::milliseconds timeout, const std::function<void(int)>& handle) const;

  // Readable when one of the descriptors is: for another loop to watch.
  int fd() const { return epoll_.get(); }

 private:
  base::UniqueFd epoll_;
};

}  // namespace prof::session
