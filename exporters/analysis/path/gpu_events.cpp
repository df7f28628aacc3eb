#include "exporters/analysis/path/gpu_events.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "exporters/analysis/events/rows.hpp"

namespace prof::path {

namespace {

constexpr const char* kEventTable = "CUPTI_ACTIVITY_KIND_CUDA_EVENT";
constexpr const char* kSynchronizationTable = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

// ENUM_CUPTI_SYNC_TYPE
constexpr std::int64_t kEventSynchronize = 1;
constexpr std::int64_t kStreamWaitEvent = 2;
constexpr std::int64_t kStreamSynchronize = 3;
constexpr std::int64_t kContextSynchronize = 4;

// Finds the moment in which an event was recorded.
class EventRecords {
 public:
  static base::Result<EventRecords> read(const report::ReportReader& reader,
                                         const HostCalls& calls) {
    EventRecords result;
    if (!reader.has_table(kEventTable)) return result;
    const base::Status read = report::scan(
        reader,
        {kEventTable,
         {"globalPid", "deviceId", "streamId", "correlationId", "eventId",
          report::column_or(reader, kEventTable, "eventSyncId", report::ScanColumn::constant(0))}},
        [&](const report::Row& row) {
          const std::int64_t process = row.integer(0);
          result.records_.push_back({process, row.integer(4), row.integer(5),
                                     calls.time_of(process, row.integer(3)), row.integer(1),
                                     row.integer(2)});
        });
    if (!read) return tl::make_unexpected(read.error());
    std::ranges::stable_sort(result.records_, [](const Record& a, const Record& b) {
      return std::tie(a.process, a.event, a.time) < std::tie(b.process, b.event, b.time);
    });
    return result;
  }

  // Returns the last record of the event before `time`.
  std::optional<StreamMoment> find(std::int64_t process, std::int64_t event,
                                   std::int64_t time) const {
    const auto after = std::ranges::partition_point(records_, [&](const Record& each) {
      return std::tie(each.process, each.event, each.time) < std::tie(process, event, time);
    });
    if (after == records_.begin()) return std::nullopt;
    const Record& found = *(after - 1);
    if (found.process != process || found.event != event) return std::nullopt;
    return StreamMoment{process, found.device, found.stream, found.time};
  }

 private:
  struct Record {
    std::int64_t process;  // globalPid
    std::int64_t event;
    std::int64_t sync;  // eventSyncId
    std::int64_t time;
    std::int64_t device;
    std::int64_t stream;
  };
  std::vector<Record> records_;  // by process, event and time
};

}  // namespace

base::Result<GpuEvents> GpuEvents::read(const report::ReportReader& reader,
                                        const HostCalls& calls) {
  GpuEvents result;
  if (!reader.has_table(kSynchronizationTable)) return result;
  const auto records = EventRecords::read(reader, calls);
  if (!records) return tl::make_unexpected(records.error());
  const base::Status read =
      report::scan(reader,
                   {kSynchronizationTable,
                    {"globalPid", "deviceId", "streamId", "correlationId", "eventId", "syncType"}},
                   [&](const report::Row& row) {
                     const std::int64_t process = row.integer(0);
                     const std::int64_t time = calls.time_of(process, row.integer(3));
                     const StreamMoment here{process, row.integer(1), row.integer(2), time};
                     const std::int64_t type = row.integer(5);
                     const auto awaited = type == kStreamWaitEvent || type == kEventSynchronize
                                              ? records->find(process, row.integer(4), time)
                                              : std::nullopt;
                     if (type == kStreamWaitEvent) {
                       if (awaited) result.stream_waits.push_back({here, *awaited});
                       return;
                     }
                     const std::uint32_t call = calls.launching(process, row.integer(3));
                     // Others, such as cudaEventQuery, do not wait.
                     if (call == kNowhere || calls.role(call) != CallRole::kGpuWait) return;
                     if (awaited) result.call_waits[call] = *awaited;
                     if (type == kStreamSynchronize) result.call_waits[call] = here;
                     if (type == kContextSynchronize)
                       result.call_waits[call] = {process, here.device, kUnknownStream, time};
                   });
  if (!read) return tl::make_unexpected(read.error());
  return result;
}

}  // namespace prof::path
