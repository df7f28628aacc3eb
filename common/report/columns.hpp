// How the fields of a row struct become the columns of a table.
//
// tables.py makes such a list from the definition of each table:
//
//   template <>
//   struct RowTraits<OverheadRow> {
//     static constexpr const char* kTable = "PROFILER_OVERHEAD";
//     static constexpr auto kColumns =
//         columns<OverheadRow>(&OverheadRow::start, &OverheadRow::end, constant(0), kNullColumn);
//   };
//
// The compiler deduces the type and the offset of each field. A row type with a field `nulls` can
// leave columns out: bit i of `nulls` is set if column i is NULL. null_bits() finds these bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace prof::report {

enum class ColumnType : std::uint8_t {
  kInt64,
  kInt32,
  kUint32,
  kDouble,
  kText,
  kBlob,
  kFlag,      // a bool: 0 or 1
  kConstant,  // the same value in all rows
  kNull,      // NULL in all rows
};

// The bytes of a column that is not a text.
struct Blob {
  std::string_view bytes;
};

// A column. `at` is the offset of the value in the row struct; for kConstant it is the value
// itself.
struct Column {
  ColumnType type;
  std::int64_t at;
};

// The table and its columns, kTable and kColumns. Specialised for each row type.
template <class Row>
struct RowTraits;

template <class Value>
consteval Column constant(Value value) {
  return {ColumnType::kConstant, static_cast<std::int64_t>(value)};
}
inline constexpr Column kNullColumn{ColumnType::kNull, 0};

namespace detail {

template <class Field>
constexpr ColumnType column_type() {
  if constexpr (std::is_enum_v<Field>)
    return column_type<std::underlying_type_t<Field>>();
  else if constexpr (std::is_same_v<Field, std::int64_t>)
    return ColumnType::kInt64;
  else if constexpr (std::is_same_v<Field, std::int32_t>)
    return ColumnType::kInt32;
  else if constexpr (std::is_same_v<Field, std::uint32_t>)
    return ColumnType::kUint32;
  else if constexpr (std::is_same_v<Field, double>)
    return ColumnType::kDouble;
  else if constexpr (std::is_same_v<Field, bool>)
    return ColumnType::kFlag;
  else if constexpr (std::is_same_v<Field, Blob>)
    return ColumnType::kBlob;
  else {
    static_assert(std::is_same_v<Field, std::string_view>, "no column has this type");
    return ColumnType::kText;
  }
}

// A row and the bytes that it occupies, for comparing addresses at compile time.
template <class Row>
union Layout {
  constexpr Layout() : bytes{} {}
  constexpr ~Layout() {}
  std::byte bytes[sizeof(Row)];
  Row row;
};
template <class Row>
inline constexpr Layout<Row> kLayout{};

// Computes offsetof() for a pointer to a member, also of a base class.
template <class Row, class Owner, class Field>
constexpr std::int64_t offset_of(Field Owner::*field) {
  std::int64_t offset = 0;
  while (static_cast<const void*>(&kLayout<Row>.bytes[offset]) !=
         static_cast<const void*>(&(kLayout<Row>.row.*field)))
    ++offset;
  return offset;
}

template <class Row, class Owner, class Field>
constexpr Column to_column(Field Owner::*field) {
  return {column_type<Field>(), offset_of<Row>(field)};
}
template <class Row>
constexpr Column to_column(Column column) {
  return column;
}

template <class Row, class Field>
constexpr unsigned column_number(Field field) {
  const Column wanted = to_column<Row>(field);
  unsigned number = 0;
  while (RowTraits<Row>::kColumns[number].type != wanted.type ||
         RowTraits<Row>::kColumns[number].at != wanted.at)
    ++number;
  return number;
}

}  // namespace detail

template <class Row, class... Fields>
consteval auto columns(Fields... fields) {
  return std::array<Column, sizeof...(Fields)>{detail::to_column<Row>(fields)...};
}

// Returns the bits of these fields in `nulls`. For a field of several columns this is the bit of
// the first.
template <class Row, class... Fields>
consteval std::uint32_t null_bits(Fields... fields) {
  return ((1U << detail::column_number<Row>(fields)) | ...);
}

}  // namespace prof::report
