#include "injection/cuda/kernels/selection/demangled_name.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cstring>

#include "common/wire/kernel_names.hpp"
#include "injection/core/join/session_files.hpp"
#include "injection/core/syscalls.hpp"

namespace prof::cuda::kernels {

namespace {

constexpr long kAnswerPauseNs = 2'000'000;
constexpr int kAnswerTries = 2'500;
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kMaxName = 4000;  // so that a line is one write

// "HASH ", with a NUL byte after it.
struct HashWord {
  explicit HashWord(std::uint64_t hash) {
    for (std::size_t i = kHashDigits; i-- != 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15];
    text[kHashDigits] = ' ';
    text[kHashDigits + 1] = '\0';
  }
  char text[kHashDigits + 2];
};

bool ask(const HashWord& word, const char* mangled) {
  const std::size_t length = std::strlen(mangled);
  if (length > kMaxName) return false;
  char line[kHashDigits + 1 + kMaxName + 1];
  std::memcpy(line, word.text, kHashDigits + 1);
  std::memcpy(line + kHashDigits + 1, mangled, length);
  line[kHashDigits + 1 + length] = '\n';
  const core::SessionPath path(wire::kKernelNamesName);
  const int file = core::sys::open(path.text, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) return false;
  const std::size_t bytes = kHashDigits + 1 + length + 1;
  const bool is_written = core::sys::write(file, line, bytes) == static_cast<long>(bytes);
  core::sys::close(file);
  return is_written;
}

// Copies the name of a whole line with the word, if the text has one.
bool find_answer(const char* answers, const HashWord& word, char* text, std::size_t size) {
  const char* const found = std::strstr(answers, word.text);
  const char* const end = found == nullptr ? nullptr : std::strchr(found, '\n');
  if (end == nullptr) return false;
  const char* const name = found + kHashDigits + 1;
  const auto length = static_cast<std::size_t>(end - name);
  const std::size_t kept = length < size ? length : size - 1;
  std::memcpy(text, name, kept);
  text[kept] = '\0';
  return true;
}

bool look_up(int file, const HashWord& word, char* text, std::size_t size) {
  struct stat info {};
  if (core::sys::stat_at(file, "", &info, AT_EMPTY_PATH) != 0) return false;
  const auto bytes = static_cast<std::size_t>(info.st_size);
  void* memory =
      core::sys::mmap(bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (core::sys::failed(memory)) return false;
  core::sys::pread(file, memory, bytes, 0);
  const bool is_found = find_answer(static_cast<const char*>(memory), word, text, size);
  core::sys::munmap(memory, bytes + 1);
  return is_found;
}

}  // namespace

bool demangled_name(const char* mangled, std::uint64_t hash, char* text, std::size_t size) {
  if (core::g_process.sandboxed.load(std::memory_order_relaxed)) return false;
  const HashWord word(hash);
  if (!ask(word, mangled)) return false;
  const core::SessionPath path(wire::kKernelAnswersName);
  const int file = core::sys::open(path.text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  bool is_found = false;
  for (int i = 0; i < kAnswerTries && !is_found; ++i) {
    core::sys::sleep_ns(kAnswerPauseNs);
    is_found = look_up(file, word, text, size);
  }
  core::sys::close(file);
  return is_found;
}

}  // namespace prof::cuda::kernels
