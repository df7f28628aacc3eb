/* Never uses the GPU. A profiler that traces CUDA must not load a driver into it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns whether a library of this name is mapped here. */
static int is_mapped(const char* name) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  if (!maps) exit(1);
  char line[4096];
  int found = 0;
  while (fgets(line, sizeof line, maps))
    if (strstr(line, name)) found = 1;
  fclose(maps);
  return found;
}

/* The primes below `limit`, by a sieve. */
static int count_primes(int limit) {
  char* const composite = calloc((size_t)limit, 1);
  int primes = 0;
  if (!composite) exit(1);
  for (long i = 2; i < limit; ++i) {
    if (composite[i]) continue;
    ++primes;
    for (long j = i * i; j < limit; j += i) composite[j] = 1;
  }
  free(composite);
  return primes;
}

int main(void) {
  const int primes = count_primes(10 * 1000 * 1000);
  const int driver = is_mapped("/libcuda.so"), cupti = is_mapped("/libcupti.so");
  printf("{\"pid\": %d, \"primes\": %d, \"libcuda_mapped\": %s, \"libcupti_mapped\": %s}\n",
         (int)getpid(), primes, driver ? "true" : "false", cupti ? "true" : "false");
  return primes == 664579 ? 0 : 1;
}
