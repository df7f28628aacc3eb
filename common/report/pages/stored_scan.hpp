// Reads the rows of a large table in their stored form, in a third of the time that SQLite takes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/report/pages/page_cursor.hpp"
#include "common/report/pages/row_forms.hpp"
#include "common/report/table_query.hpp"

namespace prof::report {

// A value of a row.
struct StoredValue {
  enum class Kind : std::uint8_t { kNull, kInteger, kReal, kText, kBlob };
  std::int64_t integer = 0;  // of a real number: its bits
  const char* text = nullptr;
  std::uint32_t size = 0;  // bytes of the text; SQLite has at most 2^31
  Kind kind = Kind::kNull;

  double real() const {
    return kind == Kind::kReal ? std::bit_cast<double>(integer) : static_cast<double>(integer);
  }
};

class StoredScan {
 public:
  // Returns nothing if only SQLite can read the table, or if the table is too small to profit.
  static std::optional<StoredScan> open(const ReportReader& reader, TableQuery query);

  // Returns the next row that fulfils the condition. Returns null at the end, and if the file is
  // damaged. The row has a value for each column of the query, and is valid until the next call.
  const StoredValue* next();
  bool is_damaged() const { return is_damaged_ || cursor_.is_damaged(); }

 private:
  // The places of the used values in rows with the same header.
  struct Form : RowForm {
    struct Integer {
      std::uint16_t value;   // index in values_
      std::uint16_t offset;  // from the first value of the row
      std::uint8_t shift;    // see serial::integer_at()
    };
    struct Real {
      std::uint16_t value;
      std::uint16_t offset;
    };
    struct Constant {
      std::uint16_t value;
      StoredValue is;
    };
    std::vector<Integer> integers;
    std::vector<Real> reals;
    std::vector<Constant> constants;
  };
  static constexpr std::int16_t kUnused = -1;

  StoredScan(TableQuery query, PageCursor cursor)
      : query_(std::move(query)), cursor_(std::move(cursor)) {}
  bool find_columns(const ReportReader& reader);
  bool use(const ScanColumn& column, std::size_t value);
  bool use(std::string_view column, std::size_t value);
  static void add_part(std::uint16_t value, std::uint64_t type, Form& form);
  bool decode(const StoredRow& row);
  void complete(std::int64_t rowid);
  bool is_wanted() const;
  static bool fulfils(const RowCondition& condition, const StoredValue& value);
  bool is_in_window() const;
  // Indexes in values_ of what the condition and the window read.
  std::size_t of_condition() const { return query_.columns.size(); }
  std::size_t of_window() const { return query_.columns.size() + 1; }

  TableQuery query_;
  std::optional<RowWindow> window_;  // of the reader's filter
  PageCursor cursor_;
  std::vector<std::string> stored_;     // names of the table's columns
  std::string rowid_column_;            // the column that is the rowid: rows have NULL for it
  std::vector<std::int16_t> used_for_;  // value of each column, up to the last used one
  RowForms<Form, 64> forms_;
  // By column of the query; then the value of the condition; then the window's start, end and
  // condition.
  std::vector<StoredValue> values_;
  struct Copy {
    std::size_t from;
    std::size_t to;
  };
  std::vector<Copy> copies_;           // columns that the query has twice
  std::vector<std::size_t> rowids_;    // indexes of values that are the rowid
  std::vector<std::size_t> defaults_;  // columns with a value in place of NULL
  bool is_damaged_ = false;
};

}  // namespace prof::report
