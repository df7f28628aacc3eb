// The values of a group of events, as a sorted table of values and how often each occurs. From
// such a table all figures of a summary are exact, and tables are merged without loss, in any
// order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"

namespace prof::ranks {

__extension__ using Wide = __int128;  // for sums that do not fit 64 bits

class ValueTable {
 public:
  struct Entry {
    std::int64_t value;
    std::int64_t count;
    bool operator==(const Entry&) const = default;
  };

  ValueTable() = default;
  explicit ValueTable(std::vector<std::int64_t> values);
  // Takes entries whose values ascend.
  static ValueTable of_sorted(std::vector<Entry> entries);

  // Adds the values of another table.
  void merge(const ValueTable& other);

  const std::vector<Entry>& entries() const { return entries_; }
  Wide total() const;
  // The total is limited to the range of its type. Floating-point figures depend on the values
  // alone, and not on the order in which they came.
  stats::Durations summarise() const;

  // Appends the table as bytes: the number of entries, and for each entry the distance of its value
  // to the value before it, and its count.
  void append_to(std::string& bytes) const;
  // Reads a table from the start of `bytes`, and removes it from there.
  static base::Result<ValueTable> read_from(std::string_view& bytes);

  bool operator==(const ValueTable&) const = default;

 private:
  std::vector<Entry> entries_;  // values ascend
};

// Merges many tables. The work for each is proportional to its size.
class ValueTableSum {
 public:
  void add(const ValueTable& table);
  const ValueTable& table();  // of all that was added

 private:
  void merge_pending();

  ValueTable merged_;
  std::vector<ValueTable::Entry> pending_;
};

// Adds sums modulo 2^128, so that the order does not matter even for numbers that nobody measured.
Wide sum(Wide a, Wide b);

// Returns the number, limited to the range of the smaller type.
std::int64_t narrow(Wide number);

}  // namespace prof::ranks
