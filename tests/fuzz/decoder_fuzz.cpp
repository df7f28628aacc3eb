// Arbitrary bytes as records. The decoder reads every field of them; then a report is made of them
// as if two threads had written them.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "collector/ingest/report_builder.hpp"
#include "collector/spool/decoder.hpp"

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

// Two processes, one forked from the other. The records are split among their threads.
spool::Spool recording(std::span<const std::byte> bytes) {
  spool::Spool spool;
  spool.notes.add(spool::SessionNote{.tick_rate = 2e9, .gpus = {"0000:00:00.0"}});
  spool.notes.add(spool::ProcessNote{.serial = 16, .pid = 5, .own_pid = 5, .time = 7, .name = "a"});
  spool.notes.add(spool::ProcessNote{.serial = 17, .parent_serial = 16, .pid = 6, .own_pid = 6});
  spool.notes.add(spool::EndNote{});
  spool.clocks = {{1000, 1000, 1000}, {3000, 2000, 2000}, {9000, 5000, 5000}};
  const std::size_t half = bytes.size() / 16 * 8;
  spool.pieces = {{{16, 5, 1, 0, 0}, bytes.first(half)}, {{17, 6, 2, 0, 0}, bytes.subspan(half)}};
  spool.record_bytes = bytes.size();
  return spool;
}

void make_report(const spool::Spool& spool) {
  static const std::string path = "/dev/shm/prof-fuzz-" + std::to_string(getpid()) + ".db";
  auto writer = report::ReportWriter::create(path, true);
  if (!writer) __builtin_trap();
  const auto windows = ingest::report_windows(spool);
  if (!windows || !ingest::build_report(spool, **writer, path, {})) __builtin_trap();
  if (!(*writer)->finish()) __builtin_trap();
  unlink(path.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  Touch touch;
  const auto stats = spool::decode(bytes, touch);
  if (stats.corrupt_bytes > size || stats.records > size / 8) __builtin_trap();
  g_sink = touch.sum;
  make_report(recording(bytes));
  return 0;
}
