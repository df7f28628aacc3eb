/* Calls functions of which glibc has several versions, in every way to ask for a version, and
   prints whether each did what only its old or only its newest version does. A profiler must not
   change that. Then each way uses its own condition variable, all at the same time. The last
   line is the number of calls of each function; of a broadcast only those that wake somebody. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "versioned_functions.h"

extern char** environ;
extern int __cxa_thread_atexit_impl(void (*)(void*), void*, void*);
extern void* __dso_handle;

static char folder[] = "/tmp/prof-versions-XXXXXX";
static char script[sizeof folder + 8];

/* --- what only one version does */

static int allocates_a_path(const struct functions* of) {
  char* path = of->realpath("/", NULL);
  free(path);
  return path != NULL;
}

static int visit(const char* path, const struct stat* status, int kind, struct FTW* where) {
  (void)path, (void)status, (void)kind, (void)where;
  return 0;
}
#define REFUSES_UNKNOWN_FLAGS(walk) ((walk)(folder, visit, 4, 1 << 20) != 0)

static int uses_of_lstat;
static int count_lstat(const char* path, struct stat* status) {
  ++uses_of_lstat;
  return lstat(path, status);
}
static int uses_lstat(int (*find)(const char*, int, complaint, void*)) {
  glob_t found = {.gl_closedir = (void*)closedir, .gl_readdir = (void*)readdir};
  found.gl_opendir = (void*)opendir;
  found.gl_stat = (void*)stat;
  found.gl_lstat = (void*)count_lstat;
  uses_of_lstat = 0;
  if (find(script, GLOB_ALTDIRFUNC, NULL, &found) == 0) globfree(&found);
  return uses_of_lstat != 0;
}

static int refuses_a_script_without_interpreter(int (*spawn)(pid_t*, const char*, const void*,
                                                             const void*, char* const*,
                                                             char* const*)) {
  char* arguments[] = {script, NULL};
  pid_t child;
  const int error = spawn(&child, script, NULL, NULL, arguments, environ);
  if (error == 0) waitpid(child, NULL, 0);
  return error == ENOEXEC;
}

static void* tell_id(void* id) {
  *(int*)id = thread_id();
  return NULL;
}
static int accepts_an_ended_thread(const struct functions* of) {
  pthread_t thread;
  volatile int id = 0;
  pthread_create(&thread, NULL, tell_id, (void*)&id);
  while (id == 0 || syscall(SYS_tgkill, getpid(), id, 0) == 0) sched_yield();
  const int error = of->pthread_kill(thread, 0);
  pthread_join(thread, NULL);
  return error == 0;
}

static int take_signal(int signal) {
  sigset_t signals;
  sigpending(&signals); /* blocked in all threads */
  if (!sigismember(&signals, signal)) return 0;
  sigemptyset(&signals);
  sigaddset(&signals, signal);
  return sigwaitinfo(&signals, NULL) == signal;
}

/* The old version gave no signals of single requests. Since glibc 2.34 it does not wait, and gives
   the signal of the whole list. */
static int waits_and_sends_signals(int (*start)(int, void*, int, void*)) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  struct aiocb request = {.aio_buf = folder, .aio_nbytes = 1, .aio_lio_opcode = LIO_WRITE};
  request.aio_fildes = open("/dev/null", O_WRONLY);
  request.aio_sigevent = event;
  event.sigev_signo = SIGUSR2;
  struct aiocb* list[] = {&request};
  start(LIO_WAIT, list, 1, &event);
  do aio_suspend((const struct aiocb* const*)list, 1, NULL);
  while (aio_error(&request) == EINPROGRESS);
  /* Takes the lock of libc's thread, which has then sent the signals. */
  aio_suspend((const struct aiocb* const*)list, 1, NULL);
  close(request.aio_fildes);
  const int is_of_request = take_signal(SIGUSR1), is_of_list = take_signal(SIGUSR2);
  return is_of_request && !is_of_list;
}

static void leave(void* status) { _exit((int)(intptr_t)status); }
static int leaves_thread_data_alone(const struct functions* of) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    __cxa_thread_atexit_impl(leave, (void*)7, &__dso_handle);
    of->quick_exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 0;
}

/* The old version keeps a pointer in the condition variable. */
static int is_new(const struct functions* of, pthread_cond_t* condition) {
  const int keeps_a_pointer = *(uintptr_t*)condition > 4096;
  if (keeps_a_pointer) of->pthread_cond_destroy(condition);
  return !keeps_a_pointer;
}
static int signal_is_new(const struct functions* of, int (*wake)(pthread_cond_t*)) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  wake(&condition);
  return is_new(of, &condition);
}
static int timedwait_is_new(const struct functions* of) {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  const struct timespec past = {1, 0};
  pthread_mutex_lock(&mutex);
  const int is_late = of->pthread_cond_timedwait(&condition, &mutex, &past) == ETIMEDOUT;
  return is_late && is_new(of, &condition);
}

/* --- condition variables */

enum { kRounds = 50, kWays = 7 };

struct meeting {
  const struct functions* of;
  pthread_cond_t condition;
  pthread_mutex_t mutex;
  int round, answered, waits, is_new;
};

static void* answer(void* argument) {
  struct meeting* at = argument;
  pthread_mutex_lock(&at->mutex);
  for (int round = 1; round <= kRounds; ++round) {
    for (; at->round < round; ++at->waits) at->of->pthread_cond_wait(&at->condition, &at->mutex);
    at->answered = round;
    at->of->pthread_cond_broadcast(&at->condition);
  }
  pthread_mutex_unlock(&at->mutex);
  return NULL;
}

