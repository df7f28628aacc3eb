#include "common/base/held/held_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace prof::base {

namespace {

// True if the open file still has that name.
bool has_name(int file, const std::string& path) {
  struct stat here {};
  struct stat there {};
  return fstat(file, &here) == 0 && lstat(path.c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

// A lock of the whole file that belongs to the open file, like that of flock().
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

bool is_locked_otherwise(int file) {
  struct flock lock = whole_file();
  return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool wait_for_lock(int file) {
  int result = 0;
  do result = flock(file, LOCK_EX);
  while (result != 0 && errno == EINTR);
  return result == 0;
}

UniqueFd create_held_file(const std::string& path) {
  // A prof that searches left files all the time wins most races on an idle machine: 98 of 100.
  constexpr int kTries = 10'000;
  for (int i = 0; i < kTries; ++i) {
    UniqueFd file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) return file;
    fchmod(file.get(), 0600);
    if (!wait_for_lock(file.get())) {
      struct flock lock = whole_file();
      fcntl(file.get(), F_OFD_SETLK, &lock);
    }
    // Another prof may have taken the new file for a left one and removed it.
    if (has_name(file.get(), path)) return file;
  }
  errno = EAGAIN;
  return {};
}

UniqueFd take_left_file(const std::string& path) {
  UniqueFd file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info {};
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_uid != geteuid() || flock(file.get(), LOCK_EX | LOCK_NB) != 0 ||
      is_locked_otherwise(file.get()) || !has_name(file.get(), path))
    return {};
  return file;
}

void remove_left_file(const std::string& path) {
  const UniqueFd lock = take_left_file(path);
  if (lock) unlink(path.c_str());
}

}  // namespace prof::base
