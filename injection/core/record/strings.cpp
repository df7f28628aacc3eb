#include "injection/core/record/strings.hpp"

#include <cstring>
#include <cwchar>

#include "injection/core/layout.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::core {

PROF_SELDOM SentHashes<2048> g_sent_strings;

namespace {

std::size_t cut_at_character(const char* text, std::size_t length) {
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  return length;
}

bool send_text(std::uint64_t hash, const char* text, std::size_t length) {
  std::uint8_t flags = 0;
  if (length > wire::kMaxStringBytes) {
    length = cut_at_character(text, wire::kMaxStringBytes);
    flags = wire::kStringTruncated;
  }
  const auto bytes = static_cast<std::uint32_t>(length);
  return append_with_data(
      wire::StringRecord{header_of<wire::StringRecord>(wire::RecordType::kString, bytes, flags),
                         hash},
      text, bytes);
}

}  // namespace

std::uint64_t send_string(const char* text) {
  const std::size_t length = std::strlen(text);
  const std::uint64_t hash = wire::hash_text(text, length);
  return send_text(hash, text, length) ? hash : 0;
}

void forget_sent_strings() { g_sent_strings.clear(); }

void publish(std::uint64_t hash, const char* text, std::size_t length) {
  if (!g_sent_strings.contains(hash) && send_text(hash, text, length)) g_sent_strings.add(hash);
}

std::size_t put_utf8(char* out, std::size_t room, std::uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
  const std::size_t bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  if (bytes > room) return 0;
  if (bytes == 1) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  for (std::size_t i = bytes - 1; i > 0; --i, c >>= 6)
    out[i] = static_cast<char>(0x80 | (c & 0x3f));
  constexpr unsigned kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  out[0] = static_cast<char>(kLead[bytes] | c);
  return bytes;
}

std::uint64_t intern(const wchar_t* text) {
  // Wide texts are short names in practice. Longer texts are cut.
  char buffer[4096];
  std::size_t length = 0;
  for (; text != nullptr && *text != L'\0'; ++text) {
    const std::size_t bytes =
        put_utf8(buffer + length, sizeof buffer - length, static_cast<std::uint32_t>(*text));
    if (bytes == 0) break;
    length += bytes;
  }
  return intern(buffer, length);
}

}  // namespace prof::core
