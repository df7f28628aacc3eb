// The priority of a thread.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

namespace prof::base {

// Lowers the priority of this thread and of the threads that it starts from now on: what somebody
// waits for comes first.
inline void lower_thread_priority() {
  constexpr int kNice = 10;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

}  // namespace prof::base
