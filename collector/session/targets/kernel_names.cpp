#include "collector/session/targets/kernel_names.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "common/base/log.hpp"
#include "common/code/demangle/demangle.hpp"
#include "common/wire/kernel_names.hpp"

namespace prof::session {

KernelNames::KernelNames(const SessionDirectory& directory)
    : names_(::open(directory.file(wire::kKernelNamesName).c_str(), O_RDONLY | O_CLOEXEC)),
      answers_(::open(directory.file(wire::kKernelAnswersName).c_str(),
                      O_WRONLY | O_APPEND | O_CLOEXEC)) {}

// Returns the whole lines that were not read yet.
std::string KernelNames::new_lines() {
  constexpr std::int64_t kMaxBytes = 1 << 20;
  struct stat info {};
  if (fstat(names_.get(), &info) != 0 || info.st_size <= read_) return {};
  std::string text(static_cast<std::size_t>(std::min(info.st_size - read_, kMaxBytes)), '\0');
  const ssize_t bytes = pread(names_.get(), text.data(), text.size(), read_);
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  read_ += static_cast<std::int64_t>(text.size());
  return text;
}

void KernelNames::answer() {
  constexpr std::size_t kHashDigits = 16;
  if (!names_ || !answers_) return;
  const std::string lines = new_lines();
  std::string answers;
  for (std::string_view rest = lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    if (line.size() <= kHashDigits + 1) continue;
    std::string name = demangle::demangle_kernel(line.substr(kHashDigits + 1)).demangled;
    std::ranges::replace(name, '\n', ' ');
    answers.append(line.substr(0, kHashDigits + 1)).append(name).append("\n");
  }
  if (!answers.empty() && ::write(answers_.get(), answers.data(), answers.size()) < 0)
    base::log_debug("no answer to programs about names of kernels");
}

}  // namespace prof::session
