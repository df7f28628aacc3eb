// Makes reports of a spool of arbitrary bytes, one for each capture range: like `prof recover` on a
// damaged file.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "collector/ingest/report_builder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prof;
  static const std::string path = "/tmp/prof-fuzz-" + std::to_string(getpid()) + ".db";
  const auto spool = spool::Spool::parse({reinterpret_cast<const std::byte*>(data), size});
  if (!spool) return 0;
  const auto parts = ingest::report_windows(*spool);
  if (!parts) return 0;
  constexpr std::size_t kMaxReports = 2;  // more reports only take longer
  for (std::size_t i = 0; i < std::min(parts->windows.size(), kMaxReports); ++i) {
    auto writer = report::ReportWriter::create(path, true);
    if (!writer) __builtin_trap();
    static_cast<void>(ingest::build_report(*spool, **writer, path, {}, parts->windows[i]));
  }
  return 0;
}
