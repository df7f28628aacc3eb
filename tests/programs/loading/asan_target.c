/* Built with the address sanitizer. Its runtime must be loaded before other libraries. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
  char* heap = malloc(10);
  const int fd = open("/dev/zero", O_RDONLY);
  for (int i = 0; i < 10; ++i)
    if (read(fd, heap + i, 1) != 1) return 3;
  free(heap);
  close(fd);
  puts("{\"read\": 10}");
  return 0;
}
