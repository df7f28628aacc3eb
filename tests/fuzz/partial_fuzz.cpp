// Partial results of reports: reading them from bytes that anybody wrote, and merging them. The
// input makes three partial results, by calls or as bytes, which are damaged then, and limits that
// make sketches of some tables.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "exporters/ranks/partial.hpp"
#include "exporters/ranks/partial_rows.hpp"
#include "tests/fuzz/input.hpp"

using namespace prof::ranks;

namespace {

Limits g_limits;

void require(bool truth) {
  if (!truth) std::abort();
}

class Maker {
 public:
  explicit Maker(prof::fuzz::Input& input) : input_(input) {}

  Partial partial() {
    Partial result;
    for (int units = byte() % 4; units > 0; --units) {
      Unit unit{text(), {}, text(), text()};
      if (byte() % 3 != 0) unit.rank = byte() % 4;
      Sums& sums = result[unit];
      for (int count = byte() % 3; count > 0; --count) sums[text()] = sum();
    }
    return result;
  }

 private:
  std::uint8_t byte() { return input_.take<std::uint8_t>(); }
  // Few, so that partial results have some in common.
  std::string text() {
    static const char* const kTexts[] = {"", "a", "kernel<float>(int)", "\xff", "\"\\", "osrt_sum"};
    return kTexts[byte() % 6];
  }
  std::int64_t number() {
    const std::uint8_t kind = byte();
    if (kind < 200) return kind % 8;
    return kind < 230 ? input_.take<std::int16_t>() : input_.take<std::int64_t>();
  }
  Sum sum() {
    Sum result;
    result.has_estimates = byte() % 8 == 7;
    for (int groups = byte() % 4; groups > 0; --groups) {
      std::vector<std::string> labels(byte() % 3);
      for (std::string& label : labels) label = text();
      std::vector<std::int64_t> values(byte() % 12);
      for (std::int64_t& value : values) value = number();
      Values& group = result.groups[std::move(labels)];
      group.table = ValueTable(std::move(values));
      for (int totals = byte() % 3; totals > 0; --totals) group.totals.emplace_back(number());
    }
    limit(result, g_limits);
    return result;
  }

  prof::fuzz::Input& input_;
};

Partial sum_of(const Partial& a, const Partial& b) {
  Partial result = a;
  merge(result, b, g_limits);
  return result;
}

void use(const ValueTable& table) {
  table.summarise();
  if (table.is_sketch()) ValueTable({-1, 0, 1, 5}).values_in(table.middle_bins());
}

// Whatever was read can be written, and is the same when it is read again.
Partial read(const std::string& bytes) {
  auto partial = partial_of(bytes);
  if (!partial) return {};
  const auto again = partial_of(bytes_of(*partial));
  require(again && *again == *partial);
  for (const auto& [unit, sums] : *partial)
    for (const auto& [name, sum] : sums)
      for (const auto& [labels, values] : sum.groups) use(values.table);
  limit(*partial, g_limits);  // as others would have written it
  return *std::move(partial);
}

Partial next(prof::fuzz::Input& input) {
  const Partial made = Maker(input).partial();
  std::string bytes = bytes_of(made);
  const auto damages = input.take<std::uint8_t>() % 4;
  for (int i = 0; i < damages; ++i) {
    const std::size_t at = input.take<std::uint16_t>() % bytes.size();
    if (input.take<std::uint8_t>() % 4 == 0)
      bytes.insert(at, 1, static_cast<char>(input.take<std::uint8_t>()));
    else
      bytes[at] = static_cast<char>(input.take<std::uint8_t>());
  }
  Partial found = read(bytes);
  require(damages > 0 || found == made);
  return found;
}

// Rows in any order make the partial result. A label that is not UTF-8 changes once.
void check_rows(const Partial& partial) {
  Partial first, second;
  for (const PartialRow& row : rows_of(partial)) require(add_row(first, row).has_value());
  auto rows = rows_of(first);
  for (auto row = rows.rbegin(); row != rows.rend(); ++row)
    require(add_row(second, *row).has_value());
  require(first == second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  prof::fuzz::Input input(data, size);
  g_limits.bytes = input.take<std::uint8_t>();
  g_limits.values = input.take<std::uint8_t>() % std::size_t{16};
  const Partial a = next(input), b = next(input), c = next(input);
  const std::string one = bytes_of(sum_of(sum_of(a, b), c));
  require(one == bytes_of(sum_of(a, sum_of(b, c))));
  require(one == bytes_of(sum_of(c, sum_of(b, a))));
  check_rows(a);
  std::string rest = "prof partial 2\n";
  while (!input.empty()) rest += static_cast<char>(input.take<std::uint8_t>());
  read(rest);
  return 0;
}
