// Waits without a limit. Each must end by what a child process does when the test ends.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach_kinds.h"

static int g_fd, g_pair[2];
static pid_t g_parent;

struct message {
  long type;
  char text[8];
};

static void once(const char* what, long (*wait)(void), void (*act)(void), long result, int error) {
  g_parent = getpid();
  at_the_end(act);
  say_ready();
  errno = 0;
  const long got = wait();
  if (got != result || (result < 0 && errno != error)) complain(what, got);
  if (!has_ended()) complain("ended early", got);
}

static void write_byte(void) {
  if (write(g_pair[1], "x", 1) != 1) complain("write", -1);
}
static void send_signal(void) { kill(g_parent, SIGUSR1); }
static void nothing(void) {}
static void on_signal(int number) { (void)number; }
static void handle_signal(void) {
  const struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
}
static void block_signal(sigset_t* set) {
  sigemptyset(set);
  sigaddset(set, SIGUSR1);
  sigprocmask(SIG_BLOCK, set, NULL);
}

static long wait_epoll(void) {
  struct epoll_event event;
  return epoll_wait(g_fd, &event, 1, -1);
}
static void run_epoll(void) {
  struct epoll_event event = {.events = EPOLLIN};
  if (pipe(g_pair) != 0) return;
  g_fd = epoll_create1(0);
  epoll_ctl(g_fd, EPOLL_CTL_ADD, g_pair[0], &event);
  once("epoll_wait", wait_epoll, write_byte, 1, 0);
}
static long wait_interrupted_epoll(void) {
  struct epoll_event event;
  return epoll_wait(g_fd, &event, 1, -1);
}
static void run_interrupted_epoll(void) {
  handle_signal();
  g_fd = epoll_create1(0);
  once("epoll_wait with a signal", wait_interrupted_epoll, send_signal, -1, EINTR);
}
static long wait_semaphore_set(void) {
  struct sembuf take = {0, -1, 0};
  return semop(g_fd, &take, 1);
}
static void put_semaphore_set(void) {
  struct sembuf put = {0, 1, 0};
  semop(g_fd, &put, 1);
}
static void run_semaphore_set(void) {
  g_fd = semget(IPC_PRIVATE, 1, 0600);
  once("semop", wait_semaphore_set, put_semaphore_set, 0, 0);
  semctl(g_fd, 0, IPC_RMID);
}
static long wait_signal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return sigwaitinfo(&set, NULL);
}
static void run_signal(void) {
  sigset_t set;
  block_signal(&set);
  once("sigwaitinfo", wait_signal, send_signal, SIGUSR1, 0);
}
static long wait_message(void) {
  struct message got;
  return msgrcv(g_fd, &got, sizeof got.text, 0, 0);
}
static void send_message(void) {
  const struct message sent = {1, "1234567"};
  msgsnd(g_fd, &sent, sizeof sent.text, 0);
}
static void run_message(void) {
  g_fd = msgget(IPC_PRIVATE, 0600);
  once("msgrcv", wait_message, send_message, 8, 0);
  msgctl(g_fd, IPC_RMID, NULL);
}
static long wait_to_send(void) {
  const struct message sent = {1, "1234567"};
  return msgsnd(g_fd, &sent, sizeof sent.text, 0);
}
static void take_message(void) {
  struct message got;
  msgrcv(g_fd, &got, sizeof got.text, 0, 0);
}
static void run_full_queue(void) {
  const struct message sent = {1, "1234567"};
  g_fd = msgget(IPC_PRIVATE, 0600);
  while (msgsnd(g_fd, &sent, sizeof sent.text, IPC_NOWAIT) == 0) {
  }
  once("msgsnd", wait_to_send, take_message, 0, 0);
  msgctl(g_fd, IPC_RMID, NULL);
}
static long wait_pause(void) { return pause(); }
static void run_pause(void) {
  handle_signal();
  once("pause", wait_pause, send_signal, -1, EINTR);
}
static long wait_suspended(void) {
  sigset_t none;
  sigemptyset(&none);
  return sigsuspend(&none);
}
static void run_suspended(void) {
  sigset_t set, now;
  handle_signal();
  block_signal(&set);
  once("sigsuspend", wait_suspended, send_signal, -1, EINTR);
  sigprocmask(SIG_BLOCK, NULL, &now);
  if (!sigismember(&now, SIGUSR1)) complain("the signal mask after sigsuspend", 0);
}
static long wait_child(void) { return wait4(-1, NULL, 0, NULL) > 0; }
static void run_child(void) { once("wait4", wait_child, nothing, 1, 0); }
static long wait_child_id(void) {
  siginfo_t info;
  return waitid(P_ALL, 0, &info, WEXITED);
}
static void run_child_id(void) { once("waitid", wait_child_id, nothing, 0, 0); }
static long wait_read(void) {
  char byte;
  return read(g_pair[0], &byte, 1);
}
static void run_pipe(void) {
  if (pipe(g_pair) == 0) once("read of a pipe", wait_read, write_byte, 1, 0);
}
static void run_socket(void) {
  socketpair(AF_UNIX, SOCK_STREAM, 0, g_pair);
  once("read of a socket", wait_read, write_byte, 1, 0);
}
static long wait_all(void) {
  char bytes[4];
  return recv(g_pair[0], bytes, sizeof bytes, MSG_WAITALL);
}
static void write_two_bytes(void) {
  write_byte();
  write_byte();
}
static void run_wait_for_all(void) {
  socketpair(AF_UNIX, SOCK_STREAM, 0, g_pair);
  write_two_bytes();
  once("recv of all", wait_all, write_two_bytes, 4, 0);
}
static char g_large[1 << 20];
static long wait_to_write(void) { return send(g_pair[1], g_large, sizeof g_large, 0); }
static void read_all(void) {
  close(g_pair[1]);
  while (read(g_pair[0], g_large, sizeof g_large) > 0) {
  }
}
static void run_full_socket(void) {
  socketpair(AF_UNIX, SOCK_STREAM, 0, g_pair);
  once("send", wait_to_write, read_all, sizeof g_large, 0);
}
static long wait_count(void) {
  uint64_t count = 0;
  return read(g_fd, &count, sizeof count);
}
static void count_up(void) { eventfd_write(g_fd, 1); }
static void run_count(void) {
  g_fd = eventfd(0, 0);
  once("read of a counter", wait_count, count_up, 8, 0);
}
static char g_folder[] = "/tmp/attach_kinds_XXXXXX", g_file[64];
static long wait_notice(void) {
  char notice[256];
  return read(g_fd, notice, sizeof notice) > 0;
}
static void make_file(void) { close(open(g_file, O_CREAT | O_WRONLY, 0600)); }
static void run_notice(void) {
  g_fd = inotify_init1(0);
  if (mkdtemp(g_folder) == NULL) return;
  strcpy(g_file, g_folder);
  strcat(g_file, "/file");
  inotify_add_watch(g_fd, g_folder, IN_CREATE);
  once("read of inotify", wait_notice, make_file, 1, 0);
  unlink(g_file);
  rmdir(g_folder);
}
static long wait_poll(void) {
  struct pollfd polled = {g_pair[0], POLLIN, 0};
  return poll(&polled, 1, -1);
}
static void run_poll(void) {
  if (pipe(g_pair) == 0) once("poll", wait_poll, write_byte, 1, 0);
}
static long wait_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(g_pair[0], &set);
  return select(g_pair[0] + 1, &set, NULL, NULL, NULL);
}
static void run_select(void) {
  if (pipe(g_pair) == 0) once("select", wait_select, write_byte, 1, 0);
}
static sem_t* g_semaphore;
static long wait_semaphore(void) { return sem_wait(g_semaphore); }
static void post_semaphore(void) { sem_post(g_semaphore); }
static void run_semaphore(void) {
  g_semaphore =
      mmap(NULL, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sem_init(g_semaphore, 1, 0);
  once("sem_wait", wait_semaphore, post_semaphore, 0, 0);
}
static long wait_lock(void) { return flock(g_fd, LOCK_EX); }
static void run_lock(void) {
  char name[] = "/tmp/attach_kinds_XXXXXX";
  g_pair[0] = mkstemp(name);
  g_fd = open(name, O_RDWR);
  unlink(name);
  flock(g_pair[0], LOCK_EX);
  const int child = fork();
  if (child == 0) {  // has the lock until the test ends
    close(g_fd);
    while (!has_ended()) usleep(10000);
    usleep(100000);
    _exit(0);
  }
  close(g_pair[0]);
  once("flock", wait_lock, nothing, 0, 0);
}
static long wait_queue(void) {
  char got[8];
  return mq_receive((mqd_t)g_fd, got, sizeof got, NULL);
}
static void send_to_queue(void) { mq_send((mqd_t)g_fd, "1234567", 8, 0); }
static void run_queue(void) {
  struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
  char name[] = "/attach_kinds_0000000";
  for (int i = 20, rest = getpid(); i > 13; --i, rest /= 10) name[i] = (char)('0' + rest % 10);
  g_fd = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  if (g_fd < 0) {  // there are none
    at_the_end(nothing);
    say_ready();
    wait_child();
    return;
  }
  mq_unlink(name);
  once("mq_receive", wait_queue, send_to_queue, 8, 0);
}

const struct kind kEndlessWaits[] = {
    {"epoll_endless", run_epoll},   {"epoll_with_signal", run_interrupted_epoll},
    {"semop", run_semaphore_set},   {"sigwaitinfo", run_signal},
    {"msgrcv", run_message},        {"msgsnd", run_full_queue},
    {"pause", run_pause},           {"sigsuspend", run_suspended},
    {"wait4", run_child},           {"waitid", run_child_id},
    {"read_pipe", run_pipe},        {"read_socket", run_socket},
    {"recv_all", run_wait_for_all}, {"send_full", run_full_socket},
    {"eventfd", run_count},         {"inotify", run_notice},
    {"poll_endless", run_poll},     {"select_endless", run_select},
    {"sem_wait", run_semaphore},    {"flock", run_lock},
    {"mq_receive", run_queue},      {NULL, NULL}};
