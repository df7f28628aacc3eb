// The values of a group of events, as a sorted table of values and how often each occurs. From
// such a table all figures of a summary are exact. A table of very different values can be made a
// sketch, a table of bins (value_bins.hpp): then only the median is not exact. Tables are merged
// without loss, in any order: the bins of a sum are the sum of the bins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.hpp"
#include "exporters/analysis/stats/duration_summary.hpp"
#include "exporters/ranks/numbers.hpp"

namespace prof::ranks {

// What is exact of the values of a sketch.
struct Moments {
  Wide total = 0;
  Wide squares = 0;  // sum of the squares, modulo 2^128
  std::int64_t minimum = 0;
  std::int64_t maximum = 0;
  bool operator==(const Moments&) const = default;
};

// Where the middle two of the values of a sketch are.
struct MiddleBins {
  std::int64_t lower = 0;  // the bins; equal if both values are in one
  std::int64_t upper = 0;
  std::int64_t lower_place = 0;  // the places of the two among all values of these bins
  std::int64_t upper_place = 0;
  std::int64_t count = 0;  // number of values of these bins
};

class ValueTable {
 public:
  struct Entry {
    std::int64_t value;  // or the bin
    std::int64_t count;
    bool operator==(const Entry&) const = default;
  };

  ValueTable() = default;
  explicit ValueTable(std::vector<std::int64_t> values);
  // Takes entries whose values ascend.
  static ValueTable of_sorted(std::vector<Entry> entries);

  // Adds the values of another table. The sum is a sketch if one of the two is.
  void merge(const ValueTable& other);
  void make_sketch();

  bool is_sketch() const { return moments_.has_value(); }
  const std::vector<Entry>& entries() const { return entries_; }
  std::int64_t count() const;
  Wide total() const;
  // The total is limited to the range of its type. Floating-point figures depend on the values
  // alone, and not on the order in which they came.
  stats::Durations summarise() const;
  // Returns the value, or bin, at `place` of the sorted values.
  std::int64_t value_at(std::int64_t place) const;
  MiddleBins middle_bins() const;  // of a sketch with values
  // Returns the entries of a table of values that are in these bins.
  ValueTable values_in(const MiddleBins& bins) const;

  // Appends the table as bytes: the number of entries and whether it is a sketch, the moments of a
  // sketch, and for each entry the distance of its value to the value before it, and its count.
  void append_to(std::string& bytes) const;
  // The number of bytes of the entries. It does not become smaller when values are added.
  std::size_t bytes_of_entries() const;
  // Reads a table from the start of `bytes`, and removes it from there.
  static base::Result<ValueTable> read_from(std::string_view& bytes);

  bool operator==(const ValueTable&) const = default;

 private:
  void merge_entries(const std::vector<Entry>& other);
  Moments moments() const;

  std::vector<Entry> entries_;      // values ascend
  std::optional<Moments> moments_;  // of a sketch
};

// Merges many tables. The work for each is proportional to its size.
class ValueTableSum {
 public:
  void add(const ValueTable& table);
  void make_sketch();
  const ValueTable& table();  // of all that was added
  // The number of entries in memory, which is at least that of the table.
  std::size_t size() const { return merged_.entries().size() + pending_.size(); }

 private:
  void merge_pending();

  ValueTable merged_;
  std::vector<ValueTable::Entry> pending_;
};

// Adds and multiplies modulo 2^128, so that the order does not matter even for numbers that nobody
// measured.
Wide sum(Wide a, Wide b);
Wide product(Wide a, Wide b);

// Returns the number, limited to the range of the smaller type.
std::int64_t narrow(Wide number);

}  // namespace prof::ranks
