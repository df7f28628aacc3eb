#include "exporters/ranks/value_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "exporters/analysis/events/sums.hpp"
#include "exporters/ranks/numbers.hpp"
#include "exporters/ranks/value_bins.hpp"

namespace prof::ranks {

namespace {

using Entry = ValueTable::Entry;

__extension__ using Unsigned = unsigned __int128;

constexpr std::int64_t kMaxCount = std::int64_t{1} << 40;  // so that no sum overflows

// A lambda, because compilers do not inline calls through pointers to functions.
constexpr auto is_smaller = [](const Entry& a, const Entry& b) { return a.value < b.value; };

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

base::Result<Moments> read_moments(std::string_view& bytes) {
  const auto total = read_wide(bytes);
  const auto squares = total ? read_wide(bytes) : total;
  if (!squares) return tl::make_unexpected(squares.error());
  const auto minimum = read_number(bytes);
  const auto maximum = minimum ? read_number(bytes) : minimum;
  if (!maximum) return tl::make_unexpected(maximum.error());
  return Moments{*total, *squares, static_cast<std::int64_t>(*minimum),
                 static_cast<std::int64_t>(*maximum)};
}

bool fit(const Moments& moments, const std::vector<Entry>& bins) {
  return !bins.empty() && moments.minimum <= moments.maximum &&
         bin_of(moments.minimum) == bins.front().value &&
         bin_of(moments.maximum) == bins.back().value;
}

// The sample standard deviation, of whole numbers up to the last division: no figures cancel out.
double deviation_of(const Moments& moments, std::int64_t count) {
  if (count < 2) return 0;
  const Wide mean = moments.total / count;
  const Wide rest = moments.total % count;
  // Sum of the squared differences to the whole part of the mean.
  const Wide squares = sum(moments.squares, product(-mean, sum(moments.total, rest)));
  const auto n = static_cast<double>(count);
  const auto excess = static_cast<double>(rest);
  return std::sqrt(std::max(0.0, static_cast<double>(squares) - excess * excess / n) / (n - 1));
}

}  // namespace

Wide sum(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
}

Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
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
  if (other.entries_.empty()) return;
  if (entries_.empty()) {
    *this = other;
    return;
  }
  if (is_sketch() && !other.is_sketch()) {
    ValueTable sketch = other;
    sketch.make_sketch();
    merge(sketch);
    return;
  }
  if (other.is_sketch()) {
    make_sketch();
    moments_->total = sum(moments_->total, other.moments_->total);
    moments_->squares = sum(moments_->squares, other.moments_->squares);
    moments_->minimum = std::min(moments_->minimum, other.moments_->minimum);
    moments_->maximum = std::max(moments_->maximum, other.moments_->maximum);
  }
  merge_entries(other.entries_);
}

void ValueTable::merge_entries(const std::vector<Entry>& other) {
  std::vector<Entry> merged(entries_.size() + other.size());
  std::merge(entries_.begin(), entries_.end(), other.begin(), other.end(), merged.begin(),
             is_smaller);
  join_equal(merged);
  entries_ = std::move(merged);
}

void ValueTable::make_sketch() {
  if (is_sketch() || entries_.empty()) return;
  moments_ = moments();
  for (Entry& entry : entries_) entry.value = bin_of(entry.value);
  join_equal(entries_);
  entries_.shrink_to_fit();
}

Moments ValueTable::moments() const {
  if (moments_) return *moments_;
  Moments moments{0, 0, entries_.front().value, entries_.back().value};
  for (const Entry& entry : entries_) {
    const Wide all = Wide{entry.value} * entry.count;
    moments.total = sum(moments.total, all);
    moments.squares = sum(moments.squares, product(all, entry.value));
  }
  return moments;
}

std::int64_t ValueTable::count() const {
  std::int64_t count = 0;
  for (const Entry& entry : entries_) count = events::sum(count, entry.count);
  return count;
}

Wide ValueTable::total() const {
  if (moments_) return moments_->total;
  Wide total = 0;
  for (const Entry& entry : entries_) total = sum(total, Wide{entry.value} * entry.count);
  return total;
}

