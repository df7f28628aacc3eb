#include "injection/openmp/events.hpp"

#include <atomic>

#include "injection/libraries/code_addresses.hpp"
#include "injection/libraries/recorder.hpp"

namespace prof::openmp {

namespace {

constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::kOpenMp);

std::atomic<std::uint64_t> g_parallel;
std::atomic<std::uint64_t> g_task;

}  // namespace

bool is_traced() { return prof_is_library_traced != nullptr && prof_is_library_traced(kLibrary); }

std::uint64_t next_parallel() { return g_parallel.fetch_add(1, std::memory_order_relaxed) + 1; }
std::uint64_t next_task() { return g_task.fetch_add(1, std::memory_order_relaxed) + 1; }

void begin(OpenMpEvent event, std::uint32_t aux, std::uint64_t parallel, std::uint64_t task,
           std::uint64_t object, const void* code) {
  const auto address = reinterpret_cast<std::uint64_t>(code);
  if (address != 0) libraries::announce_code(kLibrary, address);
  wire::OpenMpBeginRecord record{
      {sizeof(record), wire::RecordType::kOpenMpBegin, static_cast<std::uint8_t>(event), aux},
      0,
      parallel,
      task,
      object,
      address};
  prof_write_library_event(kLibrary, &record, sizeof record);
}

void end(OpenMpEvent event, std::uint32_t aux, std::uint64_t object) {
  wire::OpenMpEndRecord record{
      {sizeof(record), wire::RecordType::kOpenMpEnd, static_cast<std::uint8_t>(event), aux},
      0,
      object};
  prof_write_library_event(kLibrary, &record, sizeof record);
}

}  // namespace prof::openmp
