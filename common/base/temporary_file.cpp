#include "common/base/temporary_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>

namespace prof::base {

namespace {

constexpr std::string_view kMark = ".tmp-prof";
constexpr std::size_t kDigits = 8;

bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

}  // namespace

std::uint32_t random_number() {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(&number) >> 4);
}

// A process of another pid namespace may have the same pid and write to the same folder.
std::string temporary_name(const std::string& path) {
  static const std::uint32_t number = random_number();
  // The number is the same in a forked process, whose pid differs.
  return fmt::format("{}{}{}-{:08x}", path, kMark, getpid(), number);
}

std::string reserved_name(const std::string& path, ReservedFor purpose) {
  return fmt::format("{}{}0-{:08x}", path, kMark, static_cast<unsigned>(purpose));
}

bool is_temporary_name(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return false;
  name.remove_prefix(mark + kMark.size());
  const std::size_t dash = name.find('-');
  if (dash == 0 || dash == std::string_view::npos || name.size() != dash + 1 + kDigits)
    return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::all_of(name.substr(0, dash), is_digit) &&
         std::ranges::all_of(name.substr(dash + 1), is_hexadecimal);
}

int rename_new(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system or kernel lacks RENAME_NOREPLACE.
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return 0;
  }
  if (errno != EPERM && errno != EOPNOTSUPP) return errno;
  // The file system lacks hard links, too.
  if (access(to.c_str(), F_OK) == 0) return EEXIST;
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace prof::base
