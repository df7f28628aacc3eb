// dl_iterate_phdr for threads of prof.
//
// The call holds a lock of the loader, which a fork child inherits as it is: if it is held at that
// moment, the child never comes back from its next dl_iterate_phdr, which C++ exceptions need. So
// in a program that prof attached to, fork and walk wait for each other, for 100 ms at most. The
// child of a clone() system call is not safe, as it is not with any other call of libc.
//
// The same is true of libc's lock of setlocale, which dlerror() holds while it translates.
#pragma once

#include <link.h>

#include <cstddef>

namespace prof::core {

using ObjectVisitor = int (*)(dl_phdr_info*, std::size_t, void*);

// From now on fork() waits for walks. Called by attach, on a thread of prof.
void make_forks_wait_for_walks();

// While it lives, fork() waits: for calls that hold locks of libc or of the loader. It first waits
// itself for forks that have begun. Not around walk_objects.
class ForksWait {
 public:
  ForksWait();
  ~ForksWait();
  ForksWait(const ForksWait&) = delete;
  ForksWait& operator=(const ForksWait&) = delete;
};

// Like dl_iterate_phdr. `visit` must not fork, and must not load anything.
int walk_objects(ObjectVisitor visit, void* data);

}  // namespace prof::core
