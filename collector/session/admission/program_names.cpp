#include "collector/session/admission/program_names.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::session {

namespace fs = std::filesystem;

namespace {

constexpr int kMaxInterpreters = 4;      // the kernel's limit: a script may name a script
constexpr std::size_t kMaxKnown = 4096;  // paths

// Returns the interpreter of a script, or an empty string for any other program. The path comes
// from a process and is not trusted: it may name a pipe, and something else a moment later.
std::string interpreter_of(const std::string& path) {
  constexpr std::size_t kLongestLine = 256;  // the kernel reads no more
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string line(kLongestLine, '\0');
  const ssize_t bytes = pread(file.get(), line.data(), line.size(), 0);
  line.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  if (!line.starts_with("#!")) return {};
  const std::size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_first_of(" \t\n", begin) - begin);
}

std::string look_up(std::string path) {
  for (int i = 0; i < kMaxInterpreters; ++i) {
    std::string interpreter = interpreter_of(path);
    if (interpreter.empty()) break;
    path = std::move(interpreter);
  }
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  return error ? path : real.string();
}

}  // namespace

std::string process_name(pid_t pid) {
  const pid_t living = base::living_thread(pid);
  if (std::string program = base::read_link(base::proc_path(living, "exe")); !program.empty())
    return program;
  const std::string name = base::read_proc_file(base::proc_path(living, "comm"));
  return name.substr(0, name.find('\n'));
}

const std::string& ProgramNames::executable_of(const std::string& path) {
  const auto at = known_.find(path);
  if (at != known_.end()) return at->second;
  if (known_.size() >= kMaxKnown) known_.clear();
  return known_.emplace(path, look_up(path)).first->second;
}

}  // namespace prof::session
