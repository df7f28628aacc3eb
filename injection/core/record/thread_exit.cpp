#include "injection/core/record/thread_exit.hpp"

#include <limits.h>
#include <pthread.h>

#include "injection/core/child_memory.hpp"
#include "injection/core/record/record_writer.hpp"

// These are weak: before glibc 2.34 they are in libpthread, and a process without it has no
// threads.
#pragma weak pthread_key_create
#pragma weak pthread_setspecific

namespace prof::core {

namespace {
pthread_key_t g_key;
bool g_key_valid = false;

// Runs late, because destructors of other libraries still produce events. glibc runs up to
// PTHREAD_DESTRUCTOR_ITERATIONS rounds of destructors, so this one postpones its work to the last
// round.
void on_thread_exit(void* state) {
  auto& t = *static_cast<ThreadState*>(state);
  if (++t.key_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(g_key, state);
    return;
  }
  unmap_left_by_children();
  retire_thread();
}
}  // namespace

void create_thread_exit_key() {
  g_key_valid = &pthread_key_create != nullptr && pthread_key_create(&g_key, on_thread_exit) == 0;
}

void watch_thread_exit() {
  if (g_key_valid) pthread_setspecific(g_key, &t_state);
}

}  // namespace prof::core
