/* Enters sandboxes of many kinds: some kill, some refuse, and in some of them other programs are
 * started. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int g_null;

static void write_many(int count) {
  for (int i = 0; i < count; ++i)
    if (write(g_null, "x", 1) != 1) _exit(3);
}

static void* in_thread(void* unused) {
  (void)unused;
  write_many(1000);
  return NULL;
}

/* Applies `action` to the system calls of the list, which ends with -1. All others are allowed. */
static int forbid(const int* calls, unsigned action, int by_prctl) {
  struct sock_filter filter[64];
  unsigned short n = 0;
  filter[n++] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (; *calls >= 0; ++calls) {
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)*calls, 0, 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
  }
  filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {n, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
                  : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* A sandbox like that of Chromium's renderer: no connections, and none of the queries of a
 * profiler. */
static const int kReaching[] = {SYS_socket,  SYS_connect, SYS_openat,      SYS_sendto,
                                SYS_recvmsg, SYS_gettid,  SYS_getpriority, SYS_memfd_create,
#ifdef SYS_open
                                SYS_open,
#endif
                                -1};
static const int kOurs[] = {SYS_socket, SYS_connect,     SYS_recvmsg,    SYS_madvise,   SYS_prctl,
                            SYS_gettid, SYS_getpriority, SYS_setsockopt, SYS_prlimit64, -1};

static int spread_out(void) { /* threads and a child, inside */
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, in_thread, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  const pid_t child = fork();
  if (child == 0) {
    write_many(10);
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

static volatile int g_trapped;
static void on_trap(int signal) {
  (void)signal;
  ++g_trapped;
}

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  g_null = open("/dev/null", O_WRONLY);
  int status = 0;
  if (strcmp(way, "strict") == 0) {
    puts("{\"write\": 5000}");
    fflush(stdout);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) != 0) return 2;
    write_many(5000);
    syscall(SYS_exit, 5);
  } else if (strcmp(way, "strict_raw") == 0) {
    puts("{\"write\": 5000}");
    fflush(stdout);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL) != 0) return 2;
    write_many(5000);
    syscall(SYS_exit, 5);
  } else if (strcmp(way, "no_clock") == 0) {
    puts("{\"write\": 5000}");
    fflush(stdout);
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0) return 2;
    write_many(5000);
    const pid_t child = fork();
    if (child == 0) {
      write_many(10);
      _exit(7);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  } else if (strcmp(way, "kill") == 0 || strcmp(way, "kill_prctl") == 0) {
    if (forbid(kReaching, SECCOMP_RET_KILL_PROCESS, way[4] != '\0') != 0) return 2;
    write_many(5000);
    status = spread_out();
  } else if (strcmp(way, "trap") == 0) {
    signal(SIGSYS, on_trap);
    if (forbid(kReaching, SECCOMP_RET_TRAP, 0) != 0) return 2;
    write_many(5000);
    status = spread_out();
  } else if (strcmp(way, "refuse") == 0) {
    if (forbid(kOurs, SECCOMP_RET_ERRNO | ENOSYS, 0) != 0) return 2;
    write_many(5000);
    status = spread_out();
  } else if (strcmp(way, "start") == 0 && count > 3) {
    /* start HOW PROGRAM...: the program is in the sandbox from its first instruction */
    const unsigned action = strcmp(arguments[2], "kill") == 0   ? SECCOMP_RET_KILL_PROCESS
                            : strcmp(arguments[2], "trap") == 0 ? SECCOMP_RET_TRAP
                                                                : SECCOMP_RET_ERRNO | EPERM;
    static const int kSockets[] = {SYS_socket, SYS_connect, -1};
    if (forbid(kSockets, action, 0) != 0) return 2;
    execv(arguments[3], arguments + 3);
    return 6;
  } else {
    return 2;
  }
  if (way[0] != 's') printf("trapped %d child %d\n", g_trapped, WEXITSTATUS(status));
  puts("{\"write\": 8000}");
  return 0;
}
