#include "exporters/ranks/value_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/ranks/numbers.hpp"

namespace prof::ranks {

namespace {

using Entry = ValueTable::Entry;

constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;  // so that no sum overflows

bool is_smaller(const Entry& a, const Entry& b) { return a.value < b.value; }

// Makes one entry of entries with equal values. The entries are sorted.
void join_equal(std::vector<Entry>& entries) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (kept > 0 && entries[kept - 1].value == entries[i].value)
      entries[kept - 1].count = events::sum(entries[kept - 1].count, entries[i].count);
    else
      entries[kept++] = entries[i];
  }
  entries.resize(kept);
}

// Returns the value at `place` of the sorted values.
std::int64_t value_at(const std::vector<Entry>& entries, std::int64_t place) {
  for (const Entry& entry : entries) {
    if (place < entry.count) return entry.value;
    place -= entry.count;
  }
  return entries.back().value;
}

}  // namespace

Wide sum(Wide a, Wide b) {
  __extension__ using Unsigned = unsigned __int128;
  return static_cast<Wide>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
}

std::int64_t narrow(Wide number) {
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::int64_t>(std::clamp<Wide>(number, Limits::min(), Limits::max()));
}

ValueTable::ValueTable(std::vector<std::int64_t> values) {
  std::sort(values.begin(), values.end());
  for (const std::int64_t value : values) {
    if (entries_.empty() || entries_.back().value != value) entries_.push_back({value, 0});
    ++entries_.back().count;
  }
}

ValueTable ValueTable::of_sorted(std::vector<Entry> entries) {
  ValueTable table;
  table.entries_ = std::move(entries);
  return table;
}

void ValueTable::merge(const ValueTable& other) {
  std::vector<Entry> merged(entries_.size() + other.entries_.size());
  std::merge(entries_.begin(), entries_.end(), other.entries_.begin(), other.entries_.end(),
             merged.begin(), is_smaller);
  join_equal(merged);
  entries_ = std::move(merged);
}

Wide ValueTable::total() const {
  Wide total = 0;
  for (const Entry& entry : entries_) total = sum(total, Wide{entry.value} * entry.count);
  return total;
}

stats::Durations ValueTable::summarise() const {
  stats::Durations result;
  if (entries_.empty()) return result;
  for (const Entry& entry : entries_) result.count = events::sum(result.count, entry.count);
  const Wide all = total();
  const auto count = static_cast<double>(result.count);
  result.total = narrow(all);
  result.average = static_cast<double>(all) / count;
  result.minimum = entries_.front().value;
  result.maximum = entries_.back().value;
  const auto upper = static_cast<double>(value_at(entries_, result.count / 2));
  const auto lower = static_cast<double>(value_at(entries_, (result.count - 1) / 2));
  result.median = (lower + upper) / 2;
  double squares = 0;
  for (const Entry& entry : entries_) {
    const double difference = static_cast<double>(entry.value) - result.average;
    squares += difference * difference * static_cast<double>(entry.count);
  }
  result.deviation = result.count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return result;
}

void ValueTable::append_to(std::string& bytes) const {
  append_number(bytes, entries_.size());
  std::uint64_t last = 0;
  for (const Entry& entry : entries_) {
    append_number(bytes, static_cast<std::uint64_t>(entry.value) - last);
    append_number(bytes, static_cast<std::uint64_t>(entry.count));
    last = static_cast<std::uint64_t>(entry.value);
  }
}

base::Result<ValueTable> ValueTable::read_from(std::string_view& bytes) {
  const auto size = read_number(bytes);
  if (!size) return tl::make_unexpected(size.error());
  ValueTable table;
  table.entries_.reserve(std::min<std::uint64_t>(*size, bytes.size() / 2));
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < *size; ++i) {
    const auto distance = read_number(bytes);
    const auto count = distance ? read_number(bytes) : distance;
    if (!count) return tl::make_unexpected(count.error());
    last += *distance;
    const Entry entry{static_cast<std::int64_t>(last), static_cast<std::int64_t>(*count)};
    const bool ascends = table.entries_.empty() || table.entries_.back().value < entry.value;
    if (entry.count <= 0 || entry.count > kMaxCount || !ascends)
      return base::fail("a table of the partial result is damaged");
    table.entries_.push_back(entry);
  }
  return table;
}

void ValueTableSum::add(const ValueTable& table) {
  const auto& entries = table.entries();
  pending_.insert(pending_.end(), entries.begin(), entries.end());
  if (pending_.size() > merged_.entries().size()) merge_pending();
}

const ValueTable& ValueTableSum::table() {
  merge_pending();
  return merged_;
}

void ValueTableSum::merge_pending() {
  if (pending_.empty()) return;
  std::sort(pending_.begin(), pending_.end(), is_smaller);
  join_equal(pending_);
  merged_.merge(ValueTable::of_sorted(std::move(pending_)));
  pending_.clear();
}

}  // namespace prof::ranks
