// Reads an Arrow stream into texts, as a program that uses the library does.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "exporters/arrow/stream.hpp"

namespace prof::test {

struct ReadColumn {
  std::string name;
  std::string format;  // with ! if it cannot be NULL
  std::vector<std::string> values;
};

struct ReadStream {
  std::vector<ReadColumn> columns;
  std::size_t batches = 0;
  std::string error;
};

inline std::string value_of(const ArrowSchema& schema, const ArrowArray& array, std::size_t row) {
  const auto* valid = static_cast<const std::uint8_t*>(array.buffers[0]);
  if (valid != nullptr && (valid[row / 8] >> (row % 8) & 1) == 0) return "NULL";
  const auto at = [&]<class T>(T) { return static_cast<const T*>(array.buffers[1])[row]; };
  if (schema.dictionary != nullptr)
    return value_of(*schema.dictionary, *array.dictionary,
                    static_cast<std::size_t>(at(std::int32_t{})));
  switch (schema.format[0]) {
    case 'b':
      return std::to_string(at(std::uint8_t{}) >> 0 & 1);
    case 'i':
      return std::to_string(at(std::int32_t{}));
    case 'I':
      return std::to_string(at(std::uint32_t{}));
    case 'l':
      return std::to_string(at(std::int64_t{}));
    case 'L':
      return std::to_string(at(std::uint64_t{}));
    case 'f':
      return fmt::format("{}", at(float{}));
    case 'g':
      return fmt::format("{}", at(double{}));
    default:
      break;
  }
  const auto* offsets = static_cast<const std::int64_t*>(array.buffers[1]) + row;
  return {static_cast<const char*>(array.buffers[2]) + offsets[0],
          static_cast<std::size_t>(offsets[1] - offsets[0])};
}

inline void add_rows(const ArrowSchema& schema, const ArrowArray& batch, ReadStream& result) {
  for (std::size_t i = 0; i < result.columns.size(); ++i)
    for (std::size_t row = 0; row < static_cast<std::size_t>(batch.length); ++row)
      result.columns[i].values.push_back(value_of(*schema.children[i], *batch.children[i], row));
}

// Reads and releases the stream.
inline ReadStream read_all(ArrowArrayStream& stream) {
  ReadStream result;
  ArrowSchema schema{};
  if (stream.get_schema(&stream, &schema) != 0) return result;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    const ArrowSchema& child = *schema.children[i];
    const bool nullable = (child.flags & ARROW_FLAG_NULLABLE) != 0;
    result.columns.push_back({child.name, child.format + std::string(nullable ? "" : "!"), {}});
  }
  for (;;) {
    ArrowArray batch{};
    if (stream.get_next(&stream, &batch) != 0) {
      result.error = stream.get_last_error(&stream);
      break;
    }
    if (batch.release == nullptr) break;
    ++result.batches;
    add_rows(schema, batch, result);
    batch.release(&batch);
  }
  schema.release(&schema);
  stream.release(&stream);
  return result;
}

inline ReadStream read_all(std::unique_ptr<arrow::RowSource> source,
                           std::size_t batch_rows = arrow::kUsualBatchRows) {
  ArrowArrayStream stream{};
  arrow::export_stream(std::move(source), batch_rows, stream);
  return read_all(stream);
}

}  // namespace prof::test
