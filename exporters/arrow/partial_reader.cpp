#include "exporters/arrow/partial_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "exporters/ranks/partial_rows.hpp"

namespace prof::arrow {

using base::Status;

namespace {

// Releases a structure of Arrow's C interface.
template <class T>
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (value.release != nullptr) value.release(&value);
  }
  T value = {};
};

class HeldStream {
 public:
  explicit HeldStream(ArrowArrayStream& stream) : stream_(stream) {}
  HeldStream(const HeldStream&) = delete;
  HeldStream& operator=(const HeldStream&) = delete;
  ~HeldStream() {
    if (stream_.release != nullptr) stream_.release(&stream_);
  }

 private:
  ArrowArrayStream& stream_;
};

Status failed(ArrowArrayStream& stream) {
  const char* text = stream.get_last_error(&stream);
  return base::fail(text == nullptr ? "the stream of a partial result cannot be read" : text);
}

Status check(const ArrowSchema& schema) {
  const Schema wanted = partial_schema();
  bool is_equal = std::string_view(schema.format) == "+s" &&
                  schema.n_children == static_cast<std::int64_t>(wanted.columns.size());
  for (std::size_t i = 0; is_equal && i < wanted.columns.size(); ++i) {
    const ArrowSchema& column = *schema.children[i];
    is_equal = column.name != nullptr && column.name == wanted.columns[i].name &&
               std::string_view(column.format) == format_of(wanted.columns[i].type);
  }
  if (is_equal) return {};
  return base::fail("the columns of the stream are not those of prof_report_partial()");
}

// One row of a batch, by number of the column.
class RowOf {
 public:
  RowOf(const ArrowArray& batch, std::int64_t row) : batch_(batch), row_(row) {}

  bool is_null(std::size_t column) const {
    const auto* valid = buffer<std::uint8_t>(column, 0);
    const std::int64_t at = place(column);
    return valid != nullptr && (valid[at / 8] >> (at % 8) & 1) == 0;
  }
  std::string text(std::size_t column) const {
    if (is_null(column)) return {};
    const auto* offsets = buffer<std::int64_t>(column, 1);
    const std::int64_t begin = offsets[place(column)];
    const std::int64_t end = offsets[place(column) + 1];
    if (begin == end) return {};
    return {buffer<char>(column, 2) + begin, static_cast<std::size_t>(end - begin)};
  }
  std::int64_t integer(std::size_t column) const {
    return buffer<std::int64_t>(column, 1)[place(column)];
  }

 private:
  const ArrowArray& array(std::size_t column) const { return *batch_.children[column]; }
  template <class T>
  const T* buffer(std::size_t column, std::size_t index) const {
    return static_cast<const T*>(array(column).buffers[index]);
  }
  std::int64_t place(std::size_t column) const {
    return batch_.offset + array(column).offset + row_;
  }

  const ArrowArray& batch_;
  std::int64_t row_;
};

ranks::PartialRow row_of(const RowOf& row) {
  ranks::PartialRow result;
  std::size_t column = 0;
  result.unit.job = row.text(column++);
  if (!row.is_null(column)) result.unit.rank = row.integer(column);
  ++column;
  result.unit.node = row.text(column++);
  result.unit.report = row.text(column++);
  result.statistic = row.text(column++);
  result.has_estimates = row.integer(column++) != 0;
  if (!row.is_null(column)) result.labels = row.text(column);
  ++column;
  result.values = row.text(column);
  return result;
}

}  // namespace

Schema partial_schema() {
  return {{{"job", ColumnType::kText},
           {"rank", ColumnType::kInt64},
           {"node", ColumnType::kText},
           {"report", ColumnType::kText},
           {"statistic", ColumnType::kText},
           {"has_estimates", ColumnType::kInt64},
           {"labels", ColumnType::kText},
           {"values", ColumnType::kBytes}},
          {{"table_name", "partial"}}};
}

Status read_partial(ArrowArrayStream& stream, ranks::Partial& partial) {
  const HeldStream held(stream);
  Held<ArrowSchema> schema;
  if (stream.get_schema(&stream, &schema.value) != 0) return failed(stream);
  if (const Status same = check(schema.value); !same) return same;
  for (;;) {
    Held<ArrowArray> batch;
    if (stream.get_next(&stream, &batch.value) != 0) return failed(stream);
    if (batch.value.release == nullptr) return {};
    for (std::int64_t row = 0; row < batch.value.length; ++row)
      if (const Status added = add_row(partial, row_of({batch.value, row})); !added) return added;
  }
}

}  // namespace prof::arrow
