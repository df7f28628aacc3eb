// Arbitrary bytes as records. The decoder reads every field of them; then a report is made of them
// as if two threads had written them.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "collector/spool/decoder.hpp"
#include "tests/fuzz/recording.hpp"

namespace {

using namespace prof;

struct Touch {
  std::uint64_t sum = 0;
  template <class Record>
  void operator()(const Record& record) {
    sum += record.header.aux + record.header.flags;
  }
  void operator()(const wire::StringRecord& record, std::string_view text) {
    sum += record.hash;
    for (const char c : text) sum += static_cast<unsigned char>(c);
  }
};

volatile std::uint64_t g_sink;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  Touch touch;
  const auto stats = spool::decode(bytes, touch);
  if (stats.corrupt_bytes > size || stats.records > size / 8) __builtin_trap();
  g_sink = touch.sum;
  const std::size_t half = bytes.size() / 16 * 8;
  fuzz::make_report(fuzz::recording(bytes.first(half), bytes.subspan(half)));
  return 0;
}
