#include "collector/session/event_loop.hpp"

#include <sys/epoll.h>

#include <cstdint>

namespace prof::session {

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

namespace {
void control(int epoll, int operation, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll, operation, fd, &event);
}
}  // namespace

void EventLoop::watch(int fd) const { control(epoll_.get(), EPOLL_CTL_ADD, fd, EPOLLIN); }

void EventLoop::watch_edges(int fd) const {
  control(epoll_.get(), EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET);
}

void EventLoop::forget(int fd) const { control(epoll_.get(), EPOLL_CTL_DEL, fd, 0); }

void EventLoop::pause(int fd) const { control(epoll_.get(), EPOLL_CTL_MOD, fd, 0); }

void EventLoop::resume(int fd) const { control(epoll_.get(), EPOLL_CTL_MOD, fd, EPOLLIN); }

void EventLoop::watch_once(int fd) const {
  control(epoll_.get(), EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLONESHOT);
}

void EventLoop::rearm(int fd) const {
  control(epoll_.get(), EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLONESHOT);
}

int EventLoop::wait(std::chrono::milliseconds timeout,
                    const std::function<void(int)>& handle) const {
  epoll_event events[kMostAtOnce];
  const int count =
      epoll_wait(epoll_.get(), events, kMostAtOnce, static_cast<int>(timeout.count()));
  for (int i = 0; i < count; ++i) handle(events[i].data.fd);
  return count;
}

}  // namespace prof::session
