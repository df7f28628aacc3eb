#include "exporters/ranks/partial.hpp"

#include <algorithm>
#include <utility>

#include "exporters/ranks/numbers.hpp"

namespace prof::ranks {

using base::Result;
using base::Status;

namespace {

// The first bytes, with the version of the format.
constexpr std::string_view kMagic = "prof partial 2\n";

// The first bytes of values without a partial result around them. In version 1 they began with the
// number of totals, which is smaller.
constexpr std::string_view kValuesMagic = "v2";

void append_values(std::string& bytes, const Values& values) {
  append_number(bytes, values.totals.size());
  for (const Wide total : values.totals) append_wide(bytes, total);
  values.table.append_to(bytes);
}

void append_sum(std::string& bytes, const Sum& sum) {
  append_number(bytes, sum.has_estimates ? 1 : 0);
  append_number(bytes, sum.groups.size());
  for (const auto& [labels, values] : sum.groups) {
    append_number(bytes, labels.size());
    for (const std::string& label : labels) append_text(bytes, label);
    append_values(bytes, values);
  }
}

// Reads the parts of a partial result. After an error all that it returns is empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  Result<Partial> partial() {
    if (!rest_.starts_with(kMagic))
      return base::fail("not a partial result of this version of prof");
    rest_.remove_prefix(kMagic.size());
    Partial partial;
    for (std::uint64_t units = number(); units > 0 && failed_.empty(); --units) {
      const Unit unit = this->unit();
      Sums& sums = partial[unit];
      for (std::uint64_t count = number(); count > 0 && failed_.empty(); --count) {
        const std::string name = text();
        sums[name] = sum();
      }
    }
    return at_end(std::move(partial));
  }

  Result<Values> values() {
    if (!rest_.starts_with(kValuesMagic))
      return base::fail("not a partial result of this version of prof");
    rest_.remove_prefix(kValuesMagic.size());
    return at_end(read_values());
  }

 private:
  template <class T>
  Result<T> at_end(T read) {
    if (failed_.empty() && !rest_.empty()) failed_ = "the partial result has bytes after its end";
    if (!failed_.empty()) return base::fail(failed_);
    return read;
  }
  template <class T>
  T or_empty(Result<T> read) {
    if (read) return *std::move(read);
    if (failed_.empty()) failed_ = read.error().message;
    return {};
  }
  std::uint64_t number() { return or_empty(read_number(rest_)); }
  std::string text() { return or_empty(read_text(rest_)); }

  Unit unit() {
    Unit unit;
    unit.job = text();
    if (number() != 0) unit.rank = static_cast<std::int64_t>(number());
    unit.node = text();
    unit.report = text();
    return unit;
  }

  Sum sum() {
    Sum sum;
    sum.has_estimates = number() != 0;
    for (std::uint64_t groups = number(); groups > 0 && failed_.empty(); --groups) {
      std::vector<std::string> labels;
      for (std::uint64_t count = number(); count > 0 && failed_.empty(); --count)
        labels.push_back(text());
      sum.groups[std::move(labels)] = read_values();
    }
    return sum;
  }

  Values read_values() {
    Values values;
    for (std::uint64_t count = number(); count > 0 && failed_.empty(); --count)
      values.totals.push_back(or_empty(read_wide(rest_)));
    values.table = or_empty(ValueTable::read_from(rest_));
    return values;
  }

  std::string_view rest_;
  std::string failed_;
};

}  // namespace

void merge(Values& into, const Values& from) {
  into.table.merge(from.table);
  into.totals.resize(std::max(into.totals.size(), from.totals.size()));
  for (std::size_t i = 0; i < from.totals.size(); ++i)
    into.totals[i] = sum(into.totals[i], from.totals[i]);
}

bool has_sketches(const Sum& sum) {
  return std::ranges::any_of(sum.groups,
                             [](const auto& group) { return group.second.table.is_sketch(); });
}

void limit(Sum& sum, const Limits& limits) {
  std::size_t bytes = 0;
  for (const auto& [labels, values] : sum.groups) bytes += values.table.bytes_of_entries();
  if (bytes <= limits.bytes && !has_sketches(sum)) return;
  for (auto& [labels, values] : sum.groups)
    if (values.table.entries().size() > limits.values) values.table.make_sketch();
}

void limit(Partial& partial, const Limits& limits) {
  for (auto& [unit, sums] : partial)
    for (auto& [name, sum] : sums) limit(sum, limits);
}

void merge(Partial& into, const Partial& from, const Limits& limits) {
  for (const auto& [unit, sums] : from) {
    Sums& targets = into[unit];  // also of a unit without statistics
    for (const auto& [name, sum] : sums) {
      const auto [target, is_new] = targets.try_emplace(name, sum);
      if (is_new) continue;
      target->second.has_estimates |= sum.has_estimates;
      for (const auto& [labels, values] : sum.groups) merge(target->second.groups[labels], values);
      limit(target->second, limits);
    }
  }
}

std::string bytes_of(const Partial& partial) {
  std::string bytes(kMagic);
  append_number(bytes, partial.size());
  for (const auto& [unit, sums] : partial) {
    append_text(bytes, unit.job);
    append_number(bytes, unit.rank ? 1 : 0);
    if (unit.rank) append_number(bytes, static_cast<std::uint64_t>(*unit.rank));
    append_text(bytes, unit.node);
    append_text(bytes, unit.report);
    append_number(bytes, sums.size());
    for (const auto& [name, sum] : sums) {
      append_text(bytes, name);
      append_sum(bytes, sum);
    }
  }
  return bytes;
}

Result<Partial> partial_of(std::string_view bytes) { return Reader(bytes).partial(); }

std::string bytes_of(const Values& values) {
  std::string bytes(kValuesMagic);
  append_values(bytes, values);
  return bytes;
}

Result<Values> values_of(std::string_view bytes) { return Reader(bytes).values(); }

}  // namespace prof::ranks
