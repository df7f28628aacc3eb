// A loop over epoll. The loop does not own the descriptors.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

class EventLoop {
 public:
  EventLoop();

  // Returns an error if the loop cannot work, or if it could not watch one of the descriptors so
  // far.
  base::Status status() const;

  // Watches a descriptor for input until it is closed. Returns false if that fails.
  bool watch(int fd) const;
  // Watches a descriptor, but reports each change only once. For a descriptor that stays readable
  // after its end.
  void watch_edges(int fd) const;

  // Stops watching.
  void forget(int fd) const;

  // Stops watching until resume(). For input that cannot be read now.
  void pause(int fd) const;
  void resume(int fd) const;

  // Watches for one event; rearm() watches for the next one. For descriptors that any process can
  // keep readable.
  void watch_once(int fd) const;
  void rearm(int fd) const;

  // Waits at most `timeout` and calls `handle` with each readable descriptor, at most kMaxAtOnce.
  // Returns their number.
  static constexpr int kMaxAtOnce = 64;
  int wait(std::chrono::milliseconds timeout, const std::function<void(int)>& handle) const;

  // A descriptor that is readable when one of the watched descriptors is. Another loop can watch
  // it.
  int fd() const { return epoll_.get(); }

 private:
  bool control(int operation, int fd, std::uint32_t events) const;

  base::UniqueFd epoll_;
  mutable int error_ = 0;  // errno of the first failure
};

}  // namespace prof::session
