#include "common/base/proc_file.hpp"

#include <limits.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "common/base/text_file.hpp"

namespace prof::base {

Status check_proc() {
  if (access("/proc/self/stat", F_OK) == 0) return {};
  return fail(
      "prof finds processes in /proc, which is not mounted here (mount -t proc proc /proc)");
}

std::string read_proc_file(const std::string& path, std::size_t most) {
  return read_text_file(path, most).value_or(std::string());
}

std::string read_link(const std::string& path) {
  char target[PATH_MAX];
  const ssize_t size = readlink(path.c_str(), target, sizeof target);
  return size <= 0 ? std::string() : std::string(target, static_cast<std::size_t>(size));
}

std::filesystem::path own_program() {
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) return path;
  // The name by which the program was started, relative to the working directory of that time.
  const auto* name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (name == nullptr) return {};
  path = std::filesystem::canonical(name, error);
  return error ? std::filesystem::path() : path;
}

std::string proc_path(pid_t pid, std::string_view name) {
  return "/proc/" + std::to_string(pid) + "/" + std::string(name);
}

std::string proc_path(pid_t pid, pid_t thread, std::string_view name) {
  return proc_path(pid, "task/" + std::to_string(thread) + "/" + std::string(name));
}

std::string_view status_value(std::string_view status, std::string_view key) {
  while (!status.empty()) {
    const std::size_t end = std::min(status.find('\n'), status.size());
    std::string_view line = status.substr(0, end);
    status.remove_prefix(std::min(end + 1, status.size()));
    if (!line.starts_with(key) || line.substr(key.size(), 1) != ":") continue;
    line.remove_prefix(key.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  }
  return {};
}

std::string_view stat_field(std::string_view stat, int number) {
  constexpr int kAfterName = 3;
  constexpr std::string_view kSeparators = " \n";
  const std::size_t name_end = stat.rfind(") ");
  if (name_end == std::string_view::npos) return {};
  stat.remove_prefix(name_end + 2);
  for (int skipped = kAfterName; skipped < number; ++skipped)
    stat.remove_prefix(std::min(stat.find_first_of(kSeparators), stat.size() - 1) + 1);
  return stat.substr(0, stat.find_first_of(kSeparators));
}

std::uint64_t number_in(std::string_view text, int base) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

}  // namespace prof::base
