/* Makes a known number of calls of every category and prints the counts. Run with --osrt-threshold
 * 0, so that every call through a wrapper counts, except locks and semaphores that were free. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include "expect.h"

static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t g_semaphore;
static sem_t g_ready;

static void require(int ok) {
  if (!ok) _exit(99);
}

static void files(const char* path) {
  char byte = 'a';
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  require(fd >= 0);
  for (int i = 0; i < 20; ++i) require(write(fd, &byte, 1) == 1);
  require(pwrite(fd, &byte, 1, 3) == 1);
  struct iovec part = {&byte, 1};
  require(writev(fd, &part, 1) == 1);
  require(fsync(fd) == 0);
  require(ftruncate(fd, 10) == 0);
  for (int i = 0; i < 12; ++i) require(pread(fd, &byte, 1, 0) == 1);
  require(close(fd) == 0);
  require(read(-1, &byte, 1) == -1 && errno == EBADF);
}

static void waits(void) {
  struct pollfd none = {-1, 0, 0};
  for (int i = 0; i < 3; ++i) require(poll(&none, 1, 1) == 0);
  struct timeval short_time = {0, 1000};
  require(select(0, NULL, NULL, NULL, &short_time) == 0);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event;
  require(epoll_wait(epoll, &event, 1, 1) == 0);
  require(close(epoll) == 0);
  for (int i = 0; i < 5; ++i) usleep(100);
  const struct timespec pause_time = {0, 100000};
  nanosleep(&pause_time, NULL);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause_time, NULL);
}

/* Waits until the main thread has slept in the kernel for some ms. On a busy machine this may take
 * long. */
static void until_main_waits(void) {
  char path[64], text[256], state = 'R';
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)getpid());
  while (state != 'S') {
    usleep(1000);
    FILE* file = fopen(path, "r");
    require(file != NULL && fgets(text, sizeof text, file) != NULL);
    fclose(file);
    require(strrchr(text, ')') != NULL);
    state = strrchr(text, ')')[2];
  }
  usleep(5000);
}

/* Holds the locks until the other thread certainly waits for them. */
static void* holder(void* unused) {
  (void)unused;
  pthread_mutex_lock(&g_mutex);
  pthread_rwlock_wrlock(&g_rwlock);
  sem_post(&g_ready);
  until_main_waits();
  pthread_mutex_unlock(&g_mutex);
  until_main_waits();
  pthread_rwlock_unlock(&g_rwlock);
  until_main_waits();
  sem_post(&g_semaphore);
  return NULL;
}

static void locks(void) {
  for (int i = 0; i < 1000; ++i) { /* free: not recorded */
    pthread_mutex_lock(&g_mutex);
    pthread_mutex_unlock(&g_mutex);
  }
  sem_init(&g_semaphore, 0, 0);
  sem_init(&g_ready, 0, 0);
  pthread_t thread;
  require(pthread_create(&thread, NULL, holder, NULL) == 0);
  while (sem_trywait(&g_ready) != 0) {
  }
  pthread_mutex_lock(&g_mutex); /* contended: recorded */
  pthread_mutex_unlock(&g_mutex);
  pthread_rwlock_rdlock(&g_rwlock);
  pthread_rwlock_unlock(&g_rwlock);
  require(sem_wait(&g_semaphore) == 0);
  require(pthread_join(thread, NULL) == 0);
}

static void sockets(void) {
  const int server = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  require(bind(server, (struct sockaddr*)&address, length) == 0);
  require(getsockname(server, (struct sockaddr*)&address, &length) == 0);
  require(listen(server, 1) == 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  require(connect(client, (struct sockaddr*)&address, length) == 0);
  const int peer = accept(server, NULL, NULL);
  char byte = 'b';
  for (int i = 0; i < 4; ++i) {
    require(send(client, &byte, 1, 0) == 1);
    require(recv(peer, &byte, 1, 0) == 1);
  }
  require(shutdown(client, SHUT_WR) == 0);
  close(peer);
  close(client);
  close(server);
}

static void processes_and_memory(void) {
  const pid_t child = fork();
  if (child == 0) _exit(5);
  int status;
  require(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5);
  void* memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(memory != MAP_FAILED);
  require(madvise(memory, 65536, MADV_DONTNEED) == 0);
  require(munmap(memory, 65536) == 0);
}

int main(int count, char** arguments) {
  require(count > 1);
  files(arguments[1]);
  waits();
  locks();
  sockets();
  processes_and_memory();
  printf(
      "{\"tid\": %d, \"counts\": {\"open\": 1, \"write\": 20, \"pwrite\": 1, \"writev\": 1, "
      "\"fsync\": 1, \"ftruncate\": 1, \"pread\": 12, \"read\": 1, \"close\": 5, \"poll\": 3, "
      "\"select\": 1, \"epoll_wait\": 1, \"usleep\": 5, \"nanosleep\": 1, \"clock_nanosleep\": 1, "
      "\"pthread_create\": 1, \"pthread_join\": 1, \"pthread_mutex_lock\": 1, "
      "\"pthread_rwlock_rdlock\": 1, \"sem_wait\": 1, \"socket\": 2, \"bind\": 1, \"listen\": 1, "
      "\"connect\": 1, \"accept\": 1, \"send\": 4, \"recv\": 4, \"shutdown\": 1, \"fork\": 1, "
      "\"waitpid\": 1, \"mmap\": 1, \"madvise\": 1, \"munmap\": 1}}\n",
      thread_id());
  return 0;
}
