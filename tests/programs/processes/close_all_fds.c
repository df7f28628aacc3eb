/* Closes every descriptor it can find, as daemons and sandboxes do, and goes on working. */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  int before = 0;
  for (int fd = 3; fd < 4096; ++fd) before += close(fd) == 0;
  const int fd = open("/dev/zero", O_RDONLY);
  char buffer[16];
  for (int i = 0; i < 100; ++i)
    if (read(fd, buffer, sizeof buffer) != sizeof buffer) return 3;
  /* 4: a descriptor of prof was open; 5: the first new descriptor was not the lowest free number */
  if (before != 0) return 4;
  return fd == 3 ? 0 : 5;
}
