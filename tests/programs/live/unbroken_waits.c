// Threads that each wait in another system call, without a limit of time or with a long one. Prints
// "ready", then the results of calls that end before a byte comes to its standard input. Nothing
// may end them: not even being stopped by ptrace. Exits with their number.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int g_pipe[2], g_sockets[2], g_epoll, g_messages, g_semaphores;
static sem_t g_never;
static int g_ended;

static long wait_epoll(void) {
  struct epoll_event event;
  return epoll_wait(g_epoll, &event, 1, -1);
}
static long wait_epoll_limited(void) {
  struct epoll_event event;
  return epoll_pwait(g_epoll, &event, 1, 1000000, NULL);
}
static long wait_poll(void) {
  struct pollfd polled = {g_pipe[0], POLLIN, 0};
  return poll(&polled, 1, 1000000);
}
static long wait_select(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(g_pipe[0], &set);
  return select(g_pipe[0] + 1, &set, NULL, NULL, NULL);
}
static long wait_read(void) {
  char byte;
  return read(g_pipe[0], &byte, 1);
}
static long wait_receive(void) {
  char byte;
  return recv(g_sockets[0], &byte, 1, 0);  // SO_RCVTIMEO is set
}
static long wait_sleep(void) {
  struct timespec time = {1000, 0};
  return nanosleep(&time, NULL);
}
static long wait_semaphore(void) { return sem_wait(&g_never); }
static long wait_signal(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  return sigwaitinfo(&set, NULL);
}
static long wait_message(void) {
  struct {
    long type;
    char text[8];
  } message;
  return msgrcv(g_messages, &message, sizeof message.text, 0, 0);
}
static long wait_ipc_semaphore(void) {
  struct sembuf take = {0, -1, 0};
  struct timespec limit = {1000, 0};
  return semtimedop(g_semaphores, &take, 1, &limit);
}

static const struct {
  const char* name;
  long (*wait)(void);
} kWaits[] = {{"epoll", wait_epoll},      {"limits", wait_epoll_limited},
              {"poll", wait_poll},        {"select", wait_select},
              {"read", wait_read},        {"receive", wait_receive},
              {"sleep", wait_sleep},      {"semaphore", wait_semaphore},
              {"signal", wait_signal},    {"message", wait_message},
              {"ipc", wait_ipc_semaphore}};

static void* run(void* number) {
  const size_t at = (size_t)number;
  pthread_setname_np(pthread_self(), kWaits[at].name);
  const long result = kWaits[at].wait();
  printf("%s: %ld (%s)\n", kWaits[at].name, result, strerror(errno));
  fflush(stdout);
  __atomic_add_fetch(&g_ended, 1, __ATOMIC_RELAXED);
  return NULL;
}

int main(void) {
  enum { kCount = sizeof kWaits / sizeof *kWaits };
  const struct timeval limit = {1000, 0};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  sem_init(&g_never, 0, 0);
  if (pipe(g_pipe) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, g_sockets) != 0) return 100;
  setsockopt(g_sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  g_epoll = epoll_create1(0);
  struct epoll_event event = {EPOLLIN, {.fd = g_pipe[0]}};
  epoll_ctl(g_epoll, EPOLL_CTL_ADD, g_pipe[0], &event);
  g_messages = msgget(IPC_PRIVATE, 0600);
  g_semaphores = semget(IPC_PRIVATE, 1, 0600);
  pthread_t threads[kCount];
  for (size_t i = 0; i < kCount; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  puts("ready");
  fflush(stdout);
  char byte;
  const long asked = read(STDIN_FILENO, &byte, 1);
  const int ended = __atomic_load_n(&g_ended, __ATOMIC_RELAXED);
  msgctl(g_messages, IPC_RMID, NULL);
  semctl(g_semaphores, 0, IPC_RMID);
  return asked < 0 ? 101 : ended;
}
