#include "injection/cuda/call_words.hpp"

#include <atomic>

#include "injection/core/lazy_array.hpp"
#include "injection/core/thread_id.hpp"
#include "injection/core/thread_state.hpp"

namespace prof::cuda {

namespace {

struct Word {
  std::atomic<std::uint64_t> key;  // 0: free
  std::uint64_t value;
};
constexpr std::uint32_t kWords = 4096;
constexpr std::uint32_t kTries = 16;
constinit core::LazyArray<Word, kWords> g_call_words;

std::uint32_t own_tid() {
  const core::ThreadState& t = core::t_state;
  return t.tid != 0 ? t.tid : core::thread_id();
}

// Ids of threads have up to 22 bits. The numbers of users are below 16, those of the domains 1 and
// 2.
std::uint64_t key_of(const CallKey& call, std::uint32_t tid) {
  static_assert(CUPTI_CB_DOMAIN_DRIVER_API == 1 && CUPTI_CB_DOMAIN_RUNTIME_API == 2);
  const auto domain = static_cast<std::uint64_t>(call.domain);
  return std::uint64_t{tid} << 38 | std::uint64_t{call.user} << 34 | domain << 32 |
         call.correlation;
}

Word& place(Word* words, std::uint32_t tid, std::uint32_t attempt) {
  return words[(tid * kTries + attempt) % kWords];
}

// Returns null if there is no memory for words. A word whose call had no exit stays taken. If a
// thread finds no free one, the first is taken again.
std::uint64_t* begin_word(const CallKey& call) {
  Word* const words = g_call_words.get();
  if (words == nullptr) return nullptr;
  const std::uint32_t tid = own_tid();
  const std::uint64_t key = key_of(call, tid);
  for (std::uint32_t i = 0; i < kTries; ++i) {
    Word& word = place(words, tid, i);
    std::uint64_t free = word.key.load(std::memory_order_relaxed);
    if (free != 0 || !word.key.compare_exchange_strong(free, key, std::memory_order_acquire))
      continue;
    word.value = 0;
    return &word.value;
  }
  Word& first = place(words, tid, 0);
  first.key.store(key, std::memory_order_relaxed);
  first.value = 0;
  return &first.value;
}

// Frees the word and returns its value; 0 if the call has none.
std::uint64_t end_word(const CallKey& call) {
  Word* const words = g_call_words.get_if_used();
  if (words == nullptr) return 0;
  const std::uint32_t tid = own_tid();
  const std::uint64_t key = key_of(call, tid);
  for (std::uint32_t i = 0; i < kTries; ++i) {
    Word& word = place(words, tid, i);
    if (word.key.load(std::memory_order_relaxed) != key) continue;
    const std::uint64_t value = word.value;
    word.key.store(0, std::memory_order_release);
    return value;
  }
  return 0;
}

}  // namespace

CallWord::CallWord(const CallKey& call, CUpti_ApiCallbackSite site) {
  if (site != CUPTI_API_ENTER) {
    value_ = end_word(call);
    return;
  }
  if (std::uint64_t* const begun = begin_word(call)) place_ = begun;
}

}  // namespace prof::cuda
