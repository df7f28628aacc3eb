// Two threads that each hold a mutex and wait for the other's. Prints the ids of the threads and
// the addresses of the mutexes as JSON, and then hangs.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <mutex>
#include <thread>

namespace {

std::mutex g_first, g_second;
pthread_barrier_t g_both;
pid_t g_ids[2];

__attribute__((noinline)) void take_second() {
  const std::lock_guard<std::mutex> guard(g_second);
  std::puts("never");
}

__attribute__((noinline)) void take_first() {
  const std::lock_guard<std::mutex> guard(g_first);
  std::puts("never");
}

void forwards() {
  pthread_setname_np(pthread_self(), "forwards");
  g_ids[0] = gettid();
  const std::lock_guard<std::mutex> guard(g_first);
  pthread_barrier_wait(&g_both);
  take_second();
}

void backwards() {
  pthread_setname_np(pthread_self(), "backwards");
  g_ids[1] = gettid();
  const std::lock_guard<std::mutex> guard(g_second);
  pthread_barrier_wait(&g_both);
  take_first();
}

}  // namespace

int main() {
  pthread_barrier_init(&g_both, nullptr, 3);
  std::thread one(forwards), two(backwards);
  pthread_barrier_wait(&g_both);
  std::printf("{\"forwards\": %d, \"backwards\": %d, \"first\": %lu, \"second\": %lu}\n", g_ids[0],
              g_ids[1], reinterpret_cast<unsigned long>(&g_first),
              reinterpret_cast<unsigned long>(&g_second));
  std::fflush(stdout);
  one.join();
  two.join();
}
