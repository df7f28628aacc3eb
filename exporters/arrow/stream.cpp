#include "exporters/arrow/stream.hpp"

#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace prof::arrow {

namespace {

struct Stream {
  std::unique_ptr<RowSource> source;
  std::size_t batch_rows;
  std::string error = {};
  bool at_end = false;
};

Stream& stream_of(ArrowArrayStream* stream) { return *static_cast<Stream*>(stream->private_data); }

// Calls `action`, which returns 0 or an errno. No exception may leave a C function.
template <class Action>
int guarded(Stream& stream, Action action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    stream.error = "out of memory";
    return ENOMEM;
  } catch (const std::exception& exception) {
    stream.error = exception.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  Stream& own = stream_of(stream);
  return guarded(own, [&] {
    export_schema(own.source->schema(), *out);
    return 0;
  });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  Stream& own = stream_of(stream);
  *out = {};
  if (own.at_end) return 0;
  return guarded(own, [&] {
    Batch batch(own.source->schema(), own.batch_rows);
    const base::Status filled = own.source->fill(batch);
    if (!filled) {
      own.error = filled.error().message;
      return EIO;
    }
    own.at_end = batch.rows() == 0;
    if (!own.at_end)
      batch.move_to(*out, [&own](std::int64_t id) { return own.source->name_of(id); });
    return 0;
  });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const std::string& error = stream_of(stream).error;
  return error.empty() ? nullptr : error.c_str();
}

void release(ArrowArrayStream* stream) {
  delete static_cast<Stream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void export_stream(std::unique_ptr<RowSource> source, std::size_t batch_rows,
                   ArrowArrayStream& out) {
  out = {get_schema, get_next, get_last_error, release, new Stream{std::move(source), batch_rows}};
}

}  // namespace prof::arrow
