// The rows of a table in the memory layout of Arrow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "exporters/arrow/arrow_abi.h"
#include "exporters/arrow/column.hpp"

namespace prof::arrow {

// Uninitialized memory that begins at a multiple of 64 bytes, as Arrow recommends.
class Memory {
 public:
  std::uint8_t* data() const { return bytes_.get(); }
  std::size_t size() const { return size_; }
  // Enlarges the memory and keeps the first `kept` bytes.
  void grow(std::size_t size, std::size_t kept);

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::uint8_t[], Free> bytes_;
  std::size_t size_ = 0;
};

// The value that all rows of a column have. Such columns share their memory.
enum class Uniform : std::uint8_t { kNull, kZero, kOne };
inline constexpr std::size_t kUniforms = 3;
inline constexpr std::size_t kMaxUniformRows = 1 << 16;

// Returns the text of an id of StringIds.
using NameOf = std::function<std::string_view(std::int64_t id)>;

// The values of one column. Each add_…() appends one row. The constructor reserves memory for its
// number of rows.
class ColumnValues {
 public:
  ColumnValues(ColumnType type, std::size_t most_rows);

  // Appends an integer. Returns false if the number does not fit the type, or the type is not an
  // integer type.
  bool add_integer(std::int64_t value) {
    switch (type_) {
      case ColumnType::kInt64:
      case ColumnType::kUint64:
        put(value);
        return true;
      case ColumnType::kInt32:
        put(static_cast<std::int32_t>(value));
        return value == static_cast<std::int32_t>(value);
      case ColumnType::kUint32:
        put(static_cast<std::uint32_t>(value));
        return value == static_cast<std::int64_t>(static_cast<std::uint32_t>(value));
      default:
        return add_unusual_integer(value);
    }
  }
  bool add_real(double value);
  bool add_text(std::string_view text);
  void add_null();

  // For code that writes integers itself: it writes integer_width() bytes for each row, from
  // values() on.
  std::uint8_t* values() const { return values_.data(); }
  std::uint8_t* validity() const {
    return valid_.data();
  }  // one bit for each row; null while no row is NULL
  // Sets how many rows and NULLs were written directly.
  void set_written(std::size_t rows, std::size_t nulls) {
    rows_ = rows;
    nulls_ += nulls;
  }

  // Appends rows with this value to a column without rows. 0 and 1 are for columns of integers.
  void add_uniform(Uniform value, std::size_t rows);
  // Sets all rows of a batch, at most kMaxUniformRows, to this value without writing them.
  void set_uniform(Uniform value, std::size_t rows);

  std::size_t bytes() const { return text_size_; }  // bytes of texts
  // Moves the values to `out`, which releases them.
  void move_to(ArrowArray& out, const NameOf& name_of);

 private:
  template <class T>
  void put(T value) {
    std::memcpy(values_.data() + sizeof(T) * rows_, &value, sizeof(T));
    ++rows_;
  }
  bool add_unusual_integer(std::int64_t value);
  std::int32_t number_of(std::int64_t id);
  void add_dictionary(ArrowArray& out, const NameOf& name_of) const;
  void end_text() { put(static_cast<std::int64_t>(text_size_)); }
  void begin_validity();

  ColumnType type_;
  std::size_t rows_ =
      0;  // for texts and bytes the number of offsets, which is one more than the rows
  std::size_t most_rows_;
  std::size_t nulls_ = 0;
  Memory values_;                   // values or offsets
  Memory valid_;                    // bits; empty while no row is NULL
  std::optional<Uniform> uniform_;  // if set, the three members above are not used
  Memory text_;
  std::size_t text_size_ = 0;
  std::vector<std::int64_t> ids_;  // for names: the dictionary
  std::unordered_map<std::int64_t, std::int32_t> numbers_;
};

class Batch {
 public:
  Batch(const Schema& schema, std::size_t most_rows);

  std::size_t most_rows() const { return most_rows_; }
  std::size_t rows() const { return rows_; }
  // True if the batch is full. A batch of long texts has fewer rows.
  bool is_full() const { return rows_ >= most_rows_ || text_bytes_ >= kMaxTextBytes; }
  ColumnValues& column(std::size_t index) { return columns_[index]; }
  // Must be called after each column has got its value of the row.
  void end_row() { ++rows_; }
  // Must be called after a text.
  void count_text(std::size_t bytes) { text_bytes_ += bytes; }
  void move_to(ArrowArray& out, const NameOf& name_of);

 private:
  static constexpr std::size_t kMaxTextBytes = 4 << 20;

  std::size_t most_rows_;
  std::size_t rows_ = 0;
  std::size_t text_bytes_ = 0;
  std::vector<ColumnValues> columns_;
};

// Writes a schema in Arrow's form. `out` releases it.
void export_schema(const Schema& schema, ArrowSchema& out);

}  // namespace prof::arrow
