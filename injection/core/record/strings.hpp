// Strings: a process sends each text once, and records refer to it by its content hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/wire/hash.hpp"
#include "injection/core/record/sent_hashes.hpp"

namespace prof::core {

extern SentHashes<2048> g_sent_strings;

// Sends the text, unless the full look-up shows that it was sent before.
void publish(std::uint64_t hash, const char* text, std::size_t length);

// Sends the text if the collector may not know it, and returns its hash (never 0). The text is
// copied before this returns. Async-signal-safe.
inline std::uint64_t intern(const char* text, std::size_t length) {
  const std::uint64_t hash = wire::hash_text(text, length);
  if (!g_sent_strings.is_first(hash)) [[unlikely]]
    publish(hash, text, length);
  return hash;
}

// Null counts as an empty text.
inline std::uint64_t intern(const char* text) {
  return text == nullptr ? intern("", 0) : intern(text, std::strlen(text));
}

// Sends the text without the table of sent hashes, because the caller has a separate flag for
// "sent". Each page of the table that a process touches costs 2 us. Returns the hash, or 0 if the
// text was dropped.
std::uint64_t send_string(const char* text);

// Forgets which texts were sent, because the next session does not know them.
void forget_sent_strings();

// Interns the text as UTF-8.
std::uint64_t intern(const wchar_t* text);

// Writes one code point as UTF-8. Returns the number of bytes written, 0 if they do not fit.
std::size_t put_utf8(char* out, std::size_t room, std::uint32_t c);

}  // namespace prof::core
