#include "exporters/formats/gzip.hpp"

#include <array>

namespace prof::formats {

namespace {

constexpr int kMemory = 8;                   // zlib's default
constexpr int kGzipWindow = MAX_WBITS + 16;  // 16 selects a gzip header instead of a zlib header

}  // namespace

Gzip::Gzip(const Output& output, int level)
    : output_(output),
      ready_(deflateInit2(&stream_, level, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) ==
             Z_OK) {}

Gzip::~Gzip() {
  if (ready_) deflateEnd(&stream_);
}

base::Status Gzip::pack(std::string_view bytes, int flush) {
  if (!ready_) return base::fail("cannot compress: out of memory");
  std::array<char, 1 << 15> packed{};
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream_.avail_in = static_cast<uInt>(bytes.size());
  do {
    stream_.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_out = packed.size();
    deflate(&stream_, flush);
    const std::size_t size = packed.size() - stream_.avail_out;
    if (size == 0) continue;
    if (base::Status written = output_({packed.data(), size}); !written) return written;
  } while (stream_.avail_out == 0);
  return {};
}

}  // namespace prof::formats
