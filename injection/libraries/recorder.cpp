#include "injection/libraries/recorder.hpp"

#include "injection/core/record/call.hpp"
#include "injection/core/record/diagnostics.hpp"

using namespace prof;

std::uint64_t prof_begin_library_call(std::uint32_t library) {
  const bool records = core::has_feature(wire::library_feature(library)) && !core::is_dormant() &&
                       !core::is_foreign_thread() &&
                       (core::t_state.calls == core::kRecorded || !core::is_muted());
  return records ? core::now() : 0;
}

// There is no threshold, because these calls are few and all are of interest. There is no nesting
// level, because levels count OS-runtime calls only.
void prof_end_library_call(std::uint32_t function, const char* name, std::uint64_t start) {
  const std::uint64_t end = core::now();
  core::record_call({start, 0, 0}, end, {function, name}, 0);
}

void prof_library_missing(std::uint32_t library) {
  core::report(wire::DiagnosticCode::kLibraryMissing, library);
}
