#include "recorder_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fake {

namespace {

pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
int g_file = -1;
pid_t g_pid;
std::size_t g_limit = 20000;
std::size_t g_left_out;
std::byte g_pending[1 << 20];
std::size_t g_used;

void write_pending() {
  for (std::size_t done = 0; done < g_used;) {
    const ssize_t wrote = write(g_file, g_pending + done, g_used - done);
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  g_used = 0;
}

int descriptor_of_file() {
  const char* path = std::getenv("FAKE_CUPTI_RECORD");
  if (path == nullptr) return -1;
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file >= 0) return file;
  char other[4096];
  std::snprintf(other, sizeof other, "%s.%d", path, getpid());
  return open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

}  // namespace

bool open_file() {
  g_pid = getpid();
  if (const char* limit = std::getenv("FAKE_CUPTI_LIMIT"))
    g_limit = std::strtoul(limit, nullptr, 10);
  g_file = descriptor_of_file();
  return g_file >= 0;
}

bool is_file_open() { return g_file >= 0 && getpid() == g_pid; }

std::size_t close_file() {
  const Lock lock;
  write_pending();
  close(g_file);
  g_file = -1;
  return g_left_out;
}

Lock::Lock() { pthread_mutex_lock(&g_lock); }
Lock::~Lock() { pthread_mutex_unlock(&g_lock); }

void put(const void* bytes, std::size_t size) {
  if (g_used + size > sizeof g_pending) write_pending();
  if (size > sizeof g_pending) return;
  std::memcpy(g_pending + g_used, bytes, size);
  g_used += size;
}

void put_zeros(std::uint32_t bytes) {
  constexpr char kZeros[8] = {};
  put(kZeros, padded(bytes) - bytes);
}

bool has_room(std::size_t count) { return is_file_open() && count < g_limit; }

bool keep(std::size_t& count) {
  if (!is_file_open()) return false;
  if (count++ < g_limit) return true;
  ++g_left_out;
  return false;
}

}  // namespace fake
