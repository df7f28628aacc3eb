#include "exporters/arrow/pages/row_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <utility>

#include "common/report/pages/serial_types.hpp"

namespace prof::arrow {

namespace {

// Writes an integer of `width` bytes. Returns false if it does not fit.
bool write(std::uint8_t* values, std::size_t row, std::size_t width, std::int64_t value,
           std::int64_t least) {
  if (width == sizeof value) {
    std::memcpy(values + sizeof value * row, &value, sizeof value);
    return true;
  }
  const auto number = static_cast<std::uint32_t>(value);
  std::memcpy(values + sizeof number * row, &number, sizeof number);
  return static_cast<std::uint64_t>(value - least) <= UINT32_MAX;
}

}  // namespace

RowDecoder::RowDecoder(const TableColumns& columns) : columns_(columns) {
  for (std::size_t i = 0; i < columns.stored.size(); ++i) {
    const std::size_t stored = columns.stored[i];
    if (stored >= slots_.size()) slots_.resize(stored + 1);
    const Column& column = columns.schema.columns[i];
    slots_[stored] = {static_cast<std::int32_t>(i), column.nullable, columns.rowid_column == stored,
                      static_cast<std::uint8_t>(integer_width(column.type)),
                      column.type == ColumnType::kInt32 ? INT32_MIN : 0};
  }
  std::vector<PlannedColumn> planned;
  for (const Slot& slot : slots_) {
    const ColumnSet set = column_set(planned.size());
    planned.push_back({slot.column != kUnused, slot.nullable, slot.is_rowid, slot.width});
    if (slot.column == kUnused || slot.is_rowid) continue;
    if (slot.nullable) possible_[Uniform::kNull] |= set;
    if (slot.width == 0) continue;
    possible_[Uniform::kZero] |= set;
    possible_[Uniform::kOne] |= set;
  }
  plans_.set_columns(std::move(planned));
}

void RowDecoder::begin(Batch& batch) {
  batch_ = &batch;
  uniform_ = possible_;
  ++generation_;
  for (Slot& slot : slots_) {
    if (slot.column == kUnused) continue;
    const ColumnValues& values = values_of(slot);
    slot.values = values.values();
    slot.validity = values.validity();
    slot.nulls = 0;
  }
}

void RowDecoder::end() {
  const std::size_t rows = batch_->rows();
  if (rows == 0) return;
  if (rows > kMaxUniformRows) keep_uniform({});
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (const auto value = uniform_of(i))
      values_of(slot).set_uniform(*value, rows);
    else if (slot.width != 0)
      values_of(slot).set_written(rows, slot.nulls);
  }
}

std::optional<Uniform> RowDecoder::uniform_of(std::size_t number) const {
  for (std::size_t i = 0; i < kUniforms; ++i)
    if ((uniform_.sets[i] & column_set(number)) != 0) return static_cast<Uniform>(i);
  return std::nullopt;
}

// Writes the rows of the uniform columns that are not in `columns`.
void RowDecoder::keep_uniform(const UniformColumns& columns) {
  const UniformColumns before = uniform_;
  for (std::size_t i = 0; i < kUniforms; ++i) uniform_.sets[i] &= columns.sets[i];
  const ColumnSet ended = before.all() & ~uniform_.all();
  if (ended == 0) return;
  ++generation_;
  const std::size_t rows = batch_->rows();
  for (std::size_t i = 0; i < kUniforms && rows > 0; ++i)
    for (ColumnSet left = before.sets[i] & ended; left != 0; left &= left - 1) {
      Slot& slot = slots_[static_cast<std::size_t>(std::countr_zero(left))];
      values_of(slot).add_uniform(static_cast<Uniform>(i), rows);
      slot.validity = values_of(slot).validity();
    }
}

// True if all rows of a column have this value, so that it need not be written. An empty `value`
// stands for a value that Uniform does not have.
bool RowDecoder::stays_uniform(std::size_t number, std::optional<Uniform> value) {
  const ColumnSet set = column_set(number);
  if ((uniform_.all() & set) == 0) return false;
  UniformColumns kept;
  kept.sets.fill(~set);
  if (value) kept[*value] = ~ColumnSet{0};
  keep_uniform(kept);
  return value && (uniform_[*value] & set) != 0;
}

// Selects the constants that have to be written for rows of this plan.
void RowDecoder::follow(RowPlan& plan) {
  keep_uniform(plan.uniform);
  const ColumnSet uniform = uniform_.all();
  const auto select = [uniform](const auto& all, auto& written) {
    written.clear();
    std::ranges::copy_if(all, std::back_inserter(written), [uniform](const auto& each) {
      return (uniform & column_set(each.column)) == 0;
    });
  };
  select(plan.constants.wide, plan.written.wide);
  select(plan.constants.narrow, plan.written.narrow);
  select(plan.constants.nulls, plan.written.nulls);
  plan.generation = generation_;
}

bool RowDecoder::decode(const report::StoredRow& row) {
  RowPlan* plan = plans_.find(row);
  if (plan != nullptr && plan->generation != generation_) follow(*plan);
  if (plan != nullptr && write_integers(*plan, row.data + plan->header.size)) {
    if (!add_rest(*plan, row)) return false;
  } else if (!add_values(row)) {
    return false;
  }
  batch_->end_row();
  return true;
}

