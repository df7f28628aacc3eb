// Writes the states of threads, from the events of the kernel's scheduler.
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/formats/perfetto/parts.hpp"

namespace prof::formats {

namespace {

enum TaskState : std::int32_t {
  kRunnable = 2,
  kRunning = 3,
  kInterruptible = 4,
  kUninterruptible = 5,
  kStopped = 6,
  kDead = 7
};

// Returns Perfetto's state. `state` is ENUM_SAMPLING_THREAD_STATE.
TaskState state_of(bool is_in, std::int64_t state) {
  if (is_in) return kRunning;
  switch (state) {
    case 3:
      return kUninterruptible;
    case 4:
      return kStopped;
    case 5:
      return kDead;
    case 6:
      return kRunnable;
    default:
      return kInterruptible;
  }
}

}  // namespace

base::Status write_thread_states(PerfettoTrace& trace) {
  const report::ReportReader& reader = trace.reader;
  if (!reader.has_table(events::kSchedulingTable)) return {};
  constexpr std::int32_t kUsualPriority =
      120;  // without a priority the user interface shows real time
  const std::uint32_t sequence = trace.stream.new_sequence();
  std::int64_t faulty = 0;
  std::string event_bytes;
  std::string bytes;
  const base::Status read =
      report::scan(reader,
                   {events::kSchedulingTable,
                    {"start", "cpu", "isSchedIn", "globalTid",
                     report::column_or(reader, events::kSchedulingTable, "threadState")}},
                   [&](const report::Row& row) {
                     const std::int64_t time = row.integer_or(0, INT64_MAX);
                     if (time < -events::kMaxTime || time > events::kMaxTime) {
                       ++faulty;
                       return;
                     }
                     const std::int64_t thread = row.integer(3);
                     trace.tracks.thread(thread);
                     event_bytes.clear();
                     protozero::pbf_writer event(event_bytes);
                     event.add_int32(1, static_cast<std::int32_t>(row.integer(1)));
                     event.add_string(2, trace.names.thread(thread));
                     event.add_int64(3, events::tid_of(thread));
                     event.add_enum(4, state_of(row.integer(2) != 0, row.integer(4)));
                     event.add_int32(5, kUsualPriority);
                     bytes.clear();
                     protozero::pbf_writer whole(bytes);
                     whole.add_uint64(packet::kTimestamp,
                                      static_cast<std::uint64_t>(std::max<std::int64_t>(time, 0)));
                     whole.add_uint32(packet::kSequence, sequence);
                     whole.add_message(packet::kTaskStateEvent, event_bytes);
                     trace.stream.add(bytes);
                   });
  if (faulty > 0) reader.note_faulty(events::kSchedulingTable, faulty);
  return read;
}

}  // namespace prof::formats
