#include "exporters/arrow/row_decoder.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

namespace prof::arrow {

namespace {

// Serial types of the file format: how a row says what a value is. 0: NULL. 1 to 6: integers of 1,
// 2, 3, 4, 6 and 8 bytes. 7: a real number. 8, 9: the numbers 0 and 1. From 12 on: bytes and texts.
constexpr std::uint64_t kNull = 0;
constexpr std::uint64_t kReal = 7;
constexpr std::uint64_t kOne = 9;
constexpr std::uint64_t kFirstBytes = 12;
constexpr std::array<std::uint8_t, kFirstBytes> kSizes{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};

constexpr std::size_t size_of(std::uint64_t type) {
  return type < kFirstBytes ? kSizes[type] : (type - kFirstBytes) / 2;
}

constexpr bool is_integer(std::uint64_t type) {
  return type <= kOne && type != kNull && type != kReal;
}

// Reads 8 bytes. Rows have padding for that.
std::uint64_t first_bytes(const std::uint8_t* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  static_assert(std::endian::native == std::endian::little);
  return __builtin_bswap64(word);
}

// What a type of one byte says. An integer comes from the 8 bytes at its place without a branch,
// because the sizes of integers vary from row to row.
struct TypeForm {
  bool is_integer = false;
  std::uint8_t size = 0;
  std::uint8_t shift = 63;
  std::int8_t mask = 0;  // -1, or 0 for a constant
  std::int8_t constant = 0;
};
constexpr std::size_t kOneByteTypes = 128;
constexpr std::array<TypeForm, kOneByteTypes> make_forms() {
  std::array<TypeForm, kOneByteTypes> forms{};
  for (std::size_t type = 0; type < kOneByteTypes; ++type) {
    TypeForm& form = forms[type];
    form.size = static_cast<std::uint8_t>(size_of(type));
    form.is_integer = is_integer(type);
    form.constant = type == kOne ? 1 : 0;
    if (!form.is_integer || form.size == 0) continue;
    form.shift = static_cast<std::uint8_t>(64 - 8 * form.size);
    form.mask = -1;
  }
  return forms;
}
constexpr std::array<TypeForm, kOneByteTypes> kForms = make_forms();

std::int64_t integer_at(const std::uint8_t* at, const TypeForm& form) {
  return ((static_cast<std::int64_t>(first_bytes(at)) >> form.shift) & form.mask) | form.constant;
}

// Writes an integer of `width` bytes. False if it does not fit them.
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
    slots_[stored] = {static_cast<std::int32_t>(i), columns.schema.columns[i].nullable,
                      columns.rowid_column == stored};
  }
}

void RowDecoder::begin(Batch& batch) {
  batch_ = &batch;
  for (Slot& slot : slots_) {
    if (slot.column == kUnused) continue;
    const ColumnValues& values = batch.column(static_cast<std::size_t>(slot.column));
    slot.width = static_cast<std::uint8_t>(values.integer_width());
    slot.least = values.type() == ColumnType::kInt32 ? INT32_MIN : 0;
    slot.values = values.values();
    slot.validity = values.validity();
    slot.nulls = 0;
  }
}

void RowDecoder::end() {
  for (const Slot& slot : slots_)
    if (slot.width != 0)
      batch_->column(static_cast<std::size_t>(slot.column)).set_written(batch_->rows(), slot.nulls);
}

bool RowDecoder::decode(const StoredRow& row) {
  const std::uint8_t* const end = row.data + row.size;
  const std::uint8_t* next = row.data;  // the others stay in registers
  const std::uint64_t header_size = read_varint(next, end);
  const std::uint8_t* types = next;
  if (types == nullptr || header_size > row.size) return fail(Problem::kDamaged, {});
  const std::uint8_t* const types_end = row.data + header_size;
  const std::uint8_t* body = types_end;
  const std::size_t at = batch_->rows();
  for (Slot& slot : slots_) {
    if (types < types_end && *types < kOneByteTypes) {
      const TypeForm& form = kForms[*types];
      if (form.is_integer && slot.width != 0) {
        if (form.size > static_cast<std::size_t>(end - body)) return fail(Problem::kDamaged, {});
        const std::int64_t value = integer_at(body, form);
        if (!write(slot.values, at, slot.width, value, slot.least))
          return fail(Problem::kValue, slot, value);
        ++types;
        body += form.size;
        continue;
      }
    }
    // A column that was added to the table after the row has no type.
    next = types;
    const std::uint64_t type = types < types_end ? read_varint(next, types_end) : kNull;
    types = next;
    if (types == nullptr || size_of(type) > static_cast<std::size_t>(end - body))
      return fail(Problem::kDamaged, {});
    if (slot.column != kUnused && !add(slot, type, body, row.rowid)) return false;
    body += size_of(type);
  }
  batch_->end_row();
  return true;
}

bool RowDecoder::add(Slot& slot, std::uint64_t type, const std::uint8_t* body, std::int64_t rowid) {
  if (type == kNull) return add_null(slot, rowid);
  ColumnValues& values = batch_->column(static_cast<std::size_t>(slot.column));
  if (is_integer(type)) {
    const std::int64_t value = integer_at(body, kForms[type]);
    return values.add_integer(value) || fail(Problem::kValue, slot, value);
  }
  if (type == kReal)
    return values.add_real(std::bit_cast<double>(first_bytes(body))) ||
           fail(Problem::kDamaged, slot);
  if (type < kFirstBytes) return fail(Problem::kDamaged, slot);
  batch_->count_text(size_of(type));
  return values.add_text({reinterpret_cast<const char*>(body), size_of(type)}) ||
         fail(Problem::kDamaged, slot);
}

bool RowDecoder::add_null(Slot& slot, std::int64_t rowid) {
  const std::size_t row = batch_->rows();
  if (slot.is_rowid && slot.width != 0)
    return write(slot.values, row, slot.width, rowid, slot.least) ||
           fail(Problem::kValue, slot, rowid);
  if (!slot.nullable) return fail(Problem::kDamaged, slot);
  if (slot.validity != nullptr && slot.width != 0) {
    slot.validity[row / 8] &= static_cast<std::uint8_t>(~(1U << (row % 8)));
    ++slot.nulls;
    write(slot.values, row, slot.width, 0, slot.least);
    return true;
  }
  ColumnValues& values = batch_->column(static_cast<std::size_t>(slot.column));
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
