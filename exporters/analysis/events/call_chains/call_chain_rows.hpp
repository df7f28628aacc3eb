// Rows of a table of call chains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/report/report_reader.hpp"
#include "common/report/table_scan.hpp"

namespace prof::events {

// A row of SAMPLING_CALLCHAINS or of a similar table.
struct CallChainRow {
  std::int64_t symbol = 0;  // StringIds.id
  std::int64_t module = 0;  // StringIds.id
  std::int64_t line = 0;    // 0: unknown
  std::int64_t address = 0;
  std::uint8_t flags = 0;
  bool operator==(const CallChainRow&) const = default;

  static constexpr std::uint8_t kKernel = 1;      // kernelMode
  static constexpr std::uint8_t kUnresolved = 2;  // the symbol is not a name
  static constexpr std::uint8_t kSpecial = 4;     // specialEntry: not a frame
  static constexpr std::uint8_t kNoAddress = 8;   // as in Python frames
  static constexpr std::uint8_t kSampled = 16;    // the address is the interrupted instruction
};

// The maximum number of rows that are read of a chain. Recorded chains have up to 4,096 frames in
// prof and up to 1,024 in nsys. The limit is needed because the work for a chain can grow with the
// square of its length.
inline constexpr std::size_t kMaxChainRows = 8192;

// Returns the columns to read, with NULL for columns that the table lacks. The functions below
// expect rows with these columns.
report::ScanColumns call_chain_columns(const report::ReportReader& reader, const char* table);

inline std::int64_t chain_id(const report::Row& row) { return row.integer(0); }
inline std::int64_t chain_depth(const report::Row& row) { return row.integer(1); }
CallChainRow call_chain_row(const report::Row& row);

}  // namespace prof::events
