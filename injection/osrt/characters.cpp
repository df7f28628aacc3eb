// Functions that read or write single characters of buffered files. A call is recorded only when it
// fills or empties the buffer. Other calls copy one byte, and recording them would cost several
// times as much as the call. The buffer's bounds are read without the stream's lock. They only
// decide whether a call is recorded and how many bytes are reported.
//
// The bytes of a recorded call are those that went into the buffer or out of it, because the other
// calls leave no record.
#include <stdio.h>

#include "injection/core/record/wrap.hpp"
#include "injection/osrt/file_calls.hpp"
#include "injection/osrt/functions.hpp"

namespace {

using namespace prof::osrt;

bool has_input(const FILE* stream) { return stream->_IO_read_ptr < stream->_IO_read_end; }
// True if the next character fits into the buffer. Never true for an unbuffered or line-buffered
// stream.
bool has_room(const FILE* stream) { return stream->_IO_write_ptr < stream->_IO_write_end; }

std::int64_t waiting_output(const FILE* stream) {
  return stream->_IO_write_ptr - stream->_IO_write_base;
}

[[gnu::cold]] void describe_read(const FileCall& done, const FILE* stream, int result) {
  const std::int64_t more = stream->_IO_read_end - stream->_IO_read_ptr;
  done.reads(descriptor_of(stream), result == EOF ? 0 : more + 1);
}

[[gnu::cold]] void describe_written(const FileCall& done, const FILE* stream, int result,
                                    std::int64_t waited) {
  const std::int64_t gone = waited + 1 - waiting_output(stream);
  done.writes(descriptor_of(stream), result == EOF ? 0 : gone);
}

}  // namespace

#define OSRT_CHARACTER(symbol, name, params, args, in_memory, before, describe) \
  PROF_REAL_SLOT(symbol, nullptr)                                               \
  [[gnu::noinline]] static int transfer_##symbol params {                       \
    const auto real = PROF_REAL(symbol, int, params);                           \
    if (prof::core::leaves_out(OSRT_FUNCTION(name))) return real args;          \
    [[maybe_unused]] const std::int64_t waited = before;                        \
    return recorded_on_file(                                                    \
        OSRT_FUNCTION(name), [&] { return real args; },                         \
        [&](const FileCall& done, int result) { describe; });                   \
  }                                                                             \
  PROF_GATED_WRAPPER(symbol, int, params) {                                     \
    if (!(in_memory)) return transfer_##symbol args;                            \
    return PROF_REAL(symbol, int, params) args;                                 \
  }
#define OSRT_GET_FROM(symbol, name, params, args, in_memory, from) \
  OSRT_CHARACTER(symbol, name, params, args, in_memory, 0, describe_read(done, from, result))
#define OSRT_PUT_TO(symbol, name, params, args, in_memory, to)              \
  OSRT_CHARACTER(symbol, name, params, args, in_memory, waiting_output(to), \
                 describe_written(done, to, result, waited))
#define OSRT_GET(symbol, name) \
  OSRT_GET_FROM(symbol, name, (FILE * stream), (stream), has_input(stream), stream)
#define OSRT_PUT(symbol, name) \
  OSRT_PUT_TO(symbol, name, (int c, FILE* stream), (c, stream), has_room(stream), stream)

OSRT_GET(fgetc, fgetc)
OSRT_GET(fgetc_unlocked, fgetc_unlocked)
OSRT_GET(getc, getc)
OSRT_GET(getc_unlocked, getc_unlocked)
OSRT_GET(_IO_getc, getc)
OSRT_GET_FROM(getchar, getchar, (), (), has_input(stdin), stdin)
OSRT_GET_FROM(getchar_unlocked, getchar_unlocked, (), (), has_input(stdin), stdin)
OSRT_PUT(fputc, fputc)
OSRT_PUT(fputc_unlocked, fputc_unlocked)
OSRT_PUT(putc, putc)
OSRT_PUT(putc_unlocked, putc_unlocked)
OSRT_PUT(_IO_putc, putc)
OSRT_PUT_TO(putchar, putchar, (int c), (c), has_room(stdout), stdout)
OSRT_PUT_TO(putchar_unlocked, putchar_unlocked, (int c), (c), has_room(stdout), stdout)
// Inlined _unlocked functions call these two when the buffer is empty or full.
OSRT_GET_FROM(__uflow, getc_unlocked, (FILE * stream), (stream), false, stream)
OSRT_PUT_TO(__overflow, putc_unlocked, (FILE * stream, int c), (stream, c), false, stream)
