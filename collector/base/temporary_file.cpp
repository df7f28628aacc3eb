#include "collector/base/temporary_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>

namespace prof::base {

namespace {

constexpr std::string_view kMark = ".tmp-prof";

}  // namespace

std::string temporary_name(const std::string& path) {
  return path + std::string(kMark) + std::to_string(getpid());
}

pid_t temporary_owner(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return 0;
  name.remove_prefix(mark + kMark.size());
  pid_t pid = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
  const bool is_whole = parsed.ec == std::errc{} && parsed.ptr == name.data() + name.size();
  return is_whole && pid > 0 ? pid : 0;
}

int rename_new(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system or kernel without RENAME_NOREPLACE.
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return 0;
  }
  if (errno != EPERM && errno != EOPNOTSUPP) return errno;
  // It has no hard links either.
  if (access(to.c_str(), F_OK) == 0) return EEXIST;
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace prof::base
