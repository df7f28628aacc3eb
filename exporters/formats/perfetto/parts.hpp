// The parts of a Perfetto trace.
#pragma once

#include "exporters/formats/perfetto/packets.hpp"
#include "exporters/formats/perfetto/perfetto.hpp"
#include "exporters/formats/perfetto/tracks.hpp"
#include "exporters/formats/trace/gpu_links.hpp"

namespace prof::formats {

// The state that all parts use.
struct PerfettoTrace {
  const report::ReportReader& reader;
  PacketStream& stream;
  const TraceNames& names;
  PerfettoTracks& tracks;
  GpuLinks& links;
  const PerfettoOptions& options;
};

base::Status write_nvtx(PerfettoTrace& trace);
// Writes calls and everything else that threads did.
base::Status write_thread_events(PerfettoTrace& trace);
base::Status write_gpu_rows(PerfettoTrace& trace);
base::Status write_gpu_stages(PerfettoTrace& trace);  // for GpuTracks::kNative
base::Status write_counters(PerfettoTrace& trace);
base::Status write_samples(PerfettoTrace& trace);
base::Status write_thread_states(PerfettoTrace& trace);

}  // namespace prof::formats
