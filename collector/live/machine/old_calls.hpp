// System calls that only x86-64 has. Other processors get numbers that no call has.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

namespace prof::live {

#if defined(__x86_64__)
inline constexpr std::uint32_t kVfork = SYS_vfork, kPoll = SYS_poll, kSelect = SYS_select,
                               kEpollWait = SYS_epoll_wait, kPause = SYS_pause, kOpen = SYS_open,
                               kCreate = SYS_creat;
#else
inline constexpr std::uint32_t kVfork = 0xfffffff0, kPoll = 0xfffffff1, kSelect = 0xfffffff2,
                               kEpollWait = 0xfffffff3, kPause = 0xfffffff4, kOpen = 0xfffffff5,
                               kCreate = 0xfffffff6;
#endif

}  // namespace prof::live
