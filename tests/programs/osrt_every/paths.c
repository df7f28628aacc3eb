#include "every.h"

#include <dirent.h>
#include <ftw.h>
#include <glob.h>
#include <sys/acct.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/swap.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

#define ABSENT "/nonexistent/prof"

int __xstat(int, const char*, struct stat*);
int __xstat64(int, const char*, struct stat64*);
int __lxstat(int, const char*, struct stat*);
int __lxstat64(int, const char*, struct stat64*);
int __fxstat(int, int, struct stat*);
int __fxstat64(int, int, struct stat64*);
int __fxstatat(int, int, const char*, struct stat*, int);
int __fxstatat64(int, int, const char*, struct stat64*, int);
int __xmknod(int, const char*, mode_t, dev_t*);
int __xmknodat(int, int, const char*, mode_t, dev_t*);
int pivot_root(const char*, const char*);
char* __realpath_chk(const char*, char*, size_t);
char* __getcwd_chk(char*, size_t, size_t);
ssize_t __readlink_chk(const char*, char*, size_t, size_t);
ssize_t __readlinkat_chk(int, const char*, char*, size_t, size_t);
extern __typeof__(statfs) __statfs;
/* Programs that were linked before glibc 2.33 call these. */
#if defined(__x86_64__)
#define FIRST_GLIBC "GLIBC_2.2.5"
#define GLIBC_WITH_AT "GLIBC_2.4"
#else
#define FIRST_GLIBC "GLIBC_2.17"
#define GLIBC_WITH_AT FIRST_GLIBC
#endif
#define OLD_SYMBOL(name, version) __asm__(".symver " #name ", " #name "@" version)
OLD_SYMBOL(__xstat, FIRST_GLIBC);
OLD_SYMBOL(__xstat64, FIRST_GLIBC);
OLD_SYMBOL(__lxstat, FIRST_GLIBC);
OLD_SYMBOL(__lxstat64, FIRST_GLIBC);
OLD_SYMBOL(__fxstat, FIRST_GLIBC);
OLD_SYMBOL(__fxstat64, FIRST_GLIBC);
OLD_SYMBOL(__fxstatat, GLIBC_WITH_AT);
OLD_SYMBOL(__fxstatat64, GLIBC_WITH_AT);
OLD_SYMBOL(__xmknod, FIRST_GLIBC);
OLD_SYMBOL(__xmknodat, GLIBC_WITH_AT);

static void look(int fd) {
  struct stat s;
  struct stat64 s64;
  struct statx x;
  CALL(stat, "file", &s);
  CALL(stat64, "file", &s64);
  CALL(lstat, "file", &s);
  CALL(lstat64, "file", &s64);
  CALL(fstat, fd, &s);
  CALL(fstat64, fd, &s64);
  CALL(fstatat, AT_FDCWD, "file", &s, 0);
  CALL(fstatat64, AT_FDCWD, "file", &s64, 0);
  CALL(statx, AT_FDCWD, "file", 0, STATX_SIZE, &x);
  ALIAS(__xstat, stat, 1, "file", &s);
  ALIAS(__xstat64, stat64, 1, "file", &s64);
  ALIAS(__lxstat, lstat, 1, "file", &s);
  ALIAS(__lxstat64, lstat64, 1, "file", &s64);
  ALIAS(__fxstat, fstat, 1, fd, &s);
  ALIAS(__fxstat64, fstat64, 1, fd, &s64);
  ALIAS(__fxstatat, fstatat, 1, AT_FDCWD, "file", &s, 0);
  ALIAS(__fxstatat64, fstatat64, 1, AT_FDCWD, "file", &s64, 0);
  CALL(access, "file", R_OK);
  CALL(faccessat, AT_FDCWD, "file", R_OK, 0);
  CALL(euidaccess, "file", R_OK);
  CALL(eaccess, "file", R_OK);
}

