// Does about 50, 30 and 20 % of its work in three functions, each at depth 30, in ways that are
// difficult for a profiler. Usage: cpu_shares WAY. WAY is deep, inlined, dlopen, signal, exception
// or threads. Prints each function's share of the CPU time.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#define NOT_INLINED __attribute__((noinline, noclone))

namespace {

constexpr int kDepth = 30;
constexpr int kRounds = 2;
constexpr long kUnit = 120'000'000;  // 10 % of a round

volatile unsigned long g_sink;

}  // namespace

// The same work in every function, so that its time is proportional to its amount.
#define WORK(units) \
  for (long i = 0; i < (units)*kUnit; ++i) g_sink = g_sink + 1

extern "C" {
NOT_INLINED void work_half() { WORK(5); }
NOT_INLINED void work_third() { WORK(3); }
NOT_INLINED void work_fifth() { WORK(2); }

__attribute__((always_inline)) inline void inlined_work(long units) { WORK(units); }
NOT_INLINED void inlines_half() { inlined_work(5); }
NOT_INLINED void inlines_third() { inlined_work(3); }
NOT_INLINED void inlines_fifth() { inlined_work(2); }
}

namespace {

using Work = void (*)();

double g_spent[3];

double cpu_time() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

NOT_INLINED void deeper(int depth, int part, Work work) {
  if (depth == 0) {
    const double begin = cpu_time();
    work();
    g_spent[part] += cpu_time() - begin;
  } else {
    deeper(depth - 1, part, work);
  }
  g_sink = g_sink + 1;  // no tail call
}

void all_parts(const Work (&works)[3]) {
  for (int part = 0; part < 3; ++part) deeper(kDepth, part, works[part]);
}

// The library is loaded only while it works. The next one may be mapped at the same address.
void in_library(const char* name) {
  const std::string folder = "/proc/self/exe";
  char own[4096] = {};
  if (realpath(folder.c_str(), own) == nullptr) abort();
  *(strrchr(own, '/') + 1) = 0;
  void* library = dlopen((std::string(own) + "opened/" + name + ".so").c_str(), RTLD_NOW);
  if (library == nullptr) {
    fprintf(stderr, "%s\n", dlerror());
    abort();
  }
  auto work = reinterpret_cast<void (*)(long)>(dlsym(library, name));
  work(kUnit);
  dlclose(library);
}

Work g_in_handler;
void handler(int) { g_in_handler(); }
void in_signal(Work work) {
  g_in_handler = work;
  raise(SIGUSR1);
}

struct WorksWhenDestroyed {
  Work work;
  ~WorksWhenDestroyed() { work(); }
};
NOT_INLINED void throws(Work work) {
  const WorksWhenDestroyed object{work};
  throw work;
}
void in_flight(Work work) {
  try {
    throws(work);
  } catch (Work) {
    g_sink = g_sink + 1;
  }
}

constexpr Work kWorks[] = {work_half, work_third, work_fifth};

void* thread(void* part) {
  const auto index = reinterpret_cast<long>(part);
  for (int round = 0; round < kRounds; ++round)
    deeper(kDepth, static_cast<int>(index), kWorks[index]);
  return nullptr;
}

void in_threads() {
  pthread_t threads[3];
  for (long i = 0; i < 3; ++i)
    pthread_create(&threads[i], nullptr, thread, reinterpret_cast<void*>(i));
  for (const pthread_t each : threads) pthread_join(each, nullptr);
}

void round(const std::string& way) {
  if (way == "deep") all_parts(kWorks);
  if (way == "inlined") all_parts({inlines_half, inlines_third, inlines_fifth});
  if (way == "dlopen")
    all_parts({[] { in_library("library_half"); }, [] { in_library("library_third"); },
               [] { in_library("library_fifth"); }});
  if (way == "signal")
    all_parts({[] { in_signal(work_half); }, [] { in_signal(work_third); },
               [] { in_signal(work_fifth); }});
  if (way == "exception")
    all_parts({[] { in_flight(work_half); }, [] { in_flight(work_third); },
               [] { in_flight(work_fifth); }});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string way = argc > 1 ? argv[1] : "deep";
  signal(SIGUSR1, handler);
  if (way == "threads") {
    in_threads();
  } else {
    for (int i = 0; i < kRounds; ++i) round(way);
  }
  const char* prefix = way == "inlined" ? "inlines" : way == "dlopen" ? "library" : "work";
  const double whole = (g_spent[0] + g_spent[1] + g_spent[2]) / 100;
  printf("{\"%s_half\": %.2f, \"%s_third\": %.2f, \"%s_fifth\": %.2f}\n", prefix,
         g_spent[0] / whole, prefix, g_spent[1] / whole, prefix, g_spent[2] / whole);
  return 0;
}
