// Strings by content: a text is sent once per process and named by its hash from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "injection/core/record/sent_hashes.hpp"
#include "injection/wire/hash.hpp"

namespace prof::core {

extern SentHashes<2048> g_sent_strings;

// Sends the text unless it turns out to be known after all.
void publish(std::uint64_t hash, const char* text, std::size_t length);

// Makes sure the collector can resolve the text and returns its hash (never 0). The text is copied
// at once. Async-signal-safe.
inline std::uint64_t intern(const char* text, std::size_t length) {
  const std::uint64_t hash = wire::hash_text(text, length);
  if (!g_sent_strings.is_first(hash)) [[unlikely]]
    publish(hash, text, length);
  return hash;
}

// Null counts as "".
inline std::uint64_t intern(const char* text) {
  return text == nullptr ? intern("", 0) : intern(text, std::strlen(text));
}

// For what its caller remembers by a flag of its own, as each page of our table that a process
// touches costs it 2 us. Returns the hash; 0 if there was no room.
std::uint64_t send_string(const char* text);

std::uint64_t intern(const wchar_t* text);  // converted to UTF-8

// Appends one code point; returns the number of bytes written (0 if it does not fit).
std::size_t put_utf8(char* out, std::size_t room, std::uint32_t c);

}  // namespace prof::core
