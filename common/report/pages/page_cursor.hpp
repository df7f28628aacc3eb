// Reads the rows of a table from the pages of a report's file (sqlite.org/fileformat2.html),
// several times as fast as SQLite's queries do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::report {

// A row in the form in which SQLite stores it. kPadding bytes after its end can be read.
struct StoredRow {
  static constexpr std::size_t kPadding = 8;
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
  std::int64_t rowid = 0;
};

// Returns a number that is stored in 1 to 9 bytes, and advances `at`. Reads no byte at or after
// `end`: if the number is longer, returns 0 and sets `at` to null.
std::uint64_t read_varint(const std::uint8_t*& at, const std::uint8_t* end);

// Visits the rows of a table in the order of their rowids. The cursor reads through SQLite's file
// object, under the lock that the reader holds. So the reader must exist as long as the cursor.
class PageCursor {
 public:
  // Returns nothing if only SQLite can read the table or the file.
  static std::optional<PageCursor> open(const ReportReader& reader, std::string_view table);

  // Returns false at the end, and if the file is damaged. The row is valid until the next call.
  bool next(StoredRow& row);
  bool is_damaged() const { return is_damaged_; }
  bool has_one_page() const { return levels_.empty(); }  // valid before the first call of next()

 private:
  struct Level {  // an interior page: the pages below it, and the next one to visit
    std::vector<std::uint32_t> children;
    std::size_t next = 0;
  };

  explicit PageCursor(sqlite3_file* file) : file_(file) {}
  bool read_header();
  bool read(void* to, std::size_t bytes, std::uint64_t offset) const;
  const std::uint8_t* load(std::uint32_t page);
  bool enter(std::uint32_t page);
  bool read_interior(const std::uint8_t* page, const std::uint8_t* header);
  bool next_leaf();
  bool read_cell(const std::uint8_t* cell, StoredRow& row);
  bool read_overflow(const std::uint8_t* local, std::size_t local_size, std::uint64_t size,
                     StoredRow& row);
  bool damaged() {
    is_damaged_ = true;
    return false;
  }

  sqlite3_file* file_;
  std::size_t page_size_ = 0;
  std::size_t usable_ = 0;  // bytes of a page without the reserved ones at its end
  std::uint32_t pages_ = 0;
  std::uint32_t visited_ = 0;

  std::vector<std::uint8_t> window_;  // adjacent pages of the file
  std::uint32_t window_first_ = 0;
  std::uint32_t window_pages_ = 0;
  std::uint32_t last_page_ = 0;

  std::vector<Level> levels_;
  const std::uint8_t* leaf_ = nullptr;
  const std::uint8_t* cells_ = nullptr;  // offsets of the leaf's cells
  std::size_t cell_ = 0;
  std::size_t cell_count_ = 0;
  std::vector<std::uint8_t> overflow_;  // contains a row that is longer than a page
  bool is_damaged_ = false;
};

}  // namespace prof::report