static void make_and_remove(void) {
  dev_t device = 0;
  char buffer[64];
  CALL(truncate, "file", 100);
  CALL(truncate64, "file", 100);
  CALL(rename, "file", "file1");
  CALL(renameat, AT_FDCWD, "file1", AT_FDCWD, "file2");
  CALL(renameat2, AT_FDCWD, "file2", AT_FDCWD, "file", 0);
  CALL(link, "file", "hard1");
  CALL(linkat, AT_FDCWD, "file", AT_FDCWD, "hard2", 0);
  CALL(unlink, "hard1");
  CALL(unlinkat, AT_FDCWD, "hard2", 0);
  CALL(symlink, "file", "soft1");
  CALL(symlinkat, "file", AT_FDCWD, "soft2");
  CALL(readlink, "soft1", buffer, sizeof buffer);
  CALL(readlinkat, AT_FDCWD, "soft1", buffer, sizeof buffer);
  ALIAS(__readlink_chk, readlink, "soft1", buffer, sizeof buffer, sizeof buffer);
  ALIAS(__readlinkat_chk, readlinkat, AT_FDCWD, "soft1", buffer, sizeof buffer, sizeof buffer);
  CALL(remove, "soft1");
  CALL(mkdir, "directory1", 0700);
  CALL(mkdirat, AT_FDCWD, "directory2", 0700);
  CALL(rmdir, "directory1");
  CALL(mknod, "node1", S_IFIFO | 0600, 0);
  CALL(mknodat, AT_FDCWD, "node2", S_IFIFO | 0600, 0);
  ALIAS(__xmknod, mknod, 0, "node3", S_IFIFO | 0600, &device);
  ALIAS(__xmknodat, mknodat, 0, AT_FDCWD, "node4", S_IFIFO | 0600, &device);
  CALL(mkfifo, "fifo1", 0600);
  CALL(mkfifoat, AT_FDCWD, "fifo2", 0600);
}

