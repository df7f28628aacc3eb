// A plan says once for all rows of one form where each value is and where it goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/report/pages/row_forms.hpp"
#include "common/report/pages/serial_types.hpp"
#include "exporters/arrow/batch.hpp"

namespace prof::arrow {

namespace serial = report::serial;

// The properties of a table's column that a plan needs.
struct PlannedColumn {
  bool is_used = false;
  bool nullable = true;
  bool is_rowid = false;   // NULL stands for the rowid
  std::uint8_t width = 0;  // bytes of an integer in the batch; 0: other values
};

// A set of columns: a bit for each of the first 64 columns of a table.
using ColumnSet = std::uint64_t;
constexpr ColumnSet column_set(std::size_t column) {
  return column < 64 ? ColumnSet{1} << column : 0;
}

// Columns by the value that all their rows have.
struct UniformColumns {
  std::array<ColumnSet, kUniforms> sets{};

  ColumnSet& operator[](Uniform value) { return sets[static_cast<std::size_t>(value)]; }
  ColumnSet all() const {
    ColumnSet all = 0;
    for (const ColumnSet each : sets) all |= each;
    return all;
  }
};

struct RowPlan : report::RowForm {
  struct Integer {
    std::uint16_t column;
    std::uint16_t offset;  // offset from the first value
    std::uint8_t shift;    // see serial::integer_at()
  };
  struct Constant {
    std::uint16_t column;
    std::uint8_t value;
  };
  struct Other {
    std::uint16_t column;
    std::uint16_t offset;
    std::uint8_t type;  // serial type
  };
  std::vector<Integer> wide;    // integers that become 8 bytes
  std::vector<Integer> narrow;  // integers that become 4 bytes
  struct Constants {
    std::vector<Constant> wide;    // constants of 8 bytes
    std::vector<Constant> narrow;  // constants of 4 bytes
    std::vector<Constant> nulls;
  };
  Constants constants;
  UniformColumns uniform{};  // the uniform columns among the constants
  std::vector<Other> others;
  // The constants that currently have to be written (see RowDecoder).
  Constants written;
  std::uint64_t generation = 0;
};

class RowPlans {
 public:
  void set_columns(std::vector<PlannedColumn> columns) { columns_ = std::move(columns); }
  // Returns the plan for rows of this form, or null if they have none. If there is a plan, the row
  // is complete. The pointer is valid until the next call.
  RowPlan* find(const report::StoredRow& row);

 private:
  static bool add(const PlannedColumn& column, std::uint16_t number, std::uint64_t type,
                  RowPlan& plan);

  std::vector<PlannedColumn> columns_;
  report::RowForms<RowPlan, 256> plans_;
};

}  // namespace prof::arrow
