// The rows of a table usually have only a few different forms. Rows of one form have the same types
// of values, so the same sizes and places. The result of decoding one row's header is used again
// for other rows.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "common/report/pages/page_cursor.hpp"
#include "common/report/pages/serial_types.hpp"

namespace prof::report {

// The first part of a stored row, with the types of its values.
struct RowHeader {
  static constexpr std::size_t kMaxBytes = 64;
  std::array<std::uint64_t, kMaxBytes / 8> words;  // unused words have no value
  std::size_t size = 0;                            // bytes; 0: no header
  std::uint64_t hash = 0;

  // Reads the header of the row. Returns false if it is longer, or missing.
  bool read(const StoredRow& row) {
    if (row.size == 0) return false;
    size = row.data[0];  // a larger size is a longer number
    if (size == 0 || size > kMaxBytes || size > row.size) return false;
    hash = 0;
    for (std::size_t i = 0; i < words_of(size); ++i) {
      words[i] = word(row, i);
      constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
      hash = (hash ^ words[i]) * kOdd;
    }
    return true;
  }

  // True if the row has this header.
  bool is_of(const StoredRow& row) const {
    if (row.size < size || row.data[0] != size) return false;
    std::uint64_t different = 0;
    for (std::size_t i = 0; i < words_of(size); ++i) different |= word(row, i) ^ words[i];
    return different == 0;
  }

  bool operator==(const RowHeader& other) const {
    std::uint64_t different = size ^ other.size;
    for (std::size_t i = 0; i < words_of(size); ++i) different |= words[i] ^ other.words[i];
    return different == 0;
  }

 private:
  static std::size_t words_of(std::size_t bytes) { return (bytes + 7) / 8; }
  std::uint64_t word(const StoredRow& row, std::size_t index) const {
    std::uint64_t word = 0;
    std::memcpy(&word, row.data + 8 * index, 8);  // the row's padding covers the last word
    const std::size_t end = 8 * (index + 1);
    return end <= size ? word : word & (~std::uint64_t{0} >> 8 * (end - size));
  }
};

// What all forms have. A reader adds where it finds the values of its columns.
struct RowForm {
  RowHeader header{};    // an empty header: the form is not set
  std::size_t size = 0;  // bytes of such a row, up to its last used value
};

template <class Form, std::size_t kForms>
class RowForms {
 public:
  // Returns the form of the row. A new form is made: `add(column, type, form)` is called for each
  // of the first `columns` columns, whose value is at form.size from the row's first value on.
  // Returns null if add() returns false, and for rows with texts, which have too many different
  // forms. The row can be shorter than its form if the file is damaged. Valid until the next call.
  template <class Add>
  Form* find(const StoredRow& row, std::size_t columns, Add add) {
    if (last_ != nullptr && last_->header.is_of(row)) return last_;
    RowHeader header;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    if (!header.read(row)) return nullptr;
    Form& form = forms_[header.hash >> (64 - std::countr_zero(kForms))];
    if (!(form.header == header)) {
      const std::uint8_t* types = row.data + 1;
      const std::uint8_t* const end = row.data + header.size;
      if (has_text(types, end, columns)) return nullptr;
      Form made;
      for (std::size_t i = 0; i < columns; ++i) {
        // A column that was added to the table after the row has no type.
        const std::uint64_t type = types < end ? *types++ : serial::kNull;
        if (!add(i, type, made)) return nullptr;
        made.size += serial::size_of(type);
      }
      made.header = header;
      made.size += header.size;
      form = std::move(made);
    }
    return last_ = &form;
  }

 private:
  // True if one of the first `columns` types is that of a text or of bytes. Types above 127 take
  // several bytes, all of types of texts.
  static bool has_text(const std::uint8_t* types, const std::uint8_t* end, std::size_t columns) {
    const auto count = std::min(columns, static_cast<std::size_t>(end - types));
    return std::any_of(types, types + count,
                       [](std::uint8_t type) { return type >= serial::kFirstBytes; });
  }

  std::vector<Form> forms_{kForms};  // by hash of the header
  Form* last_ = nullptr;
};

// Calls `visit(column, type, bytes)` for the first `columns` values of any row, until it returns
// false. False then, and if the row is damaged.
template <class Visit>
bool visit_values(const StoredRow& row, std::size_t columns, Visit visit) {
  const std::uint8_t* const end = row.data + row.size;
  const std::uint8_t* types = row.data;
  const std::uint64_t header_size = read_varint(types, end);
  if (types == nullptr || header_size > row.size) return false;
  const std::uint8_t* const types_end = row.data + header_size;
  const std::uint8_t* body = types_end;
  for (std::size_t i = 0; i < columns; ++i) {
    std::uint64_t type = serial::kNull;
    if (types < types_end) type = *types < 0x80 ? *types++ : read_varint(types, types_end);
    if (types == nullptr || serial::size_of(type) > static_cast<std::size_t>(end - body))
      return false;
    if (!visit(i, type, body)) return false;
    body += serial::size_of(type);
  }
  return true;
}

}  // namespace prof::report
