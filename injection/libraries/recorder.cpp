#include "injection/libraries/recorder.hpp"

#include <cstring>

#include "common/wire/openmp_records.hpp"
#include "injection/core/record/call.hpp"
#include "injection/core/record/capture.hpp"
#include "injection/core/record/diagnostics.hpp"
#include "injection/core/record/record_writer.hpp"
#include "injection/core/record/strings.hpp"

using namespace prof;

namespace {

[[gnu::always_inline]] inline void append_bytes(const void* record, std::uint32_t size) {
  std::byte* place = core::begin_record_here(size);
  if (place == nullptr) return;
  std::memcpy(place, record, size);
  core::end_record(size);
}

// Copies of known size need no call. These two sizes are those of most events.
[[gnu::always_inline]] inline void append_event(const void* record, std::uint32_t size) {
  if (size == sizeof(wire::OpenMpEndRecord))
    return append_bytes(record, sizeof(wire::OpenMpEndRecord));
  if (size == sizeof(wire::OpenMpBeginRecord))
    return append_bytes(record, sizeof(wire::OpenMpBeginRecord));
  append_bytes(record, size);
}

[[gnu::always_inline]] inline bool is_recorded(std::uint32_t library) {
  return core::has_feature(wire::library_feature(library)) && !core::is_dormant() &&
         !core::is_foreign_thread() &&
         (core::t_state.calls == core::kRecorded || !core::is_muted());
}

}  // namespace

std::uint64_t prof_begin_library_call(std::uint32_t library) {
  return is_recorded(library) ? core::now() : 0;
}

bool prof_is_library_traced(std::uint32_t library) {
  return core::has_feature(wire::library_feature(library));
}

// There is no threshold, because these calls are few and all are of interest. There is no nesting
// level, because levels count OS-runtime calls only.
void prof_end_library_call(std::uint32_t function, const char* name, std::uint64_t start) {
  const std::uint64_t end = core::now();
  core::record_call({start, 0, 0}, end, {function, name}, 0);
}

std::uint64_t prof_time() { return core::now(); }

void prof_write_library_record(std::uint32_t function, const char* name, const void* record,
                               std::uint32_t size) {
  if (core::paused()) return;
  if (!core::is_named(function)) [[unlikely]]
    core::send_name({function, name});
  append_bytes(record, size);
}

void prof_write_library_definition(const void* record, std::uint32_t size) {
  append_bytes(record, size);
}

void prof_write_library_event(std::uint32_t library, void* record, std::uint32_t size) {
  if (!is_recorded(library) || core::paused()) return;
  const std::uint64_t time = core::now();
  std::memcpy(static_cast<std::byte*>(record) + sizeof(wire::RecordHeader), &time, sizeof time);
  append_event(record, size);
}

std::uint64_t prof_intern_text(const char* text) { return core::intern(text); }

std::uint64_t prof_intern_bytes(const char* text, std::size_t length) {
  return core::intern(text, length);
}

void prof_begin_frames() { core::begin_frames(); }
void prof_end_frame() { core::end_frame(); }

std::uint32_t prof_graphics_flags() { return core::g_process.config.graphics; }

void prof_report_openmp_tool(const char* library) {
  core::report(wire::DiagnosticCode::kOpenMpToolTaken, core::intern(library));
}

void prof_library_missing(std::uint32_t library) {
  core::report(wire::DiagnosticCode::kLibraryMissing, library);
}
