#include "common/base/text_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "common/base/unique_fd.hpp"

namespace prof::base {

std::optional<std::string> read_text_file(const std::string& path, std::size_t most) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  char part[16384];
  while (text.size() < most) {
    const ssize_t bytes = read(file.get(), part, std::min(sizeof part, most - text.size()));
    if (bytes == 0) return text;
    if (bytes > 0)
      text.append(part, static_cast<std::size_t>(bytes));
    else if (errno != EINTR)
      return std::nullopt;
  }
  return text;
}

}  // namespace prof::base
