// The record decoder over arbitrary bytes: touches every field it is handed.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "collector/ingest/decoder.hpp"

namespace {

struct Touch {
  std::uint64_t sum = 0;
  template <class Record>
  void operator()(const Record& record) {
    sum += record.header.aux + record.header.flags;
  }
  void operator()(const prof::wire::StringRecord& record, std::string_view text) {
    sum += record.hash;
    for (const char c : text) sum += static_cast<unsigned char>(c);
  }
};

volatile std::uint64_t g_sink;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Touch touch;
  const auto stats = prof::ingest::decode({reinterpret_cast<const std::byte*>(data), size}, touch);
  if (stats.corrupt_bytes > size || stats.records > size / 8) __builtin_trap();
  g_sink = touch.sum;
  return 0;
}
