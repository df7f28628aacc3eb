#include "injection/nvtx/clients/registered_strings.hpp"

#include <atomic>
#include <cstdint>
#include <cstring>

#include "injection/core/lazy_array.hpp"
#include "injection/core/process_state.hpp"
#include "injection/core/record/strings.hpp"

namespace prof::nvtx {

namespace {

// The texts in words of 4 bytes: the length of a text, which is written last, and its bytes.
constexpr std::uint32_t kWords = 1 << 18;
constinit core::LazyArray<std::uint32_t, kWords> g_words;
std::atomic<std::uint32_t> g_used;

constexpr std::uint32_t words_of(std::uint32_t length) { return 1 + (length + 3) / 4; }

}  // namespace

void keep_string(const char* text) {
  if (!core::g_process.loaded_late || text == nullptr) return;
  const std::size_t bytes = std::strlen(text);
  if (bytes == 0 || bytes >= kWords) return;
  std::uint32_t* const words = g_words.get();
  if (words == nullptr) return;
  const auto length = static_cast<std::uint32_t>(bytes);
  std::uint32_t at = g_used.load(std::memory_order_relaxed);
  do {
    if (words_of(length) > kWords - at) return;
  } while (!g_used.compare_exchange_weak(at, at + words_of(length), std::memory_order_relaxed));
  std::memcpy(words + at + 1, text, length);
  // Release: a thread that sees the length also sees the text.
  std::atomic_ref(words[at]).store(length, std::memory_order_release);
}

void resend_strings() {
  std::uint32_t* const words = g_words.get_if_used();
  for (std::uint32_t at = 0; words != nullptr && at < kWords;) {
    const std::uint32_t length = std::atomic_ref(words[at]).load(std::memory_order_acquire);
    if (length == 0) return;
    core::intern(reinterpret_cast<const char*>(words + at + 1), length);
    at += words_of(length);
  }
}

}  // namespace prof::nvtx
