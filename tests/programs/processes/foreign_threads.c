/* Threads, children and coroutines whose thread pointer (%fs) does not point to a control block of
 * the C library. What they do here works without thread-local data. write() needs such data from
 * glibc 2.41 on, to see whether its thread was cancelled. Each way has its own process. Prints
 * how each ended, and in a second line who made how many calls in the C library's threads. */
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "expect.h"

int arch_prctl(int code, unsigned long address);

enum { kCalls = 5, kForeignCalls = 25, kPage = 4096, kFine = 42, kSeconds = 20 };
enum { kBelow = 1536, kAbove = 2560 }; /* bytes of thread-local data around the thread pointer */

static volatile int g_result; /* of a thread */
static char g_stack[256 * 1024] __attribute__((aligned(16)));
static char g_memory[4 * kPage] __attribute__((aligned(4096)));
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;

static void* stack_end(void) { return g_stack + sizeof g_stack; }

/* --- what both sides do */

static int work(int calls) {
  int failed = chdir("/") != 0;
  nvtxRangePushA("range");
  for (int i = 0; i < calls; ++i) failed |= access("/", F_OK) != 0;
  failed |= pthread_mutex_lock(&g_mutex) != 0 || pthread_mutex_unlock(&g_mutex) != 0;
  nvtxRangePop();
  return failed ? 1 : kFine;
}

static int foreign_child(void* unused) {
  (void)unused;
  return work(kForeignCalls);
}

static int child_without_locks(void* unused) {
  (void)unused;
  return chdir("/") == 0 && access("/", F_OK) == 0 ? kFine : 1;
}

static int exiting_child(void* unused) { _exit(foreign_child(unused)); }

static int executing_child(void* unused) {
  (void)unused;
  execl("/bin/sh", "sh", "-c", "exit 42", NULL);
  return 1;
}

static int foreign_thread(void* unused) {
  g_result = foreign_child(unused);
  return 0;
}

static void burn(int milliseconds) {
  struct timespec start, now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
  do {
    for (volatile int i = 0; i < 10000; ++i) continue;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 <
           milliseconds);
}

/* --- blocks for the thread pointer */

/* Empty, at the start of a page, with nothing mapped below. */
static void* lone_block(void) {
  char* pages = mmap(NULL, 3 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mprotect(pages + kPage, kPage, PROT_READ | PROT_WRITE) != 0) _exit(3);
  return pages + kPage;
}

/* Empty, with other data below it that nobody may change. */
static void* block_in_data(int filler) {
  memset(g_memory, filler, 2 * kPage);
  return g_memory + 2 * kPage;
}

static int is_untouched(int filler) {
  for (int i = 0; i < 2 * kPage; ++i)
    if (g_memory[i] != (char)filler) return 0;
  return 1;
}

