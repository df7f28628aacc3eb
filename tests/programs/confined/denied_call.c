/* Runs a program under a seccomp filter that lets one system call fail: denied_call NAME ERRNO
 * PROGRAM... */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
  const char* name;
  unsigned number;
} kCalls[] = {
    {"clone3", SYS_clone3},         {"epoll_create1", SYS_epoll_create1},
    {"epoll_ctl", SYS_epoll_ctl},   {"epoll_pwait", SYS_epoll_pwait},
#ifdef SYS_epoll_wait
    {"epoll_wait", SYS_epoll_wait},
#endif
    {"eventfd2", SYS_eventfd2},     {"fallocate", SYS_fallocate},
    {"flock", SYS_flock},           {"memfd_create", SYS_memfd_create},
    {"mkdirat", SYS_mkdirat},       {"mknodat", SYS_mknodat},
    {"pidfd_open", SYS_pidfd_open}, {"pipe2", SYS_pipe2},
    {"prlimit64", SYS_prlimit64},   {"signalfd4", SYS_signalfd4},
    {"socket", SYS_socket},         {"timerfd_create", SYS_timerfd_create},
};

int main(int count, char** arguments) {
  if (count < 4) return 99;
  for (size_t i = 0; i < sizeof kCalls / sizeof *kCalls; ++i) {
    if (strcmp(kCalls[i].name, arguments[1]) != 0) continue;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kCalls[i].number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)atoi(arguments[2])),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      return 98;
    execvp(arguments[3], arguments + 3);
  }
  return 99;
}
