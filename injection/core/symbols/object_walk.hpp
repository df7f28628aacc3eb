// dl_iterate_phdr for threads of prof.
//
// The call holds a lock of the loader. A fork child inherits the lock in its state: if it is held
// during the fork, the child hangs in its next dl_iterate_phdr, which C++ exceptions need. So in a
// program that prof attached to, fork and walk wait for each other, for at most 100 ms. The child
// of a clone() system call is not safe, as with any other call of libc.
//
// The same is true of libc's lock of setlocale, which dlerror() holds while it translates.
#pragma once

#include <link.h>

#include <cstddef>

namespace prof::core {

using ObjectVisitor = int (*)(dl_phdr_info*, std::size_t, void*);

// Makes fork() wait for walks from now on. Called by attach, on a thread of prof.
void make_forks_wait_for_walks();

// While this object exists, fork() waits, because the owner calls functions that hold locks of libc
// or of the loader. The constructor first waits for forks that have begun. Do not use it around
// walk_objects().
class ForksWait {
 public:
  ForksWait();
  ~ForksWait();
  ForksWait(const ForksWait&) = delete;
  ForksWait& operator=(const ForksWait&) = delete;
};

// Calls `visit` for each object, like dl_iterate_phdr. `visit` must not fork, and must not load
// anything.
int walk_objects(ObjectVisitor visit, void* data);

}  // namespace prof::core
