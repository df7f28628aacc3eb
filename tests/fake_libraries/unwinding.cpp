// Leaves library calls in all ways that unwind the stack: an exception in a callback, the end of
// the thread in a callback, and a cancellation there. All of them must work.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>

#include "fakes.h"

namespace {

struct Destructor {
  int& count;
  ~Destructor() { ++count; }
};

void throw_it() { throw 7; }
void end_thread() { pthread_exit(nullptr); }
void wait_for_ever() {
  for (;;) pause();
}

void* leave(void* count, void (*callback)()) {
  const Destructor destructor{*static_cast<int*>(count)};
  cublasSetLoggerCallback(callback);
  return nullptr;
}
void* leave_by_end(void* count) { return leave(count, end_thread); }
void* leave_by_cancellation(void* count) { return leave(count, wait_for_ever); }

int catch_it() {
  int caught = 0;
  for (int i = 0; i < 3; ++i) {
    try {
      cublasSetLoggerCallback(throw_it);
    } catch (int number) {
      caught += number;
    }
  }
  return caught;
}

}  // namespace

int main() {
  int destroyed = 0;
  pthread_t thread;
  pthread_create(&thread, nullptr, leave_by_end, &destroyed);
  pthread_join(thread, nullptr);
  pthread_create(&thread, nullptr, leave_by_cancellation, &destroyed);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
  void* handle = nullptr;
  std::printf("%d %d %d\n", catch_it(), destroyed, cublasCreate_v2(&handle));
}
