/* Nanoseconds for each intercepted call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure.h"

static int g_zero;
static sem_t g_semaphore;
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t g_rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t g_spin;
static pthread_cond_t g_condition = PTHREAD_COND_INITIALIZER;
static int g_sockets[2];
static FILE *g_in, *g_out;

static void reads(long count) {
  char buffer[16];
  for (long i = 0; i < count; ++i)
    if (read(g_zero, buffer, sizeof buffer) != sizeof buffer) _exit(3);
}

static void opens(long count) {
  for (long i = 0; i < count; ++i) close(open("/dev/zero", O_RDONLY));
}

static void lock_pairs(long count) {
  for (long i = 0; i < count; ++i) {
    pthread_mutex_lock(&g_mutex);
    pthread_mutex_unlock(&g_mutex);
  }
}

static void semaphore_pairs(long count) {
  for (long i = 0; i < count; ++i) {
    sem_wait(&g_semaphore);
    sem_post(&g_semaphore);
  }
}

static void rwlock_pairs(long count) {
  for (long i = 0; i < count; ++i) {
    pthread_rwlock_rdlock(&g_rwlock);
    pthread_rwlock_unlock(&g_rwlock);
  }
}

static void spin_pairs(long count) {
  for (long i = 0; i < count; ++i) {
    pthread_spin_lock(&g_spin);
    pthread_spin_unlock(&g_spin);
  }
}

static void signals(long count) {
  for (long i = 0; i < count; ++i) pthread_cond_signal(&g_condition);
}

static void characters_in(long count) {
  for (long i = 0; i < count; ++i) getc(g_in);
}

static void characters_out(long count) {
  for (long i = 0; i < count; ++i) putc('x', g_out);
}

static void blocks_out(long count) {
  for (long i = 0; i < count; ++i) fwrite("sixteen bytes...", 1, 16, g_out);
}

static void lines_out(long count) {
  for (long i = 0; i < count; ++i) fprintf(g_out, "%ld of %ld\n", i, count);
}

static void stats(long count) {
  struct stat s;
  for (long i = 0; i < count; ++i) fstat(g_zero, &s);
}

static void polls(long count) {
  struct pollfd fd = {g_zero, POLLIN, 0};
  for (long i = 0; i < count; ++i) poll(&fd, 1, 0);
}

static void messages(long count) {
  char byte = 0;
  for (long i = 0; i < count; ++i) {
    if (send(g_sockets[0], &byte, 1, 0) != 1) _exit(3);
    if (recv(g_sockets[1], &byte, 1, 0) != 1) _exit(3);
  }
}

static void maps(long count) {
  for (long i = 0; i < count; ++i)
    munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
}

static void system_calls(long count) {
  for (long i = 0; i < count; ++i) syscall(SYS_getppid);
}

static void* idle(void* unused) {
  pause();
  return unused;
}

/* `kernel`: only calls that are measured with system calls traced, because that slows all of them.
 */
int main(int argc, char** argv) {
  (void)argv;
  g_zero = open("/dev/zero", O_RDONLY);
  g_in = fopen("/dev/zero", "r");
  g_out = fopen("/dev/null", "w");
  sem_init(&g_semaphore, 0, 1);
  pthread_spin_init(&g_spin, 0);
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, g_sockets) != 0) return 1;
  report("read16", measure(reads, 50000));
  if (argc > 1) {
    report("mmap_munmap", measure(maps, 20000));
    report("syscall", measure(system_calls, 50000));
    return 0;
  }
  report("open_close", measure(opens, 20000));
  report("mutex_pair", measure(lock_pairs, 500000));
  report("semaphore_pair", measure(semaphore_pairs, 200000));
  report("rwlock_pair", measure(rwlock_pairs, 500000));
  report("spin_pair", measure(spin_pairs, 500000));
  report("cond_signal", measure(signals, 500000));
  report("getc", measure(characters_in, 500000));
  report("putc", measure(characters_out, 500000));
  report("fwrite16", measure(blocks_out, 200000));
  report("fprintf", measure(lines_out, 100000));
  report("fstat", measure(stats, 50000));
  report("poll", measure(polls, 50000));
  report("send_recv", measure(messages, 20000));
  report("mmap_munmap", measure(maps, 20000));
  report("syscall", measure(system_calls, 50000));
  pthread_t thread; /* from here on glibc's locks use atomic instructions */
  pthread_create(&thread, NULL, idle, NULL);
  report("mutex_pair_threaded", measure(lock_pairs, 500000));
  return 0;
}
