// What programs that were compiled with a newer glibc need from an old one. Linked into prof and
// libprof_report.so if PROF_GLIBC_FLOOR is set, as hidden symbols. The injection library does not
// need them (injection/core/symbols/loader.hpp).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// Of the old glibc.
typedef int Main(int, char**, char**);
int __real___libc_start_main(Main*, int, char**, Main*, void (*)(void), void (*)(void), void*);
int __xstat(int, const char*, struct stat*);
int __lxstat(int, const char*, struct stat*);
int __fxstat(int, int, struct stat*);
int __fxstatat(int, int, const char*, struct stat*, int);

#pragma GCC visibility push(hidden)

// glibc 2.34. Before it, the program brought the function that runs its constructors.
extern void (*__init_array_start[])(int, char**, char**);
extern void (*__init_array_end[])(int, char**, char**);
void _init(void);

static int run_constructors(int count, char** arguments, char** environment) {
  _init();
  const size_t constructors = (size_t)(__init_array_end - __init_array_start);
  for (size_t i = 0; i < constructors; ++i) __init_array_start[i](count, arguments, environment);
  return 0;
}

int __wrap___libc_start_main(Main* main, int count, char** arguments, Main* constructors,
                             void (*destructors)(void), void (*loader_end)(void), void* stack) {
  (void)constructors;
  return __real___libc_start_main(main, count, arguments, run_constructors, destructors, loader_end,
                                  stack);
}

// glibc 2.33. They were macros of these functions, whose first argument is the layout of the
// result.
#if defined(__x86_64__)
enum { kLayout = 1 };
#else
enum { kLayout = 0 };
#endif
int stat(const char* path, struct stat* result) { return __xstat(kLayout, path, result); }
int lstat(const char* path, struct stat* result) { return __lxstat(kLayout, path, result); }
int fstat(int fd, struct stat* result) { return __fxstat(kLayout, fd, result); }
int fstatat(int fd, const char* path, struct stat* result, int flags) {
  return __fxstatat(kLayout, fd, path, result, flags);
}
_Static_assert(sizeof(struct stat) == sizeof(struct stat64), "stat and stat64 are the same");
int stat64(const char*, struct stat64*) __attribute__((alias("stat")));
int lstat64(const char*, struct stat64*) __attribute__((alias("lstat")));
int fstat64(int, struct stat64*) __attribute__((alias("fstat")));
int fstatat64(int, const char*, struct stat64*, int) __attribute__((alias("fstatat")));

// glibc 2.32. 0 is always right: libstdc++ then uses atomic operations.
char __libc_single_threaded = 0;

static const char* const kSignals[] = {
    NULL,   "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1",
    "SEGV", "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN",
    "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "POLL", "PWR",  "SYS"};
const char* sigabbrev_np(int signal) {
  return signal > 0 && (size_t)signal < sizeof kSignals / sizeof *kSignals ? kSignals[signal]
                                                                           : NULL;
}

// glibc 2.30.
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// glibc 2.30. C++ waits for a time of the steady clock with it. Before, the wait was until the same
// distance in time of the clock that the condition variable has, the real-time clock.
static struct timespec plus(struct timespec a, struct timespec b) {
  struct timespec sum = {a.tv_sec + b.tv_sec, a.tv_nsec + b.tv_nsec};
  if (sum.tv_nsec >= 1000000000) sum = (struct timespec){sum.tv_sec + 1, sum.tv_nsec - 1000000000};
  return sum;
}
static struct timespec minus(struct timespec a, struct timespec b) {
  struct timespec rest = {a.tv_sec - b.tv_sec, a.tv_nsec - b.tv_nsec};
  if (rest.tv_nsec < 0) rest = (struct timespec){rest.tv_sec - 1, rest.tv_nsec + 1000000000};
  return rest;
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  typedef int Wait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  static Wait* known;
  Wait* real = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (real == NULL) {
    real = (Wait*)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
    __atomic_store_n(&known, real, __ATOMIC_RELAXED);
  }
  if (real != NULL) return real(condition, mutex, clock, until);
  struct timespec now;
  struct timespec real_time;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real_time);
  const struct timespec end = plus(real_time, minus(*until, now));
  return pthread_cond_timedwait(condition, mutex, &end);
}

// glibc 2.28. Files have 64-bit sizes on x86-64 anyway.
int fcntl64(int fd, int command, ...) {
  va_list words;
  va_start(words, command);
  void* word = va_arg(words, void*);
  va_end(words);
  return fcntl(fd, command, word);
}

int renameat2(int from, const char* old_name, int to, const char* name, unsigned flags) {
  return (int)syscall(SYS_renameat2, from, old_name, to, name, flags);
}

// glibc 2.35. Finds the table by which exceptions are unwound.
struct Search {
  uintptr_t address;
  struct dl_find_object* found;
};
static int visit(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct Search* search = data;
  uintptr_t begin = UINTPTR_MAX;
  uintptr_t end = 0;
  void* table = NULL;
  for (size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* header = &object->dlpi_phdr[i];
    const uintptr_t start = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME) table = (void*)start;
    if (header->p_type != PT_LOAD) continue;
    if (start < begin) begin = start;
    if (start + header->p_memsz > end) end = start + header->p_memsz;
  }
  if (search->address < begin || search->address >= end) return 0;
  memset(search->found, 0, sizeof *search->found);
  search->found->dlfo_map_start = (void*)begin;
  search->found->dlfo_map_end = (void*)end;
  search->found->dlfo_eh_frame = table;
  return 1;
}
int _dl_find_object(void* address, struct dl_find_object* found) {
  struct Search search = {(uintptr_t)address, found};
  return dl_iterate_phdr(visit, &search) == 1 ? 0 : -1;
}
