// Writes a report: a temporary SQLite file beside the output that becomes the output by one atomic
// rename. A table is created with its first row, as in nsys's lazy mode, unless all reports have
// it.
//
// Texts that are not UTF-8 are escaped (base/utf8.hpp), because readers reject them.
//
// A small report can be made in memory and written at the end. That takes fewer system calls, and a
// writer can be made before it is known what the report is called and whether it is small.
//
// After the first failure add() does nothing, and finish() returns that failure. A writer that is
// destroyed before finish() leaves no file.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <memory_resource>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/unique_fd.hpp"
#include "common/report/row_source.hpp"
#include "common/report/rows.hpp"
#include "common/report/schema.hpp"
#include "common/report/statement.hpp"

namespace prof::report {

// A value of a row in one of the small tables.
using Value = std::variant<std::nullptr_t, std::int64_t, std::string_view>;

class ReportWriter {
 public:
  // Creates the temporary file. With `overwrite`, finish() replaces an existing file; otherwise it
  // fails if there is one. `memory` is for everything that grows with the number of rows.
  static base::Result<std::unique_ptr<ReportWriter>> create(
      const std::string& path, bool overwrite,
      std::pmr::memory_resource* memory = std::pmr::get_default_resource());
  // Makes the report in memory. Call set_output() before finish().
  static base::Result<std::unique_ptr<ReportWriter>> create_in_memory();
  void set_output(const std::string& path, bool overwrite);
  ~ReportWriter();
  ReportWriter(const ReportWriter&) = delete;
  ReportWriter& operator=(const ReportWriter&) = delete;

  // Appends a row to a table with many rows. Texts must stay valid until the next flush().
  template <class Row>
  void add(const Row& row) {
    if (!is_in_window(row)) return;
    auto& rows = std::get<std::vector<Row>>(batches_);
    rows.push_back(row);
    if (rows.size() >= kBatchRows) flush_batch(rows);
  }

  // Leaves out later rows of large tables outside of the window, except names of NVTX objects.
  void set_window(std::int64_t begin, std::int64_t end) { window_ = {begin, end}; }

  // Adds a last column, `weight`, to the tables of events that can be thinned. Call it before their
  // first row.
  void set_weighted() { is_weighted_ = true; }

  // Appends a row to a small table.
  void add(const char* table, std::initializer_list<Value> values);

  // Returns the StringIds.id of a text. The text is copied.
  std::int32_t string_id(std::string_view text);

  // Writes all rows that were added.
  void flush();

  std::pmr::memory_resource* memory() const { return memory_; }

  // Calls `call` with rows() after each batch of rows.
  void on_batch(std::function<void(std::uint64_t)> call) { on_batch_ = std::move(call); }

  // The number of rows that were written to large tables.
  std::uint64_t rows() const { return rows_; }
  const base::Status& status() const { return status_; }

  // Writes the remaining rows, commits, and renames the file.
  base::Status finish();

 private:
  ReportWriter(std::string path, std::string temporary, bool overwrite,
               std::pmr::memory_resource* memory)
      : path_(std::move(path)),
        temporary_(std::move(temporary)),
        overwrite_(overwrite),
        memory_(memory) {}

  template <class Row>
  bool is_in_window(const Row& row) const {
    if constexpr (std::is_same_v<Row, NvtxRow>) {
      if (!is_event(row)) return true;
      const std::int64_t end = row.template has<&NvtxRow::end>() ? row.end : row.start;
      return row.start <= window_.end && end >= window_.begin;
    } else if constexpr (requires { row.end; }) {
      return row.start <= window_.end && row.end >= window_.begin;
    } else if constexpr (requires { row.start; }) {
      return row.start <= window_.end && row.start >= window_.begin;
    } else {
      return true;
    }
  }

  base::Status create_file();
  base::Status open_file();
  base::Status open_memory();
  base::Status set_up();
  bool ensure_table(std::string_view table);
  void create_view();
  void drop_unused_tables();
  void check(const base::Status& status);
  base::Status write_memory();
  base::Status rename_into_place();

  template <class Row>
  void flush_batch(std::vector<Row>& rows) {
    using Traits = RowTraits<Row>;
    if (rows.empty()) return;
    batch_.rows = reinterpret_cast<const std::byte*>(rows.data());
    batch_.count = rows.size();
    batch_.stride = sizeof(Row);
    batch_.columns = Traits::kColumns;
    if constexpr (requires { Traits::kHasWeight; }) {
      if (is_weighted_)
        add_weight_column(Traits::kTable);
      else
        batch_.columns = batch_.columns.first(batch_.columns.size() - 1);
    }
    if constexpr (requires { &Row::nulls; })
      batch_.nulls = detail::offset_of<Row>(&Row::nulls);
    else
      batch_.nulls = -1;
    insert_batch(Traits::kTable);
    rows.clear();
  }
  void insert_batch(const char* table);
  void add_weight_column(const char* table);

  struct {
    std::int64_t begin, end;
  } window_{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};

  static constexpr std::size_t kBatchRows = 16 * 1024;

  std::string path_;
  std::string temporary_;
  base::UniqueFd lock_;  // on the temporary file; shows that its prof lives
  bool overwrite_;
  bool in_memory_ = false;
  bool is_weighted_ = false;
  std::set<std::string, std::less<>> weighted_;  // tables with the column `weight`
  std::pmr::memory_resource* memory_;
  RowBatch batch_;
  Database database_;
  std::unordered_map<std::string, Statement> statements_;  // by SQL text
  std::set<std::string, std::less<>> tables_;  // with rows; without the tables of all reports
  std::vector<std::string_view> unused_ = tables_of_most_reports();
  // Finds texts without copying them.
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::pmr::unordered_map<std::pmr::string, std::int32_t, TextHash, std::equal_to<>> string_ids_{
      memory_};
  RowBatches batches_;
  std::uint64_t rows_ = 0;
  std::function<void(std::uint64_t)> on_batch_;
  base::Status status_;
};

}  // namespace prof::report
