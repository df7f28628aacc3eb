#include "every.h"

#include <sys/mman.h>

void call_memory(void) {
  const size_t size = 4096;
  const int protection = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
  char name[64];
  CALL(munmap, CALL(mmap64, NULL, size, protection, flags, -1, 0), size);
  char* page = CALL(mmap, NULL, size, protection, flags, -1, 0);
  CALL(mprotect, page, size, protection);
  CALL(pkey_mprotect, page, size, protection, -1);
  CALL(madvise, page, size, MADV_NORMAL);
  CALL(posix_madvise, page, size, POSIX_MADV_NORMAL);
  CALL(msync, page, size, MS_ASYNC);
  CALL(mlock, page, size);
  CALL(munlock, page, size);
  CALL(mlock2, page, size, 0);
  CALL(mlockall, 0);
  CALL(munlockall);
  CALL(remap_file_pages, page, size, 0, 0, 0);
  page = CALL(mremap, page, size, 2 * size, MREMAP_MAYMOVE);
  CALL(munmap, page, 2 * size);
  sprintf(name, "/prof-every-%d", getpid());
  CALL(close, CALL(shm_open, name, O_RDWR | O_CREAT, 0600));
  CALL(shm_unlink, name);
}
