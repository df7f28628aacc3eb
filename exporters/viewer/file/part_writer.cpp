#include "exporters/viewer/file/part_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace prof::view {

namespace {

// Compresses without zlib's header, for the browser's deflate-raw.
base::Result<std::string> deflated(std::string_view bytes) {
  constexpr int kMemory = 8;  // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    return base::fail("cannot compress: out of memory");
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) return base::fail("cannot compress the data of the page");
  return packed;
}

std::string base64(std::string_view bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) {
      return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
    };
    const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (const int shift : {18, 12, 6, 0}) text += kDigits[(three >> shift) & 63];
  }
  const std::size_t rest = bytes.size() % 3;
  if (rest > 0) text.replace(text.size() - (3 - rest), 3 - rest, 3 - rest, '=');
  return text;
}

}  // namespace

base::Status PartWriter::write(std::string_view name, std::string_view bytes) {
  const auto packed = deflated(bytes);
  if (!packed) return tl::make_unexpected(packed.error());
  return output_(fmt::format("<script type=\"text/plain\" data-part=\"{}\">{}</script>\n", name,
                             base64(*packed)));
}

base::Status PartSeries::add(std::string_view piece) {
  if (!bytes_.empty() && bytes_.size() + piece.size() > kMaxPartBytes)
    if (base::Status written = finish(); !written) return written;
  bytes_ += piece;
  return {};
}

base::Status PartSeries::finish() {
  if (bytes_.empty()) return {};
  const base::Status written = writer_.write(fmt::format("{}-{}", kind_, number_++), bytes_);
  bytes_.clear();
  return written;
}

}  // namespace prof::view
