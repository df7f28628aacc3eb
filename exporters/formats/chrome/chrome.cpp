#include "exporters/formats/chrome/chrome.hpp"

#include <fmt/format.h>

#include "exporters/formats/chrome/header.hpp"
#include "exporters/formats/chrome/parts.hpp"

namespace prof::formats {

base::Status export_chrome(const report::ReportReader& reader, const ChromeTrace& trace,
                           const Output& output) {
  const auto names = TraceNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  auto links = GpuLinks::read(reader);
  if (!links) return tl::make_unexpected(links.error());
  const auto header = chrome_header(reader, trace);
  if (!header) return tl::make_unexpected(header.error());
  Writer writer(output);
  writer << *header << "\n\"traceEvents\":[";
  ChromeEvents events(writer);
  ChromeRows rows(events, *names);
  ChromeDocument document{reader, *names, events, rows, *links, trace};
  for (const auto write :
       {write_chrome_program, write_chrome_system, write_chrome_gpus, write_chrome_counters}) {
    if (base::Status written = write(document); !written) return written;
    if (!writer.status()) return writer.finish();
  }
  if (!trace.step.empty() && document.steps == 0)
    return base::fail("no NVTX range is called " + trace.step);
  rows.write_names();
  constexpr std::uint64_t kMany = 2'000'000;
  if (events.count() > kMany)
    reader.remark(
        fmt::format("the Chrome trace has {:.1f} million events. Viewers of this format "
                    "need gigabytes for that; --type=perfetto takes a fifth of it or less.",
                    static_cast<double>(events.count()) / 1e6));
  writer << "\n]}\n";
  return writer.finish();
}

}  // namespace prof::formats
