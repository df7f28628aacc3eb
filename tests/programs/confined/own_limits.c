/* Limits or locks its memory, and then uses all that it may. Memory that a profiler maps counts
 * too. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (1024UL * 1024)

static int limit(int resource, size_t mib) {
  const struct rlimit limits = {mib * MIB, mib * MIB};
  return setrlimit(resource, &limits);
}

static const char* map(size_t mib) {
  void* memory = mmap(NULL, mib * MIB, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? strerror(errno) : "mapped";
}

int main(int count, char** arguments) {
  const char* way = count > 1 ? arguments[1] : "";
  if (strcmp(way, "address") == 0) {
    printf("limit %d\n", limit(RLIMIT_AS, 300));
    printf("200: %s\n", map(200));
    printf("200: %s\n", map(200));
  } else if (strcmp(way, "lock") == 0) {
    printf("limit %d\n", limit(RLIMIT_MEMLOCK, 8));
    printf("lock %d\n", mlockall(MCL_CURRENT | MCL_FUTURE));
    printf("2: %s\n", map(2));
    printf("8: %s\n", map(8));
  } else if (strcmp(way, "core") == 0) {
    printf("limit %d %d\n", limit(RLIMIT_CORE, 0), limit(RLIMIT_DATA, 64));
    printf("32: %s\n", map(32));
  } else {
    return 2;
  }
  const int null = open("/dev/null", O_WRONLY);
  for (int i = 0; i < 6000; ++i) /* several chunks */
    if (write(null, "x", 1) != 1) return 3;
  printf("{\"write\": 6000}\n");
  return 0;
}
