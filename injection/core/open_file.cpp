#include "injection/core/open_file.hpp"

#include <fcntl.h>

#include <cstdint>
#include <cstring>

#include "injection/core/mapped.hpp"
#include "injection/core/number.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::core {

namespace {

struct Entries {
  alignas(8) char data[1024];
};

}  // namespace

bool find_open(const struct stat& file, int& found) {
  found = -1;
  const int folder = sys::open_at(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return false;
  const Mapped<Entries> entries;
  long bytes;
  while (entries && found < 0 &&
         (bytes = sys::directory_entries(folder, entries->data, sizeof entries->data)) > 0) {
    for (long at = 0; at < bytes;) {
      // struct linux_dirent64: inode, offset, u16 length, u8 type, name
      std::uint16_t length;
      std::memcpy(&length, entries->data + at + 16, sizeof length);
      const char* name = entries->data + at + 19;
      at += length;
      struct stat open {};
      const int fd = number_of(name);
      if (*name == '.' || fd == folder || sys::stat_at(fd, "", &open, AT_EMPTY_PATH) != 0 ||
          !is_same_file(open, file))
        continue;
      found = fd;
      break;
    }
  }
  sys::close(folder);
  return static_cast<bool>(entries);
}

}  // namespace prof::core