// Writes the values that need no further check. Returns false if a number does not fit.
bool RowDecoder::write_integers(const RowPlan& plan, const std::uint8_t* body) {
  const std::size_t row = batch_->rows();
  const auto put = [&](std::size_t column, auto value) {
    std::memcpy(slots_[column].values + sizeof value * row, &value, sizeof value);
  };
  for (const auto& each : plan.wide)
    put(each.column, serial::integer_at(body + each.offset, each.shift));
  for (const auto& each : plan.written.wide) put(each.column, std::int64_t{each.value});
  for (const auto& each : plan.written.narrow) put(each.column, std::int32_t{each.value});
  std::uint64_t above = 0;
  for (const auto& each : plan.narrow) {
    const std::int64_t value = serial::integer_at(body + each.offset, each.shift);
    above |= static_cast<std::uint64_t>(value - slots_[each.column].least) >> 32;
    put(each.column, static_cast<std::int32_t>(value));
  }
  return above == 0;
}

// Writes a NULL of an integer column that already has one.
void RowDecoder::write_null(Slot& slot) {
  const std::size_t row = batch_->rows();
  slot.validity[row / 8] &= static_cast<std::uint8_t>(~(1U << (row % 8)));
  ++slot.nulls;
  write(slot.values, row, slot.width, 0, slot.least);
}

bool RowDecoder::add_rest(const RowPlan& plan, const report::StoredRow& row) {
  for (const auto& each : plan.written.nulls) {
    Slot& slot = slots_[each.column];
    if (slot.validity != nullptr && slot.width != 0)
      write_null(slot);
    else if (!add_null(each.column, row.rowid))
      return false;
  }
  const std::uint8_t* body = row.data + plan.header.size;
  return std::all_of(plan.others.begin(), plan.others.end(), [&](const RowPlan::Other& each) {
    return add(each.column, each.type, body + each.offset, row.rowid);
  });
}

// Adds the values of any row.
bool RowDecoder::add_values(const report::StoredRow& row) {
  bool fits = true;
  const bool all = report::visit_values(
      row, slots_.size(), [&](std::size_t i, std::uint64_t type, const std::uint8_t* body) {
        return fits = slots_[i].column == kUnused || add(i, type, body, row.rowid);
      });
  return all || (fits && fail(Problem::kDamaged, {}));
}

bool RowDecoder::add(std::size_t number, std::uint64_t type, const std::uint8_t* body,
                     std::int64_t rowid) {
  if (type == serial::kNull) return add_null(number, rowid);
  if (stays_uniform(number, type == serial::kZero  ? std::optional(Uniform::kZero)
                            : type == serial::kOne ? std::optional(Uniform::kOne)
                                                   : std::nullopt))
    return true;
  const Slot& slot = slots_[number];
  ColumnValues& values = values_of(slot);
  if (serial::is_integer(type)) {
    const std::int64_t value = serial::integer_of(body, type);
    const bool fits = slot.width != 0
                          ? write(slot.values, batch_->rows(), slot.width, value, slot.least)
                          : values.add_integer(value);
    return fits || fail(Problem::kValue, slot, value);
  }
  if (type == serial::kReal)
    return values.add_real(std::bit_cast<double>(serial::first_bytes(body))) ||
           fail(Problem::kDamaged, slot);
  if (type < serial::kFirstBytes) return fail(Problem::kDamaged, slot);
  const std::size_t size = serial::size_of(type);
  batch_->count_text(size);
  return values.add_text({reinterpret_cast<const char*>(body), size}) ||
         fail(Problem::kDamaged, slot);
}

bool RowDecoder::add_null(std::size_t number, std::int64_t rowid) {
  Slot& slot = slots_[number];
  const std::size_t row = batch_->rows();
  if (slot.is_rowid && slot.width != 0)
    return write(slot.values, row, slot.width, rowid, slot.least) ||
           fail(Problem::kValue, slot, rowid);
  if (!slot.nullable) return fail(Problem::kDamaged, slot);
  if (stays_uniform(number, Uniform::kNull)) return true;
  if (slot.validity != nullptr && slot.width != 0) {
    write_null(slot);
    return true;
  }
  ColumnValues& values = values_of(slot);
  if (slot.width != 0) values.set_written(row, 0);
  values.add_null();
  slot.validity = values.validity();
  return true;
}

bool RowDecoder::fail(Problem problem, const Slot& slot, std::int64_t value) {
  problem_ = problem;
  failed_ = slot.column == kUnused ? 0 : static_cast<std::size_t>(slot.column);
  value_ = value;
  return false;
}

base::Error RowDecoder::failure(const report::ReportReader& reader) const {
  if (problem_ == Problem::kValue) return unfit_number(columns_, failed_, value_);
  return {fmt::format("{} is damaged (table {}); copy it again or record it again", reader.path(),
                      columns_.table)};
}

base::Error unfit_number(const TableColumns& columns, std::size_t column, std::int64_t value) {
  const Column& at = columns.schema.columns[column];
  return {fmt::format("{}.{} contains {}, which does not fit {}: read this column with 64 bits",
                      columns.table, at.name, value, name_of(at.type))};
}

}  // namespace prof::arrow