#define TEMPORARY(function, suffix, ...)              \
  do {                                                \
    char name[] = "t-XXXXXX" suffix;                  \
    CALL(close, CALL(function, name, ##__VA_ARGS__)); \
  } while (0)

static void make_temporary(void) {
  char name[] = "d-XXXXXX";
  TEMPORARY(mkstemp, "");
  TEMPORARY(mkstemp64, "");
  TEMPORARY(mkostemp, "", O_CLOEXEC);
  TEMPORARY(mkostemp64, "", O_CLOEXEC);
  TEMPORARY(mkstemps, ".c", 2);
  TEMPORARY(mkstemps64, ".c", 2);
  TEMPORARY(mkostemps, ".c", 2, O_CLOEXEC);
  TEMPORARY(mkostemps64, ".c", 2, O_CLOEXEC);
  CALL(mkdtemp, name);
}

static void change(int fd) {
  const struct timeval times[2] = {{1, 0}, {2, 0}};
  const struct timespec stamps[2] = {{1, 0}, {2, 0}};
  CALL(chmod, "file", 0600);
  CALL(fchmod, fd, 0600);
  CALL(fchmodat, AT_FDCWD, "file", 0600, 0);
  CALL(lchmod, "file", 0600);
  CALL(chown, "file", -1, -1);
  CALL(fchown, fd, -1, -1);
  CALL(lchown, "file", -1, -1);
  CALL(fchownat, AT_FDCWD, "file", -1, -1, 0);
  CALL(utime, "file", NULL);
  CALL(utimes, "file", times);
  CALL(futimes, fd, times);
  CALL(lutimes, "file", times);
  CALL(futimesat, AT_FDCWD, "file", times);
  CALL(utimensat, AT_FDCWD, "file", stamps, 0);
  CALL(futimens, fd, stamps);
}

static void ask_file_systems(int fd) {
  struct statfs s;
  struct statfs64 s64;
  struct statvfs v;
  struct statvfs64 v64;
  CALL(statfs, ".", &s);
  ALIAS(__statfs, statfs, ".", &s);
  CALL(statfs64, ".", &s64);
  CALL(fstatfs, fd, &s);
  CALL(fstatfs64, fd, &s64);
  CALL(statvfs, ".", &v);
  CALL(statvfs64, ".", &v64);
  CALL(fstatvfs, fd, &v);
  CALL(fstatvfs64, fd, &v64);
}

static void attributes(int fd) {
  char value[16] = "value";
  CALL(setxattr, "file", "user.a", value, 5, 0);
  CALL(lsetxattr, "file", "user.b", value, 5, 0);
  CALL(fsetxattr, fd, "user.c", value, 5, 0);
  CALL(getxattr, "file", "user.a", value, 5);
  CALL(lgetxattr, "file", "user.b", value, 5);
  CALL(fgetxattr, fd, "user.c", value, 5);
  CALL(listxattr, "file", value, sizeof value);
  CALL(llistxattr, "file", value, sizeof value);
  CALL(flistxattr, fd, value, sizeof value);
  CALL(removexattr, "file", "user.a");
  CALL(lremovexattr, "file", "user.b");
  CALL(fremovexattr, fd, "user.c");
}

static int visit(const char* path, const struct stat* s, int type) {
  return (void)path, (void)s, (void)type, 0;
}
static int visit64(const char* path, const struct stat64* s, int type) {
  return (void)path, (void)s, (void)type, 0;
}
static int visit_tree(const char* path, const struct stat* s, int type, struct FTW* at) {
  return (void)path, (void)s, (void)type, (void)at, 0;
}
static int visit_tree64(const char* path, const struct stat64* s, int type, struct FTW* at) {
  return (void)path, (void)s, (void)type, (void)at, 0;
}

static void read_directories(void) {
  char buffer[4096], path[PATH_MAX];
  struct dirent entry, *found, **all;
  struct dirent64 entry64, *found64, **all64;
  DIR* directory = CALL(opendir, ".");
  CALL(readdir, directory);
  CALL(readdir64, directory);
  CALL(readdir_r, directory, &entry, &found);
  CALL(readdir64_r, directory, &entry64, &found64);
  CALL(rewinddir, directory);
  CALL(closedir, directory);
  const int fd = CALL(open, ".", O_RDONLY | O_DIRECTORY);
  CALL(getdents64, fd, buffer, sizeof buffer);
  CALL(fchdir, fd);
  CALL(closedir, CALL(fdopendir, fd));
  CALL(scandir, ".", &all, NULL, NULL);
  CALL(scandir64, ".", &all64, NULL, NULL);
  CALL(scandirat, AT_FDCWD, ".", &all, NULL, NULL);
  CALL(scandirat64, AT_FDCWD, ".", &all64, NULL, NULL);
  CALL(ftw, ".", visit, 4);
  CALL(ftw64, ".", visit64, 4);
  CALL(nftw, ".", visit_tree, 4, 0);
  CALL(nftw64, ".", visit_tree64, 4, 0);
  glob_t matches;
  glob64_t matches64;
  CALL(glob, "*", 0, NULL, &matches);
  CALL(glob64, "*", 0, NULL, &matches64);
  CALL(chdir, ".");
  CALL(getcwd, path, sizeof path);
  ALIAS(__getcwd_chk, getcwd, path, sizeof path, sizeof path);
  CALL(realpath, "file", path);
  ALIAS(__realpath_chk, realpath, "file", path, sizeof path);
  CALL(canonicalize_file_name, "file");
}

/* All of these calls are refused. */
static void administer(void) {
  CALL(chroot, ABSENT);
  CALL(mount, ABSENT, ABSENT, "none", 0, NULL);
  CALL(umount, ABSENT);
  CALL(umount2, ABSENT, 0);
  CALL(pivot_root, ABSENT, ABSENT);
  CALL(swapon, ABSENT, 0);
  CALL(swapoff, ABSENT);
  CALL(acct, ABSENT);
}

void call_paths(void) {
  const int fd = CALL(open, "file", O_RDWR);
  look(fd);
  make_and_remove();
  make_temporary();
  change(fd);
  ask_file_systems(fd);
  attributes(fd);
  CALL(close, fd);
  read_directories();
  administer();
}
