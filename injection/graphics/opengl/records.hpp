// Writes the records of OpenGL.
#pragma once

#include "common/wire/opengl_records.hpp"
#include "injection/graphics/opengl/functions.hpp"
#include "injection/libraries/recorder.hpp"

namespace prof::opengl {

inline constexpr auto kLibrary = static_cast<std::uint32_t>(wire::Library::kOpenGl);

constexpr std::uint32_t id_of(Index function) {
  return wire::kLibraryFunctions + kLibrary * wire::kFunctionsPerLibrary + function;
}

// Completes the header and writes the record. `function` has to be named by it.
template <class Record>
void write(wire::RecordType type, Index function, Record& record, std::uint8_t flags,
           std::uint32_t aux) {
  record.header = {static_cast<std::uint16_t>(sizeof record), type, flags, aux};
  prof_write_library_record(id_of(function), kFunctions[function].name, &record, sizeof record);
}

inline void write_call(Index function, wire::OpenGlCallRecord record) {
  write(wire::RecordType::kOpenGlCall, function, record, 0, id_of(function));
}

inline void write_workload(std::uint32_t function, wire::OpenGlWorkloadRecord record) {
  const auto first = static_cast<Index>(function);
  write(wire::RecordType::kOpenGlWorkload, first, record, 0, id_of(first));
}

inline void write_gpu_group(wire::OpenGlGpuGroupRecord record) {
  write(wire::RecordType::kOpenGlGpuGroup, k_glPushDebugGroup, record, 0, 0);
}

inline void write_group(Index function, wire::OpenGlGroup what, std::uint32_t source,
                        wire::OpenGlGroupRecord record) {
  write(wire::RecordType::kOpenGlGroup, function, record, static_cast<std::uint8_t>(what), source);
}

}  // namespace prof::opengl
