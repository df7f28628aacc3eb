#include "exporters/analysis/stalls/disassembler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "common/base/unique_fd.hpp"

extern char** environ;

namespace prof::stalls {
namespace {

// The file that the child reads.
constexpr int kInput = 3;
constexpr off_t kMaxOutput = off_t{1} << 30;

bool is_program(const std::string& path) {
  struct stat info {};
  return !path.empty() && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string first_match(const std::string& pattern) {
  glob_t found{};
  std::string path;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc && path.empty(); ++i)
      if (is_program(found.gl_pathv[i])) path = found.gl_pathv[i];
  globfree(&found);
  return path;
}

std::string in_python(const std::string& environment) {
  if (!environment.starts_with('/')) return {};
  for (const char* package : {"nvidia/*/bin/nvdisasm", "triton/backends/nvidia/bin/nvdisasm"})
    for (const char* packages : {"site-packages", "dist-packages"})
      if (std::string path =
              first_match(fmt::format("{}/lib/python3*/{}/{}", environment, packages, package));
          !path.empty())
        return path;
  return {};
}

std::vector<std::string> folders_of_path() {
  std::vector<std::string> folders;
  const std::string path = setting("PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    // Relative folders would let the report's folder decide which program runs.
    if (path[at] == '/') folders.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return folders;
}

base::UniqueFd file_in_memory(std::span<const std::byte> content) {
  base::UniqueFd file(memfd_create("prof-cubin", MFD_CLOEXEC));
  while (file && !content.empty()) {
    const ssize_t written = write(file.get(), content.data(), content.size());
    if (written <= 0) return {};
    content = content.subspan(static_cast<std::size_t>(written));
  }
  return file;
}

// Starts nvdisasm. Returns 0 or an errno.
int start(const std::string& program, int input, int output, const std::string& symbol,
          pid_t& pid) {
  std::string words[] = {program, "-c", "-fun", symbol, fmt::format("/proc/self/fd/{}", kInput)};
  std::vector<char*> arguments;
  for (std::string& each : words) arguments.push_back(each.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, input, kInput);
  const int error = posix_spawn(&pid, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

bool succeeds_within(pid_t pid, std::chrono::seconds limit) {
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string content_of(int file) {
  struct stat info {};
  if (fstat(file, &info) != 0 || info.st_size > kMaxOutput) return {};
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(file, &text[done], text.size() - done, static_cast<off_t>(done));
    if (got <= 0) return {};
    done += static_cast<std::size_t>(got);
  }
  return text;
}

// Removes spaces, and the semicolon at the end of an instruction.
std::string_view trimmed(std::string_view text) {
  const auto is_outside = [](char each) { return each == ' ' || each == '\t' || each == ';'; };
  while (!text.empty() && is_outside(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_outside(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string find_nvdisasm() {
  if (std::string path = setting("TRITON_NVDISASM_PATH"); path.starts_with('/') && is_program(path))
    return path;
  const std::vector<std::string> folders = folders_of_path();
  for (const std::string& folder : folders)
    if (std::string path = folder + "/nvdisasm"; is_program(path)) return path;
  for (const std::string& toolkit : {setting("CUDA_HOME"), std::string("/usr/local/cuda")})
    if (std::string path = toolkit + "/bin/nvdisasm"; path.starts_with('/') && is_program(path))
      return path;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (std::string path = in_python(setting(name)); !path.empty()) return path;
  for (const std::string& folder : folders)
    if (folder.ends_with("/bin"))
      if (std::string path = in_python(folder.substr(0, folder.size() - 4)); !path.empty())
        return path;
  return {};
}

InstructionTexts disassemble(const std::string& nvdisasm, std::span<const std::byte> cubin,
                             const cubin::Function& function) {
  const base::UniqueFd input = file_in_memory(cubin);
  const base::UniqueFd output(memfd_create("prof-sass", MFD_CLOEXEC));
  pid_t pid = 0;
  if (!input || !output || function.symbol == 0 ||
      start(nvdisasm, input.get(), output.get(), std::to_string(function.symbol), pid) != 0 ||
      !succeeds_within(pid, std::chrono::seconds(60)))
    return {};
  return parse_instructions(content_of(output.get()));
}

InstructionTexts parse_instructions(std::string_view output) {
  InstructionTexts texts;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = trimmed(output.substr(0, end));
    output.remove_prefix(std::min(output.size(), end + 1));
    // A line with an instruction begins with its offset: /*01a0*/
    const std::size_t close = line.find("*/");
    if (!line.starts_with("/*") || close == std::string_view::npos) continue;
    std::uint64_t offset = 0;
    const auto [stop, error] = std::from_chars(line.data() + 2, line.data() + close, offset, 16);
    if (error == std::errc() && stop == line.data() + close)
      texts.try_emplace(offset, trimmed(line.substr(close + 2)));
  }
  return texts;
}

std::string raw_instruction(std::span<const std::byte> code, std::uint64_t offset) {
  std::uint64_t words[2] = {};
  if (offset > code.size() || code.size() - offset < sizeof words) return {};
  std::memcpy(words, &code[offset], sizeof words);
  return fmt::format("{:#018x} {:#018x}", words[1], words[0]);
}

}  // namespace prof::stalls
