#include "exporters/viewer/server/compression.hpp"

#include <zlib.h>

#include <algorithm>

namespace prof::view {

namespace {

// A body that fits into one packet is as fast without compression.
constexpr std::size_t kMinBytes = 1400;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

// True if an element of Accept-Encoding, such as "gzip;q=0.5", allows gzip.
bool allows_gzip(std::string_view element) {
  const std::size_t end = std::min(element.find(';'), element.size());
  const std::string_view name = trimmed(element.substr(0, end));
  const std::string_view weight = trimmed(element.substr(std::min(end + 1, element.size())));
  const bool is_zero = weight == "q=0" || (weight.starts_with("q=0.") &&
                                           weight.find_first_not_of('0', 4) == weight.npos);
  return http::is_equal_without_case(name, "gzip") && !is_zero;
}

}  // namespace

bool accepts_gzip(const http::RequestHead& head) {
  std::string_view rest = http::find(head, "Accept-Encoding").value;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    if (allows_gzip(rest.substr(0, comma))) return true;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return false;
}

void compress(http::Reply& reply) {
  constexpr int kGzip = 16;   // zlib's mark for a gzip header
  constexpr int kMemory = 8;  // zlib's default
  if (reply.body.size() < kMinBytes) return;
  z_stream stream{};
  // The fastest level: the user waits for it, and the better levels save little more.
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + kGzip, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return;
  std::string packed(reply.body.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(reply.body.data());
  stream.avail_in = static_cast<uInt>(reply.body.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const bool is_smaller = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (!is_smaller) return;
  reply.body = std::move(packed);
  reply.encoding = "gzip";
}

}  // namespace prof::view
