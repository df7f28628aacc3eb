// Strings by content: a text is sent once per process and named by its hash from then on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::core {

// Makes sure the collector can resolve the text and returns its hash (never 0). The text is copied
// at once; null counts as "". Async-signal-safe.
std::uint64_t intern(const char* text, std::size_t length);
std::uint64_t intern(const char* text);
std::uint64_t intern(const wchar_t* text);  // converted to UTF-8

}  // namespace prof::core
