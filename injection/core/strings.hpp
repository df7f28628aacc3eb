// Strings by content: a text is sent once per process and named by its hash from then on.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "injection/wire/hash.hpp"

namespace prof::core {

// Hashes whose text has been published, in buckets of one cache line. A lost entry only means that
// the text is sent again, so a full bucket simply overwrites, and a fork child may go on with its
// parent's table: the collector keeps one dictionary for the whole session.
inline constexpr std::size_t kStringWays = 8;
inline constexpr std::size_t kStringBuckets = 2048;
struct alignas(64) StringBucket {
  std::atomic<std::uint64_t> hash[kStringWays];
};
extern StringBucket g_sent_strings[kStringBuckets];

// Sends the text unless it turns out to be known after all.
void publish(std::uint64_t hash, const char* text, std::size_t length);

// Makes sure the collector can resolve the text and returns its hash (never 0). The text is copied
// at once. Async-signal-safe.
inline std::uint64_t intern(const char* text, std::size_t length) {
  const std::uint64_t hash = wire::hash_text(text, length);
  // Acquire pairs with the release that publishes: whoever sees the hash may use it without the
  // text.
  const auto& first = g_sent_strings[hash % kStringBuckets].hash[0];
  if (first.load(std::memory_order_acquire) != hash) [[unlikely]]
    publish(hash, text, length);
  return hash;
}

// Null counts as "".
inline std::uint64_t intern(const char* text) {
  return text == nullptr ? intern("", 0) : intern(text, std::strlen(text));
}

std::uint64_t intern(const wchar_t* text);  // converted to UTF-8

}  // namespace prof::core
