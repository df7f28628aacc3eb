// The C interface of libprof_report.so.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "exporters/arrow/number_order.hpp"
#include "exporters/arrow/partial_streams.hpp"
#include "exporters/arrow/prof_report.h"
#include "exporters/arrow/report_streams.hpp"
#include "exporters/arrow/stream.hpp"

namespace {

using prof::arrow::Source;
using prof::arrow::StreamOptions;

int fail(char** error, const std::string& message, int code) {
  if (error != nullptr) *error = strdup(message.c_str());
  return code;
}

std::vector<std::string> texts(const char* const* first, std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.emplace_back(first[i]);
  return result;
}

// Returns the options with defaults for missing ones, because the caller's options may be those of
// an older version of the library.
prof_report_options known_options(const prof_report_options* given) {
  prof_report_options options{};
  if (given != nullptr) std::memcpy(&options, given, std::min(given->size, sizeof options));
  return options;
}

// Throws std::invalid_argument for an unknown word.
prof::events::RangeOf range_of(const char* word) {
  if (word == nullptr) return prof::events::RangeOf::kBoth;
  for (const auto& [known, value] : prof::events::kWordsOfRangeOf)
    if (known == word) return value;
  throw std::invalid_argument("range_of must be launch, capture or both");
}

StreamOptions options_of(const prof_report_options* given) {
  const prof_report_options options = known_options(given);
  StreamOptions result;
  if (options.has_start != 0) result.time.start = options.start;
  if (options.has_end != 0) result.time.end = options.end;
  if (options.nvtx != nullptr) result.nvtx = options.nvtx;
  result.processes = texts(options.processes, options.process_count);
  result.columns = texts(options.columns, options.column_count);
  result.wide = texts(options.wide, options.wide_count);
  result.names = options.names != 0;
  result.range_of = range_of(options.range_of);
  return result;
}

std::size_t batch_rows(const prof_report_options* given) {
  const std::int64_t rows = known_options(given).batch_rows;
  return rows > 0 ? static_cast<std::size_t>(rows) : prof::arrow::kUsualBatchRows;
}

template <class T>
int order_of(const void* numbers, std::int64_t count) {
  const std::span all(static_cast<const T*>(numbers), static_cast<std::size_t>(count));
  return static_cast<int>(prof::arrow::order_of<T>(all));
}

// Calls `open`, and `use` with its result. No exception may leave a C function.
template <class Open, class Use>
int guarded(char** error, Open open, Use use) {
  try {
    auto result = open();
    if (!result) return fail(error, result.error().message, EINVAL);
    use(std::move(*result));
    return 0;
  } catch (const std::bad_alloc&) {
    return fail(error, "out of memory", ENOMEM);
  } catch (const std::invalid_argument& exception) {
    return fail(error, exception.what(), EINVAL);
  } catch (const std::exception& exception) {
    return fail(error, exception.what(), EIO);
  }
}

// `open` returns a source of rows.
template <class Open>
int stream(const prof_report_options* options, ArrowArrayStream* out, char** error, Open open) {
  return guarded(error, open, [&](auto source) {
    prof::arrow::export_stream(std::move(source), batch_rows(options), *out);
  });
}

}  // namespace

struct prof_report {
  prof::arrow::SharedReader reader;
};

const char* prof_report_version() { return PROF_VERSION; }

void prof_report_free(char* text) { std::free(text); }

int prof_report_check(const char* path, char** error) {
  const auto reader = prof::report::ReportReader::open(path);
  return reader ? 0 : fail(error, reader.error().message, EINVAL);
}

int prof_report_tables(const char* path, ArrowArrayStream* out, char** error) {
  return stream(nullptr, out, error, [&] { return prof::arrow::stream_tables(path); });
}

int prof_report_table(const char* path, const char* table, const prof_report_options* options,
                      ArrowArrayStream* out, char** error) {
  return stream(options, out, error,
                [&] { return prof::arrow::stream_table(path, table, options_of(options)); });
}

int prof_report_open(const char* path, prof_report** report, char** error) {
  return guarded(
      error, [&] { return prof::arrow::open_report(path); },
      [&](auto reader) { *report = new prof_report{std::move(reader)}; });
}

