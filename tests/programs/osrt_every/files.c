#include "every.h"

#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <termios.h>

extern __typeof__(open) __open, __open64;
extern __typeof__(close) __close;
extern __typeof__(read) __read;
extern __typeof__(write) __write;
extern __typeof__(pread64) __pread64;
extern __typeof__(pwrite64) __pwrite64;
extern __typeof__(fcntl) __fcntl;
extern __typeof__(pipe) __pipe;
extern __typeof__(dup2) __dup2;
int __open_2(const char*, int);
int __open64_2(const char*, int);
int __openat_2(int, const char*, int);
int __openat64_2(int, const char*, int);
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void*, size_t, off64_t, size_t);

static void open_and_close(void) {
  const int flags = O_RDWR | O_CREAT;
  CALL(close, CALL(open, "file", flags, 0600));
  CALL(close, CALL(open64, "file", flags, 0600));
  CALL(close, CALL(openat, AT_FDCWD, "file", flags, 0600));
  CALL(close, CALL(openat64, AT_FDCWD, "file", flags, 0600));
  CALL(close, CALL(creat, "file", 0600));
  CALL(close, CALL(creat64, "file", 0600));
  CALL(close, ALIAS(__open, open, "file", O_RDONLY));
  CALL(close, ALIAS(__open64, open64, "file", O_RDONLY));
  CALL(close, ALIAS(__open_2, open, "file", O_RDONLY));
  CALL(close, ALIAS(__open64_2, open64, "file", O_RDONLY));
  CALL(close, ALIAS(__openat_2, openat, AT_FDCWD, "file", O_RDONLY));
  ALIAS(__close, close, ALIAS(__openat64_2, openat64, AT_FDCWD, "file", O_RDONLY));
  CALL(close_range, 1000, 2000, 0);
  CALL(closefrom, 1000);
}

static void transfer(int fd) {
  char buffer[64] = "known answer";
  const struct iovec parts[2] = {{buffer, 8}, {buffer + 8, 8}};
  CALL(write, fd, buffer, 16);
  ALIAS(__write, write, fd, buffer, 16);
  CALL(pwrite, fd, buffer, 16, 0);
  CALL(pwrite64, fd, buffer, 16, 0);
  ALIAS(__pwrite64, pwrite64, fd, buffer, 16, 0);
  CALL(writev, fd, parts, 2);
  CALL(pwritev, fd, parts, 2, 0);
  CALL(pwritev64, fd, parts, 2, 0);
  CALL(pwritev2, fd, parts, 2, 0, 0);
  CALL(pwritev64v2, fd, parts, 2, 0, 0);
  lseek(fd, 0, SEEK_SET);
  CALL(read, fd, buffer, 8);
  ALIAS(__read, read, fd, buffer, 8);
  ALIAS(__read_chk, read, fd, buffer, 8, sizeof buffer);
  CALL(pread, fd, buffer, 8, 0);
  CALL(pread64, fd, buffer, 8, 0);
  ALIAS(__pread64, pread64, fd, buffer, 8, 0);
  ALIAS(__pread_chk, pread, fd, buffer, 8, 0, sizeof buffer);
  ALIAS(__pread64_chk, pread64, fd, buffer, 8, 0, sizeof buffer);
  CALL(readv, fd, parts, 2);
  CALL(preadv, fd, parts, 2, 0);
  CALL(preadv64, fd, parts, 2, 0);
  CALL(preadv2, fd, parts, 2, 0, 0);
  CALL(preadv64v2, fd, parts, 2, 0, 0);
}

static void store(int fd) {
  CALL(fsync, fd);
  CALL(fdatasync, fd);
  CALL(sync);
  CALL(syncfs, fd);
  CALL(sync_file_range, fd, 0, 16, 0);
  CALL(ftruncate, fd, 100);
  CALL(ftruncate64, fd, 100);
  CALL(fallocate, fd, 0, 0, 100);
  CALL(fallocate64, fd, 0, 0, 100);
  CALL(posix_fallocate, fd, 0, 100);
  CALL(posix_fallocate64, fd, 0, 100);
  CALL(posix_fadvise, fd, 0, 100, POSIX_FADV_NORMAL);
  CALL(posix_fadvise64, fd, 0, 100, POSIX_FADV_NORMAL);
  CALL(readahead, fd, 0, 100);
}

static void control(int fd) {
  int available;
  CALL(flock, fd, LOCK_EX);
  CALL(lockf, fd, F_LOCK, 1);
  CALL(lockf64, fd, F_ULOCK, 1);
  CALL(fcntl, fd, F_GETFD);
  CALL(fcntl64, fd, F_GETFD);
  ALIAS(__fcntl, fcntl, fd, F_GETFD);
  CALL(ioctl, fd, FIONREAD, &available);
  CALL(close, CALL(dup, fd));
  CALL(dup2, fd, 900);
  ALIAS(__dup2, dup2, fd, 900);
  CALL(dup3, fd, 900, O_CLOEXEC);
  CALL(close, 900);
}

static void move(int fd) {
  int from[2], to[2];
  char buffer[16] = "moved by libc";
  const struct iovec part = {buffer, sizeof buffer};
  CALL(pipe, from);
  CALL(pipe2, to, O_CLOEXEC);
  CALL(vmsplice, from[1], &part, 1, 0);
  CALL(tee, from[0], to[1], 16, 0);
  CALL(splice, from[0], NULL, fd, NULL, 16, 0);
  const int other = CALL(memfd_create, "other", 0);
  off_t at = 0;
  CALL(sendfile, other, fd, &at, 16);
  off64_t at64 = 0;
  CALL(sendfile64, other, fd, &at64, 16);
  CALL(copy_file_range, fd, &at64, fd, &(off64_t){50}, 16, 0);
  CALL(close, other);
  for (int i = 0; i < 2; ++i) CALL(close, from[i]), CALL(close, to[i]);
  ALIAS(__pipe, pipe, from);
  for (int i = 0; i < 2; ++i) CALL(close, from[i]);
}

void call_files(void) {
  char buffer[16];
  struct termios terminal = {0};
  open_and_close();
  const int fd = CALL(open, "file", O_RDWR);
  transfer(fd);
  store(fd);
  control(fd);
  move(fd);
  CALL(close, fd);
  CALL(getrandom, buffer, sizeof buffer, 0);
  CALL(getentropy, buffer, sizeof buffer);
  CALL(tcdrain, -1);
  CALL(tcsendbreak, -1, 0);
  CALL(tcsetattr, -1, TCSANOW, &terminal);
}
