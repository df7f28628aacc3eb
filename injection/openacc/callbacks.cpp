#include "injection/openacc/callbacks.hpp"

#include <atomic>

#include "common/wire/openmp_records.hpp"
#include "injection/libraries/code_addresses.hpp"
#include "injection/libraries/recorder.hpp"

namespace prof::openacc {

namespace {

using wire::OpenAccEvent;

constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::kOpenAcc);

__thread std::uint64_t t_caller __attribute__((tls_model("initial-exec")));

// The runtimes that have the callbacks: copies of libgomp in one process.
constexpr std::size_t kRuntimes = 4;
std::atomic<Register> g_runtimes[kRuntimes];

OpenAccEvent event_of(const EventInfo& event) {
  switch (event.event) {
    case kDeviceInitStart:
    case kDeviceInitEnd:
      return OpenAccEvent::kDeviceInit;
    case kDeviceShutdownStart:
    case kDeviceShutdownEnd:
      return OpenAccEvent::kDeviceShutdown;
    case kCreate:
      return OpenAccEvent::kCreate;
    case kDelete:
      return OpenAccEvent::kDelete;
    case kAlloc:
      return OpenAccEvent::kAlloc;
    case kFree:
      return OpenAccEvent::kFree;
    case kEnterDataStart:
    case kEnterDataEnd:
      return OpenAccEvent::kEnterData;
    case kExitDataStart:
    case kExitDataEnd:
      return OpenAccEvent::kExitData;
    case kUpdateStart:
    case kUpdateEnd:
      return OpenAccEvent::kUpdate;
    case kComputeStart:
    case kComputeEnd:
      return OpenAccEvent::kCompute;
    case kLaunchStart:
    case kLaunchEnd:
      return OpenAccEvent::kLaunch;
    case kUploadStart:
    case kUploadEnd:
      return OpenAccEvent::kUpload;
    case kDownloadStart:
    case kDownloadEnd:
      return OpenAccEvent::kDownload;
    case kWaitStart:
    case kWaitEnd:
      return event.is_implicit != 0 ? OpenAccEvent::kImplicitWait : OpenAccEvent::kWait;
    default:
      return OpenAccEvent::kRuntimeShutdown;
  }
}

bool has_duration(std::int32_t event) {
  return event < kRuntimeShutdown || event >= kEnterDataStart;
}

// True for the begins of events with a duration, which alternate with their ends.
bool begins(std::int32_t event) {
  return event < kRuntimeShutdown ? event % 2 == 1 : event % 2 == 0;
}

std::uint64_t hash_of(const char* text) { return text == nullptr ? 0 : prof_intern_text(text); }

void set_details(wire::OpenAccRecord& record, const EventInfo& event) {
  switch (event_of(event)) {
    case OpenAccEvent::kLaunch: {
      const auto& launch = reinterpret_cast<const LaunchInfo&>(event);
      record.name = hash_of(launch.kernel);
      record.sizes[0] = launch.gangs;
      record.sizes[1] = launch.workers;
      record.sizes[2] = launch.vector_length;
      break;
    }
    case OpenAccEvent::kUpload:
    case OpenAccEvent::kDownload:
    case OpenAccEvent::kCreate:
    case OpenAccEvent::kDelete:
    case OpenAccEvent::kAlloc:
    case OpenAccEvent::kFree: {
      const auto& data = reinterpret_cast<const DataInfo&>(event);
      record.name = hash_of(data.variable);
      record.sizes[0] = data.bytes;
      break;
    }
    default:
      break;
  }
}

// `start` is 0 for a moment.
void record(const Info& info, const EventInfo& event, std::uint64_t start) {
  if (t_caller != 0) libraries::announce_code(kLibrary, t_caller);
  wire::OpenAccRecord record{
      {sizeof(record), wire::RecordType::kOpenAcc, static_cast<std::uint8_t>(event_of(event)),
       static_cast<std::uint32_t>(info.device_type)},
      0,
      start,
      t_caller,
      info.device,
      info.line,
      hash_of(info.file),
      hash_of(info.function),
      0,
      {}};
  set_details(record, event);
  prof_write_library_event(kLibrary, &record, sizeof record);
}

void on_event(Info* info, EventInfo* event, void*) {
  const std::uint64_t now = prof_begin_library_call(kLibrary);
  const bool is_moment = !has_duration(event->event);
  if (!is_moment && begins(event->event)) {
    event->tool = reinterpret_cast<void*>(now);
    return;
  }
  if (now == 0) return;
  // An event that began before the recording did is left out.
  const auto start = is_moment ? 0 : reinterpret_cast<std::uint64_t>(event->tool);
  if (is_moment || start != 0) record(*info, *event, start);
}

}  // namespace

void register_callbacks(Register add) {
  for (std::atomic<Register>& each : g_runtimes) {
    Register known = nullptr;
    if (each.compare_exchange_strong(known, add, std::memory_order_relaxed)) {
      for (std::int32_t event = kDeviceInitStart; event < kEvents; ++event)
        add(static_cast<Event>(event), on_event, 0);
      return;
    }
    if (known == add) return;
  }
}

void set_caller(const void* caller) { t_caller = reinterpret_cast<std::uint64_t>(caller); }

}  // namespace prof::openacc
