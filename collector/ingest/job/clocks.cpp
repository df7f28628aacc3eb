#include "collector/ingest/job/clocks.hpp"

#include <string_view>

namespace prof::ingest {

void write_clocks(report::ReportWriter& writer, const spool::Notes& notes,
                  const spool::ClockModel& clock) {
  notes.for_each<spool::ClockNote>([&](const spool::ClockNote& note) {
    writer.add("PROF_CLOCKS",
               {clock.from_monotonic(static_cast<std::uint64_t>(note.raw)), note.raw,
                note.monotonic, note.boottime, note.realtime, note.tai, note.uncertainty,
                note.ntp_offset, note.ntp_frequency, note.ntp_max_error, note.ntp_estimated_error,
                std::int64_t{note.ntp_status}, std::int64_t{note.is_synchronized},
                std::string_view(note.boot_id), note.namespace_shift});
  });
}

}  // namespace prof::ingest