void prof_report_close(prof_report* report) { delete report; }

int prof_report_table_of(prof_report* report, const char* table, const prof_report_options* options,
                         ArrowArrayStream* out, char** error) {
  return stream(options, out, error, [&]() -> Source {
    const StreamOptions selection = options_of(options);
    if (selection.filters())
      return prof::base::fail("an open report has no filters; use prof_report_table()");
    return prof::arrow::stream_table(report->reader, table, selection);
  });
}

int prof_report_kernels(const char* path, const char* launched_in,
                        const prof_report_options* options, ArrowArrayStream* out, char** error) {
  return stream(options, out, error, [&] {
    return prof::arrow::stream_kernels(path, launched_in == nullptr ? "" : launched_in,
                                       options_of(options));
  });
}

int prof_report_statistic(const char* path, const char* statistic,
                          const prof_report_options* options, ArrowArrayStream* out, char** error) {
  return stream(options, out, error, [&] {
    return prof::arrow::stream_statistic(path, statistic, options_of(options));
  });
}

int prof_report_statistics(const char* path, ArrowArrayStream* out, char** error) {
  return stream(nullptr, out, error, [&] { return prof::arrow::stream_statistics(path); });
}

int prof_report_findings(const char* path, const prof_report_options* options,
                         ArrowArrayStream* out, char** error) {
  return stream(options, out, error,
                [&] { return prof::arrow::stream_findings(path, options_of(options)); });
}

int prof_report_iterations(const char* path, const char* range, const prof_report_options* options,
                           ArrowArrayStream* out, char** error) {
  return stream(options, out, error, [&] {
    return prof::arrow::stream_iterations(path, range == nullptr ? "" : range, options_of(options));
  });
}

int prof_report_partial(const char* path, const char* const* statistics, size_t count,
                        ArrowArrayStream* out, char** error) {
  return stream(nullptr, out, error,
                [&] { return prof::arrow::stream_partial(path, texts(statistics, count)); });
}

int prof_report_merge(ArrowArrayStream** partials, size_t count, ArrowArrayStream* out,
                      char** error) {
  return stream(nullptr, out, error,
                [&] { return prof::arrow::stream_merged(std::span(partials, count)); });
}

int prof_report_partial_statistic(ArrowArrayStream* partial, const char* statistic, const char* by,
                                  ArrowArrayStream* out, char** error) {
  return stream(nullptr, out, error,
                [&] { return prof::arrow::stream_merged_statistic(*partial, statistic, by); });
}

int prof_report_run_ranks(const char* const* paths, size_t count, ArrowArrayStream* out,
                          char** error) {
  return stream(nullptr, out, error,
                [&] { return prof::arrow::stream_ranks(texts(paths, count)); });
}

int prof_report_run_statistic(const char* const* paths, size_t count, const char* statistic,
                              const char* by, ArrowArrayStream* out, char** error) {
  return stream(nullptr, out, error, [&] {
    return prof::arrow::stream_run_statistic(texts(paths, count), statistic, by);
  });
}

int prof_report_run_clocks(const char* const* paths, size_t count, const char* align,
                           ArrowArrayStream* out, char** error) {
  return stream(nullptr, out, error, [&] {
    return prof::arrow::stream_run_clocks(texts(paths, count), align == nullptr ? "" : align);
  });
}

int prof_report_run_window(const char* const* paths, size_t count, const char* statistic,
                           const char* by, const char* align, const prof_report_options* options,
                           ArrowArrayStream* out, char** error) {
  return stream(options, out, error, [&] {
    return prof::arrow::stream_run_statistic(texts(paths, count), statistic, by,
                                             align == nullptr ? "" : align, options_of(options));
  });
}

int prof_report_number_order(const void* numbers, int64_t count, char format) {
  try {
    switch (format) {
      case 'i':
        return order_of<std::int32_t>(numbers, count);
      case 'I':
        return order_of<std::uint32_t>(numbers, count);
      case 'l':
        return order_of<std::int64_t>(numbers, count);
      case 'L':
        return order_of<std::uint64_t>(numbers, count);
      default:
        return -1;
    }
  } catch (const std::bad_alloc&) {
    return -1;
  }
}