static void ask(struct meeting* at, int round) {
  pthread_mutex_lock(&at->mutex);
  at->round = round;
  at->of->pthread_cond_signal(&at->condition);
  for (; at->answered < round; ++at->waits) at->of->pthread_cond_wait(&at->condition, &at->mutex);
  at->is_new = *(uintptr_t*)&at->condition <= 4096;
  pthread_mutex_unlock(&at->mutex);
}

/* Returns the number of waits. */
static int meet(const struct functions* ways, const char* const* names) {
  static struct meeting meetings[kWays];
  pthread_t threads[kWays];
  for (int i = 0; i < kWays; ++i) {
    meetings[i].of = &ways[i];
    pthread_mutex_init(&meetings[i].mutex, NULL);
    ways[i].pthread_cond_init(&meetings[i].condition, NULL);
    pthread_create(&threads[i], NULL, answer, &meetings[i]);
  }
  for (int round = 1; round <= kRounds; ++round)
    for (int i = 0; i < kWays; ++i) ask(&meetings[i], round);
  int waits = 0;
  for (int i = 0; i < kWays; ++i) {
    pthread_join(threads[i], NULL);
    waits += meetings[i].waits;
    printf("%s pthread_cond_wait %s\n", names[i], meetings[i].is_new ? "new" : "old");
    printf("%s destroyed %d\n", names[i], ways[i].pthread_cond_destroy(&meetings[i].condition));
  }
  return waits;
}

/* --- ways to ask for a version */

#define VERSIONED(name, ret, params, args, old, newest) .name = (ret(*) params)(void*)name,
static const struct functions of_program = {
#include "versioned_functions.def"
};
#undef VERSIONED

enum request { kDefault, kNext, kOld, kNewest };

static void* look_up(const char* name, enum request request, const char* old, const char* newest) {
  if (request == kDefault) return dlsym(RTLD_DEFAULT, name);
  if (request == kNext) return dlsym(RTLD_NEXT, name);
  return dlvsym(RTLD_DEFAULT, name, request == kOld ? old : newest);
}

static struct functions looked_up(enum request request) {
  const struct functions found = {
#define VERSIONED(name, ret, params, args, old, newest) \
  .name = (ret(*) params)look_up(#name, request, old, newest),
#include "versioned_functions.def"
#undef VERSIONED
  };
  return found;
}

static void show(const char* way, const char* function, int is_new_version) {
  printf("%s %s %s\n", way, function, is_new_version ? "new" : "old");
}

static void try(const char* way, const struct functions* of) {
  show(way, "realpath", allocates_a_path(of));
  show(way, "nftw", REFUSES_UNKNOWN_FLAGS(of->nftw));
  show(way, "nftw64", REFUSES_UNKNOWN_FLAGS(of->nftw64));
  show(way, "glob", uses_lstat(of->glob));
  show(way, "glob64", uses_lstat(of->glob64));
  show(way, "posix_spawn", refuses_a_script_without_interpreter(of->posix_spawn));
  show(way, "posix_spawnp", refuses_a_script_without_interpreter(of->posix_spawnp));
  show(way, "pthread_kill", accepts_an_ended_thread(of));
  show(way, "lio_listio", waits_and_sends_signals(of->lio_listio));
  show(way, "lio_listio64", waits_and_sends_signals(of->lio_listio64));
  show(way, "quick_exit", leaves_thread_data_alone(of));
  show(way, "pthread_cond_signal", signal_is_new(of, of->pthread_cond_signal));
  show(way, "pthread_cond_broadcast", signal_is_new(of, of->pthread_cond_broadcast));
  show(way, "pthread_cond_timedwait", timedwait_is_new(of));
}

/* What try() calls and a profiler records. */
static const char* const tried[] = {"realpath",
                                    "nftw",
                                    "nftw64",
                                    "glob",
                                    "glob64",
                                    "posix_spawn",
                                    "posix_spawnp",
                                    "pthread_kill",
                                    "lio_listio",
                                    "lio_listio64",
                                    "pthread_cond_timedwait"};

static void make_files(void) {
  sprintf(script, "%s/script", mkdtemp(folder));
  const int file = open(script, O_CREAT | O_WRONLY, 0755);
  dprintf(file, "exit 5\n");
  close(file);
}

int main(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGUSR2);
  sigprocmask(SIG_BLOCK, &signals, NULL);
  make_files();
  const char* const names[kWays] = {"program", "unversioned", "old",   "dlsym",
                                    "next",    "dlvsym-old",  "dlvsym"};
  const struct functions ways[kWays] = {
      of_program,       of_unversioned_library, of_old_library,    looked_up(kDefault),
      looked_up(kNext), looked_up(kOld),        looked_up(kNewest)};
  for (int i = 0; i < kWays; ++i) try(names[i], &ways[i]);
  const int waits = meet(ways, names);
  printf("dlsym pthread_yield %s\n", dlsym(RTLD_DEFAULT, "pthread_yield") ? "found" : "none");
  unlink(script);
  rmdir(folder);
  printf("{\"pthread_cond_wait\": %d, \"pthread_cond_broadcast\": %d", waits, kWays * kRounds);
  for (size_t i = 0; i < sizeof tried / sizeof *tried; ++i) printf(", \"%s\": %d", tried[i], kWays);
  puts("}");
  return 0;
}
