// The functions of libprof_inject.so that the preload libraries of this folder use. They use no
// other part of it. So thread state, arena, capture ranges and forks work as for OS-runtime calls.
#pragma once

#include <cstddef>
#include <cstdint>

// These are weak in a preload library. If libprof_inject.so is not loaded they are null, and the
// library only forwards calls.
#ifdef PROF_LIBRARY
#define PROF_RECORDER extern "C" __attribute__((visibility("default"), weak))
#else
#define PROF_RECORDER extern "C" __attribute__((visibility("default")))
#endif

// Returns the current time if a call of this wire::Library that starts now is to be recorded, else
// 0.
PROF_RECORDER std::uint64_t prof_begin_library_call(std::uint32_t library);

// Records the call that started at `start`. `function` is its id on the wire.
PROF_RECORDER void prof_end_library_call(std::uint32_t function, const char* name,
                                         std::uint64_t start);

// Returns the current time on the session's clock.
PROF_RECORDER std::uint64_t prof_time();

// Writes a record of a call that prof_begin_library_call() has accepted. Its size is that in its
// header.
PROF_RECORDER void prof_write_library_record(std::uint32_t function, const char* name,
                                             const void* record, std::uint32_t size);

// Writes a record that describes something to which later calls refer, also outside of capture
// ranges.
PROF_RECORDER void prof_write_library_definition(const void* record, std::uint32_t size);

// True if the session traces the wire::Library, also if nothing is recorded now.
PROF_RECORDER bool prof_is_library_traced(std::uint32_t library);

// Writes a record of what the library does now, if that is to be recorded. The 64 bits after its
// header become the current time.
PROF_RECORDER void prof_write_library_event(std::uint32_t library, void* record,
                                            std::uint32_t size);

// Returns the hash of a text. The collector knows the text from then on.
PROF_RECORDER std::uint64_t prof_intern_text(const char* text);
PROF_RECORDER std::uint64_t prof_intern_bytes(const char* text, std::size_t length);

// The process has got a graphics context, or has shown a frame. They begin and end capture ranges.
PROF_RECORDER void prof_begin_frames();
PROF_RECORDER void prof_end_frame();

// Returns Reply::graphics: bits wire::kGraphics...
PROF_RECORDER std::uint32_t prof_graphics_flags();

// Reports that OpenMP is not traced, because its runtime has another tool: this library.
PROF_RECORDER void prof_report_openmp_tool(const char* library);

// Reports that a function of the library was not found anywhere.
PROF_RECORDER void prof_library_missing(std::uint32_t library);
