#include "collector/session/event_loop.hpp"

#include <sys/epoll.h>

namespace prof::session {

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

void EventLoop::watch(int fd) const { watch(fd, EPOLLIN); }

void EventLoop::watch_edges(int fd) const { watch(fd, EPOLLIN | EPOLLET); }

void EventLoop::watch(int fd, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

void EventLoop::wait(std::chrono::milliseconds timeout,
                     const std::function<void(int)>& handle) const {
  epoll_event events[64];
  const int count = epoll_wait(epoll_.get(), events, 64, static_cast<int>(timeout.count()));
  for (int i = 0; i < count; ++i) handle(events[i].data.fd);
}

}  // namespace prof::session
