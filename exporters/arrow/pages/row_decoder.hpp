// Decodes a row as SQLite stores it into the columns of a batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/pages/page_cursor.hpp"
#include "exporters/arrow/batch.hpp"
#include "exporters/arrow/pages/row_plans.hpp"
#include "exporters/arrow/table_columns.hpp"

namespace prof::arrow {

class RowDecoder {
 public:
  explicit RowDecoder(const TableColumns& columns);

  // begin() must be called before the rows of a batch, and end() after them.
  void begin(Batch& batch);
  // Adds the row to the batch. If it returns false, failure() has the error.
  bool decode(const report::StoredRow& row);
  void end();
  base::Error failure(const report::ReportReader& reader) const;

 private:
  enum class Problem : std::uint8_t { kNone, kDamaged, kValue };
  static constexpr std::int32_t kUnused = -1;

  // A column of the table, in the order in which rows have them.
  struct Slot {
    std::int32_t column = kUnused;  // number of the column in the batch
    bool nullable = true;
    bool is_rowid = false;   // NULL stands for the rowid
    std::uint8_t width = 0;  // bytes of an integer; 0: other values
    std::int64_t least = 0;  // number of 4 bytes
    // Address of the column's integers in this batch. It makes reading all columns of millions of
    // rows fast.
    std::uint8_t* values = nullptr;
    std::uint8_t* validity = nullptr;
    std::size_t nulls = 0;
  };

  ColumnValues& values_of(const Slot& slot) {
    return batch_->column(static_cast<std::size_t>(slot.column));
  }
  void follow(RowPlan& plan);
  bool write_integers(const RowPlan& plan, const std::uint8_t* body);
  bool add_rest(const RowPlan& plan, const report::StoredRow& row);
  bool add_values(const report::StoredRow& row);
  bool add(std::size_t number, std::uint64_t type, const std::uint8_t* body, std::int64_t rowid);
  void write_null(Slot& slot);
  bool add_null(std::size_t number, std::int64_t rowid);
  bool fail(Problem problem, const Slot& slot, std::int64_t value = 0);

  void keep_uniform(const UniformColumns& columns);
  bool stays_uniform(std::size_t number, std::optional<Uniform> value);
  std::optional<Uniform> uniform_of(std::size_t number) const;

  const TableColumns& columns_;
  std::vector<Slot> slots_;  // up to the last used slot
  RowPlans plans_;
  // Columns that have had the same value in all rows of this batch, so that nothing was written for
  // them.
  UniformColumns uniform_{};
  UniformColumns possible_{};
  std::uint64_t generation_ = 0;  // changes when another column has to be written
  Batch* batch_ = nullptr;
  Problem problem_ = Problem::kNone;
  std::size_t failed_ = 0;  // column that failed
  std::int64_t value_ = 0;
};

// Returns the error for a number that does not fit the type of its column.
base::Error unfit_number(const TableColumns& columns, std::size_t column, std::int64_t value);

}  // namespace prof::arrow
