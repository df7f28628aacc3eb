#include "collector/base/text_file.hpp"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "collector/base/unique_fd.hpp"

namespace prof::base {

std::optional<std::string> read_text_file(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  std::string text;
  char part[16384];
  for (;;) {
    const ssize_t bytes = read(file.get(), part, sizeof part);
    if (bytes == 0) return text;
    if (bytes > 0)
      text.append(part, static_cast<std::size_t>(bytes));
    else if (errno != EINTR)
      return std::nullopt;
  }
}

}  // namespace prof::base
