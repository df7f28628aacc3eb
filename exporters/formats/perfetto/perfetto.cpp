#include "exporters/formats/perfetto/perfetto.hpp"

#include "exporters/analysis/events/rows.hpp"
#include "exporters/formats/perfetto/parts.hpp"

namespace prof::formats {

namespace {

// Writes the clocks. `zero` is the time at which the trace's clock was 0, in ns since 1970; 0 or
// less: unknown.
void write_clocks(PacketStream& stream, std::int64_t zero) {
  constexpr std::uint32_t kRealTime = 1;
  std::string bytes;
  protozero::pbf_writer start(bytes);
  start.add_uint32(packet::kSequence, stream.new_sequence());
  {
    protozero::pbf_writer snapshot(start, packet::kClockSnapshot);
    for (const std::uint32_t id : {kBootTime, kRealTime}) {
      if (id == kRealTime && zero <= 0) continue;
      protozero::pbf_writer clock(snapshot, 1);
      clock.add_uint32(1, id);
      clock.add_uint64(2, id == kRealTime ? static_cast<std::uint64_t>(zero) : 0);
    }
    snapshot.add_enum(2, kBootTime);
  }
  stream.add(bytes);
}

}  // namespace

base::Status export_perfetto(const report::ReportReader& reader, const PerfettoOptions& options,
                             const Output& output) {
  auto names = TraceNames::read(reader);
  if (!names) return tl::make_unexpected(names.error());
  auto links = GpuLinks::read(reader);
  if (!links) return tl::make_unexpected(links.error());
  PacketStream stream(output);
  write_clocks(stream, options.utc_start);
  PerfettoTracks tracks(stream, *names);
  PerfettoTrace trace{reader, stream, *names, tracks, *links, options};
  for (const auto write :
       {write_nvtx, write_thread_events,
        options.gpu_tracks == GpuTracks::kNative ? write_gpu_stages : write_gpu_rows,
        write_counters, write_samples, write_thread_states}) {
    if (base::Status written = write(trace); !written) return written;
    if (!stream.status()) return stream.status();
  }
  return stream.finish();
}

}  // namespace prof::formats