static unsigned long thread_pointer(void) {
  unsigned long pointer;
  __asm__("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}

/* A copy of this thread's data, as the C library lays it out. */
static void* copied_block(void) {
  const unsigned long here = thread_pointer();
  char* block = g_memory + 2 * kPage;
  memcpy(block - kBelow, (char*)here - kBelow, kBelow + kAbove);
  ((void**)block)[0] = ((void**)block)[2] = block;
  return block;
}

/* --- ways to make children and threads */

static int status_of(pid_t child) {
  int status = -1;
  if (child < 0 || waitpid(child, &status, __WALL) != child) return 100;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int cloned(int (*child)(void*), int flags, void* block) {
  return status_of(clone(child, stack_end(), flags | SIGCHLD, NULL, NULL, block, NULL));
}

static int result_of_thread(long made) {
  for (int i = 0; made > 0 && g_result == 0 && i < kSeconds * 1000; ++i) {
    work(0);
    usleep(1000);
  }
  return g_result;
}

/* The system call, where no wrapper sees it. */
static long clone_unseen(unsigned long flags, int (*child)(void*), void* block) {
  void** stack = (void**)stack_end() - 3; /* aligned without this word */
  stack[0] = (void*)child;
  register long r10 __asm__("r10") = 0;
  register void* r8 __asm__("r8") = block;
  long made;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "xor %%ebp, %%ebp\n\t"
      "xor %%edi, %%edi\n\t"
      "pop %%rax\n\t"
      "call *%%rax\n\t"
      "mov %%eax, %%edi\n\t"
      "mov $60, %%eax\n\t" /* exit */
      "syscall\n\t"
      "1:"
      : "=a"(made)
      : "a"(SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(r10), "r"(r8)
      : "rcx", "r11", "memory");
  return made;
}

/* The same by syscall(): the child returns from it to this address on its stack. */
static void start_of_child(void) {
  __asm__ volatile("and $-16, %rsp");
  syscall(SYS_exit, foreign_thread(NULL));
}

static long clone_by_syscall(unsigned long flags, void* block) {
  void** stack = (void**)stack_end() - 4;
  stack[0] = (void*)start_of_child;
  return syscall(SYS_clone, flags, stack, 0, 0, block);
}

static long clone3_by_syscall(unsigned long flags, void* block) {
  void** end = (void**)stack_end() - 4;
  end[0] = (void*)start_of_child;
  struct clone_args arguments;
  memset(&arguments, 0, sizeof arguments);
  arguments.flags = flags;
  arguments.stack = (unsigned long)g_stack;
  arguments.stack_size = (unsigned long)((char*)end - g_stack);
  arguments.tls = (unsigned long)block;
  return syscall(SYS_clone3, &arguments, sizeof arguments);
}

enum { kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM };
enum { kOwn = CLONE_SETTLS };

/* --- coroutines */

static void switch_by_function(unsigned long to) { arch_prctl(ARCH_SET_FS, to); }
static void switch_by_syscall(unsigned long to) { syscall(SYS_arch_prctl, ARCH_SET_FS, to); }
static void switch_unseen(unsigned long to) {
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_arch_prctl), "D"(ARCH_SET_FS), "S"(to)
                   : "rcx", "r11", "memory");
}

static int switches(void (*to)(unsigned long), void* block, int milliseconds) {
  const unsigned long home = thread_pointer();
  int result = kFine;
  for (int i = 0; i < kForeignCalls && result == kFine; ++i) {
    to((unsigned long)block);
    result = work(1);
    burn(milliseconds);
    to(home);
    if (result == kFine) result = work(0);
  }
  return result;
}

static int checked(int result, int filler) { return is_untouched(filler) ? result : 101; }

/* --- */

static int run(const char* way) {
  const int waits = CLONE_VM | CLONE_VFORK;
#define WAY(name, result) \
  if (strcmp(way, name) == 0) return result
  WAY("sandbox", cloned(foreign_child, CLONE_FS | waits | kOwn, lone_block()));
  WAY("null", cloned(child_without_locks, waits | kOwn, NULL));
  WAY("exec", cloned(executing_child, waits | kOwn, lone_block()));
  WAY("in_data", checked(cloned(foreign_child, waits | kOwn, block_in_data(0)), 0));
  WAY("own_memory", cloned(foreign_child, kOwn, lone_block()));
  WAY("own_memory_exit", cloned(exiting_child, kOwn, lone_block()));
  WAY("own_memory_exec", cloned(executing_child, kOwn, lone_block()));
  WAY("beside", cloned(foreign_child, CLONE_VM | kOwn, lone_block()));
  WAY("shared_waits", cloned(foreign_child, waits, NULL));
  WAY("shared_beside", cloned(foreign_child, CLONE_VM, NULL));
  WAY("thread", result_of_thread(clone(foreign_thread, stack_end(), kThread | kOwn, NULL, NULL,
                                       lone_block(), NULL)));
  WAY("thread_shared", result_of_thread(clone(foreign_thread, stack_end(), kThread, NULL)));
  WAY("thread_syscall", result_of_thread(clone_by_syscall(kThread | kOwn, lone_block())));
  WAY("thread_syscall_shared", result_of_thread(clone_by_syscall(kThread, NULL)));
  WAY("thread_clone3", result_of_thread(clone3_by_syscall(kThread | kOwn, lone_block())));
  WAY("thread_clone3_shared", result_of_thread(clone3_by_syscall(kThread, NULL)));
  WAY("thread_unseen",
      checked(result_of_thread(clone_unseen(kThread | kOwn, foreign_thread, block_in_data(65))),
              65));
  WAY("thread_unseen_shared", result_of_thread(clone_unseen(kThread, foreign_thread, NULL)));
  WAY("child_unseen", checked(status_of((pid_t)clone_unseen(waits | kOwn | SIGCHLD, foreign_child,
                                                            block_in_data(0))),
                              0));
  WAY("switch", switches(switch_by_function, lone_block(), 4));
  WAY("switch_syscall", switches(switch_by_syscall, lone_block(), 0));
  WAY("switch_copy", switches(switch_by_function, copied_block(), 0));
  WAY("switch_unseen", checked(switches(switch_unseen, block_in_data(0), 4), 0));
  WAY("bad_pointers",
      syscall(SYS_clone3, NULL, 0) == -1 && syscall(SYS_clone3, 1L, 88L) == -1 ? kFine : 1);
#undef WAY
  return 102;
}

int main(int count, char** ways) {
  int status[64];
  pid_t pids[64];
  work(0); /* NVTX sets itself up */
  for (int i = 1; i < count && i < 64; ++i) {
    pids[i] = fork();
    if (pids[i] == 0) {
      alarm(kSeconds * 3);
      work(kCalls);
      const int result = run(ways[i]);
      work(kCalls);
      _exit(result);
    }
    status[i] = status_of(pids[i]);
  }
  for (int line = 0; line < 2; ++line) {
    for (int i = 1; i < count && i < 64; ++i)
      printf("%s\"%s\": %d", i == 1 ? "{" : ", ", ways[i], line == 0 ? status[i] : (int)pids[i]);
    printf("}\n");
  }
  return 0;
}
