// A malicious program. It runs for about argv[2] tenths of a second and prints "done". It finds the
// arena in /proc/self/maps, as any program can. argv[1] selects what it does:
//
//   header    random bytes all over the arena's header
//   counters  all drop counters at 2^64 - 1
//   chunks    random owners, lengths and records in the chunks, while children come and go
//   hellos    introduces itself as a fork of made-up parents, endlessly
//   arrivals  sends announcements with serials, slots and pids of others (also of the profiler), of
//             programs with odd names, or of other contents
//   silence   opens connections that never speak, and some that send half a Hello or other bytes
//   pipe      sends announcements and garbage into the event pipe, endlessly
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/wire/chunk.hpp"
#include "common/wire/handshake.hpp"
#include "common/wire/machine/machine.hpp"

using namespace prof;

static unsigned char* arena;
static uint64_t state = 88172645463325252ULL;
static double until;

static uint64_t any(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}
static void find_arena(void) {
  char line[512];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long from, to;
    if (!strstr(line, "prof-arena") || sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
    arena = (unsigned char*)from;
  }
  if (maps) fclose(maps);
}
static void child(void) {
  const pid_t pid = fork();
  if (pid == 0) {
    (void)!write(open("/dev/null", O_WRONLY), "x", 1);
    _exit(0);
  }
  waitpid(pid, NULL, 0);
}
/* Chooses numbers that matter in the arena more often than random ones. */
static uint64_t word(void) {
  static const uint64_t kWords[] = {0,      1,          ~0ULL,      1ULL << 63,     0xffff,
                                    0xffc0, 0x7fffffff, 0xffffffff, 16ULL << 32 | 1};
  return any() % 2 ? any() : kWords[any() % 9];
}
static void scribble_header(int children) {
  while (now() < until) {
    for (int i = 0; i < 2000; ++i) {
      const uint64_t value = word();
      memcpy(arena + any() % (wire::kArenaHeaderBytes / 8) * 8, &value, 8);
    }
    if (children) child();
  }
}
static void fill_counters(void) {
  auto* header = (wire::ArenaHeader*)arena;
  memset((void*)header->slots, 0xff, sizeof header->slots);
  while (now() < until) child();
}
static void scribble_chunks(void) {
  auto* header = (wire::ArenaHeader*)arena;
  while (now() < until) {
    for (int i = 0; i < 200; ++i) {
      const wire::ChunkSize size = any() % 2 ? wire::ChunkSize::kSmall : wire::ChunkSize::kLarge;
      const uint32_t index = wire::first_chunk(size) + any() % wire::pool_of(header, size).backed;
      wire::ChunkHeader* chunk = wire::chunk_at(header, index);
      uint64_t* records = (uint64_t*)(chunk + 1);
      for (size_t at = 0; at < 500; ++at) {
        /* sometimes the header of a plausible record: size, type, flags, aux */
        const uint64_t plausible = (8 * (1 + any() % 16)) | (any() % 48) << 16 | any() << 32;
        records[at] = any() % 8 ? word() : plausible;
      }
      chunk->magic = wire::kChunkMagic;
      chunk->claimed = word();
      chunk->committed = any() % 8 ? any() % 512 * 8 : (uint32_t)word();
      chunk->retired = any() % 2;
      const uint32_t serial = wire::kFirstSerial + any() % 4;
      header->owners[index] = any() % 4 ? wire::owner_word(serial, any() % 8) : word();
    }
    child();
  }
}
static int connected(void) {
  struct sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  snprintf(address.sun_path, sizeof address.sun_path, "%s/control", getenv("PROF_SESSION"));
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr*)&address, sizeof address) == 0) return fd;
  if (fd >= 0) close(fd);
  return -1;
}
static int opened(const char* pipe) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", getenv("PROF_SESSION"), pipe);
  return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
}
static void arrive(void) {
  static const char* const kPrograms[] = {"/dev/zero", "/dev/stdin", "/proc/self/mem", "/",
                                          "",          "\xff\xfe",   "/bin/sh"};
  auto* header = (wire::ArenaHeader*)arena;
  const int pipe = opened("arrivals");
  while (now() < until) {
    wire::Arrival words = {};
    wire::Hello& hello = words.hello;
    hello.magic = wire::kHandshakeMagic;
    hello.version = wire::kWireVersion;
    hello.kind = any() % 2 ? wire::ProcessKind::kFork : wire::ProcessKind::kStart;
    const int pids[] = {getpid(), getppid(), 1 + (int)(any() % 2000), (int)word()};
    hello.pid = pids[any() % 4];
    hello.parent_serial = wire::kFirstSerial + any() % 8;
    hello.serial = any() % 8 ? wire::kFirstSerial + any() % 3000 : (uint32_t)word();
    hello.slot = any() % 8 ? any() % wire::kProcessSlots : (uint32_t)word();
    hello.time = any() % 2 ? wire::read_ticks() : word();
    const char* program = kPrograms[any() % (sizeof kPrograms / sizeof *kPrograms)];
    hello.program_bytes = any() % 8 ? strlen(program) : (uint32_t)word();
    strcpy(words.program, program);
    header->next_serial = any() % 4 ? header->next_serial + any() % 4 : (uint32_t)word();
    (void)!write(pipe, &words, any() % 16 ? sizeof words : any() % sizeof words);
    auto* owner = (wire::SlotOwner*)header->slot_owners + any() % wire::kProcessSlots;
    owner->serial = hello.serial;
    owner->parent_serial = any() % 4 ? hello.parent_serial : (uint32_t)word();
    owner->pid = pids[any() % 4];
    owner->arrived = hello.time;
    if (any() % 64 == 0) child();
  }
}
static void say_hellos(void) {
  for (uint32_t i = 0; now() < until; ++i) {
    wire::Hello hello = {};
    hello.magic = wire::kHandshakeMagic;
    hello.version = wire::kWireVersion;
    hello.kind = i % 2 ? wire::ProcessKind::kFork : wire::ProcessKind::kStart;
    hello.pid = 1 + any() % 100;
    hello.parent_serial = any() % 2 ? (uint32_t)any() : any() % 100000;
    hello.time = any();
    if (i % 16 == 0) hello.version = (uint16_t)any();
    const int fd = connected();
    if (fd < 0) continue;
    (void)!send(fd, &hello, sizeof hello, MSG_NOSIGNAL);
    close(fd);
  }
}
static void keep_silent(void) {
  int made = 0;
  while (now() < until) {
    const int fd = connected();
    if (fd < 0) {
      usleep(1000);
      if (errno == EMFILE)
        for (int old = 3; old < 1024; ++old) close(old);
      continue;
    }
    ++made;
    if (made % 4 == 1) (void)!send(fd, "prof", 4, MSG_NOSIGNAL);
    if (made % 4 == 2) (void)!send(fd, "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL);
    if (made % 50 == 0) child();
  }
}
static void flood_pipe(void) {
  char noise[4096];
  for (size_t i = 0; i < sizeof noise; ++i) noise[i] = (char)any();
  const int pipe = opened("events");
  while (now() < until) (void)!write(pipe, noise, 1 + any() % sizeof noise);
}

int main(int count, char** words) {
  const char* how = count > 1 ? words[1] : "header";
  until = now() + (count > 2 ? atoi(words[2]) : 5) * 0.1;
  find_arena();
  if (arena == NULL) return 3;
  if (strcmp(how, "header") == 0) scribble_header(1);
  if (strcmp(how, "counters") == 0) fill_counters();
  if (strcmp(how, "chunks") == 0) scribble_chunks();
  if (strcmp(how, "hellos") == 0) say_hellos();
  if (strcmp(how, "arrivals") == 0) arrive();
  if (strcmp(how, "silence") == 0) keep_silent();
  if (strcmp(how, "pipe") == 0) flood_pipe();
  puts("done");
  return 0;
}
