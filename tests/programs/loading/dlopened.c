/* The library that dlopen_ways opens. */
#include <unistd.h>

int write_some(int fd, int count) {
  for (int i = 0; i < count; ++i)
    if (write(fd, "x", 1) != 1) return -1;
  return count;
}
