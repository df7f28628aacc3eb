// Reading and writing single characters of buffered files: recorded only when the buffer has to be
// filled or emptied. Otherwise the call is a copy of one byte, and stamping it would cost several
// times that. The buffer's bounds are read without the stream's lock: they decide about stamping
// and nothing else.
#include <stdio.h>

#include "injection/core/wrap.hpp"
#include "injection/osrt/functions.hpp"

namespace {

bool has_input(const FILE* stream) { return stream->_IO_read_ptr < stream->_IO_read_end; }
// Never so of an unbuffered or line-buffered stream.
bool has_room(const FILE* stream) { return stream->_IO_write_ptr < stream->_IO_write_end; }

}  // namespace

#define OSRT_CHARACTER(symbol, name, params, args, in_memory)                      \
  PROF_REAL_SLOT(symbol, nullptr)                                                  \
  [[gnu::noinline]] static int transfer_##symbol params {                          \
    const auto real = PROF_REAL(symbol, int, params);                              \
    return ::prof::core::recorded(OSRT_FUNCTION(name), [&] { return real args; }); \
  }                                                                                \
  PROF_WRAPPER(symbol, int, params) {                                              \
    if (!(in_memory)) return transfer_##symbol args;                               \
    return PROF_REAL(symbol, int, params) args;                                    \
  }
#define OSRT_GET(symbol, name) \
  OSRT_CHARACTER(symbol, name, (FILE * stream), (stream), has_input(stream))
#define OSRT_PUT(symbol, name) \
  OSRT_CHARACTER(symbol, name, (int c, FILE* stream), (c, stream), has_room(stream))

OSRT_GET(fgetc, fgetc)
OSRT_GET(fgetc_unlocked, fgetc_unlocked)
OSRT_GET(getc, getc)
OSRT_GET(getc_unlocked, getc_unlocked)
OSRT_GET(_IO_getc, getc)
OSRT_CHARACTER(getchar, getchar, (), (), has_input(stdin))
OSRT_CHARACTER(getchar_unlocked, getchar_unlocked, (), (), has_input(stdin))
OSRT_PUT(fputc, fputc)
OSRT_PUT(fputc_unlocked, fputc_unlocked)
OSRT_PUT(putc, putc)
OSRT_PUT(putc_unlocked, putc_unlocked)
OSRT_PUT(_IO_putc, putc)
OSRT_CHARACTER(putchar, putchar, (int c), (c), has_room(stdout))
OSRT_CHARACTER(putchar_unlocked, putchar_unlocked, (int c), (c), has_room(stdout))
