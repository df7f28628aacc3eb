#include "collector/session/event_loop.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

namespace prof::session {

namespace {
constexpr useconds_t kPause = 10'000;
}  // namespace

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  epoll_event event{};
  if (!epoll_ || (epoll_wait(epoll_.get(), &event, 1, 0) < 0 && errno != EINTR)) error_ = errno;
}

base::Status EventLoop::status() const {
  if (error_ != 0) return base::fail_errno("cannot wait for programs (epoll)", error_);
  return {};
}

bool EventLoop::control(int operation, int fd, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (epoll_ctl(epoll_.get(), operation, fd, &event) == 0) return true;
  if (operation == EPOLL_CTL_ADD && error_ == 0) error_ = errno;
  return false;
}

bool EventLoop::watch(int fd) const { return control(EPOLL_CTL_ADD, fd, EPOLLIN); }

void EventLoop::watch_edges(int fd) const { control(EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET); }

void EventLoop::forget(int fd) const { control(EPOLL_CTL_DEL, fd, 0); }

void EventLoop::pause(int fd) const { control(EPOLL_CTL_MOD, fd, 0); }

void EventLoop::resume(int fd) const { control(EPOLL_CTL_MOD, fd, EPOLLIN); }

void EventLoop::watch_once(int fd) const { control(EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLONESHOT); }

void EventLoop::rearm(int fd) const { control(EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLONESHOT); }

int EventLoop::wait(std::chrono::milliseconds timeout,
                    const std::function<void(int)>& handle) const {
  epoll_event events[kMaxAtOnce];
  const int count = epoll_wait(epoll_.get(), events, kMaxAtOnce, static_cast<int>(timeout.count()));
  // Pauses after any error: without a pause the caller's loop would use a whole CPU.
  if (count < 0 && errno != EINTR) usleep(kPause);
  for (int i = 0; i < count; ++i) handle(events[i].data.fd);
  return count;
}

}  // namespace prof::session
