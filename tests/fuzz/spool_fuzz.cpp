// A recording of arbitrary bytes turned into a report: `prof recover` on somebody's broken file.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "collector/ingest/report_builder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prof;
  static const std::string path = "/tmp/prof-fuzz-" + std::to_string(getpid()) + ".db";
  const auto spool = ingest::Spool::parse({reinterpret_cast<const std::byte*>(data), size});
  if (!spool) return 0;
  auto writer = report::ReportWriter::create(path, true);
  if (!writer) __builtin_trap();
  static_cast<void>(ingest::build_report(*spool, **writer, path, {}));
  return 0;
}