stats::Durations ValueTable::summarise() const {
  stats::Durations result;
  if (entries_.empty()) return result;
  result.count = count();
  const Moments moments = this->moments();
  const auto count = static_cast<double>(result.count);
  result.total = narrow(moments.total);
  result.average = static_cast<double>(moments.total) / count;
  result.minimum = moments.minimum;
  result.maximum = moments.maximum;
  result.deviation = deviation_of(moments, result.count);
  const std::int64_t upper = value_at(result.count / 2);
  const std::int64_t lower = value_at((result.count - 1) / 2);
  if (is_sketch()) {
    const auto figure = [&](std::int64_t bin) {
      return std::clamp(middle_of(bin), static_cast<double>(result.minimum),
                        static_cast<double>(result.maximum));
    };
    result.median = (figure(lower) + figure(upper)) / 2;
  } else {
    result.median = (static_cast<double>(lower) + static_cast<double>(upper)) / 2;
  }
  return result;
}

std::int64_t ValueTable::value_at(std::int64_t place) const {
  for (const Entry& entry : entries_) {
    if (place < entry.count) return entry.value;
    place -= entry.count;
  }
  return entries_.back().value;
}

MiddleBins ValueTable::middle_bins() const {
  const std::int64_t all = count();
  MiddleBins bins{value_at((all - 1) / 2), value_at(all / 2), (all - 1) / 2, all / 2, 0};
  for (const Entry& entry : entries_) {
    if (entry.value < bins.lower) {
      bins.lower_place -= entry.count;
      bins.upper_place -= entry.count;
    }
    if (entry.value == bins.lower || entry.value == bins.upper)
      bins.count = events::sum(bins.count, entry.count);
  }
  return bins;
}

ValueTable ValueTable::values_in(const MiddleBins& bins) const {
  ValueTable found;
  for (const Entry& entry : entries_) {
    const std::int64_t bin = bin_of(entry.value);
    if (bin == bins.lower || bin == bins.upper) found.entries_.push_back(entry);
  }
  return found;
}

void ValueTable::append_to(std::string& bytes) const {
  append_number(bytes, entries_.size() * 2 + (is_sketch() ? 1 : 0));
  if (moments_) {
    append_wide(bytes, moments_->total);
    append_wide(bytes, moments_->squares);
    append_number(bytes, static_cast<std::uint64_t>(moments_->minimum));
    append_number(bytes, static_cast<std::uint64_t>(moments_->maximum));
  }
  std::uint64_t last = 0;
  for (const Entry& entry : entries_) {
    append_number(bytes, static_cast<std::uint64_t>(entry.value) - last);
    append_number(bytes, static_cast<std::uint64_t>(entry.count));
    last = static_cast<std::uint64_t>(entry.value);
  }
}

std::size_t ValueTable::bytes_of_entries() const {
  std::size_t bytes = 0;
  std::uint64_t last = 0;
  for (const Entry& entry : entries_) {
    bytes += size_of_number(static_cast<std::uint64_t>(entry.value) - last);
    bytes += size_of_number(static_cast<std::uint64_t>(entry.count));
    last = static_cast<std::uint64_t>(entry.value);
  }
  return bytes;
}

base::Result<ValueTable> ValueTable::read_from(std::string_view& bytes) {
  const auto size = read_number(bytes);
  if (!size) return tl::make_unexpected(size.error());
  ValueTable table;
  if (*size % 2 == 1) {
    auto moments = read_moments(bytes);
    if (!moments) return tl::make_unexpected(moments.error());
    table.moments_ = *moments;
  }
  table.entries_.reserve(std::min<std::uint64_t>(*size / 2, bytes.size() / 2));
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < *size / 2; ++i) {
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
  if (table.moments_ && !fit(*table.moments_, table.entries_))
    return base::fail("a sketch of the partial result is damaged");
  return table;
}

void ValueTableSum::add(const ValueTable& table) {
  if (merged_.is_sketch() || table.is_sketch()) {
    merge_pending();
    merged_.merge(table);
    return;
  }
  const auto& entries = table.entries();
  pending_.insert(pending_.end(), entries.begin(), entries.end());
  if (pending_.size() > merged_.entries().size()) merge_pending();
}

void ValueTableSum::make_sketch() {
  merge_pending();
  merged_.make_sketch();
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
