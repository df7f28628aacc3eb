#include "exporters/arrow/pages/row_plans.hpp"

#include <algorithm>
#include <cstring>

#include "exporters/arrow/pages/serial_types.hpp"

namespace prof::arrow {

RowPlan* RowPlans::find(const StoredRow& row) {
  if (row.size == 0) return nullptr;
  const std::size_t size = row.data[0];  // of the header; a larger one has a longer number
  if (size == 0 || size > RowPlan::kMostHeader || size > row.size) return nullptr;
  decltype(RowPlan::header) header;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::size_t words = (size + 7) / 8;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::memcpy(&header[i], row.data + 8 * i, 8);  // the row's padding covers the last word
    if (i + 1 == words) header[i] &= ~std::uint64_t{0} >> (64 * words - 8 * size);
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    hash = (hash ^ header[i]) * kOdd;
  }
  RowPlan& plan = plans_[hash >> 56];
  std::uint64_t different = plan.header_size ^ size;
  for (std::size_t i = 0; i < words; ++i) different |= header[i] ^ plan.header[i];
  if (different != 0) {
    plan = {};
    if (!make(row.data + 1, row.data + size, plan)) return nullptr;
    std::copy_n(header.begin(), words, plan.header.begin());
    plan.header_size = size;
    plan.size += size;
  }
  return plan.size <= row.size ? &plan : nullptr;
}

// False for rows with texts, whose forms are too many, and with what is an error.
bool RowPlans::make(const std::uint8_t* types, const std::uint8_t* end, RowPlan& plan) const {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i, types += types < end ? 1 : 0) {
    // A column that was added to the table after the row has no type.
    const std::uint64_t type = types < end ? *types : serial::kNull;
    if (type >= serial::kFirstBytes ||
        !add(columns_[i], static_cast<std::uint16_t>(i), type, offset, plan))
      return false;
    offset += serial::size_of(type);
  }
  plan.size = offset;
  return true;
}

bool RowPlans::add(const PlannedColumn& column, std::uint16_t number, std::uint64_t type,
                   std::size_t offset, RowPlan& plan) {
  if (!column.is_used) return true;
  const auto place = static_cast<std::uint16_t>(offset);
  if (type == serial::kNull && !column.is_rowid) {
    if (!column.nullable) return false;
    plan.constants.nulls.push_back({number, 0});
    plan.uniform[Uniform::kNull] |= column_set(number);
  } else if (!serial::is_integer(type) || column.width == 0) {
    plan.others.push_back({number, place, static_cast<std::uint8_t>(type)});
  } else if (type >= serial::kZero) {
    auto& constants = column.width == 8 ? plan.constants.wide : plan.constants.narrow;
    constants.push_back({number, static_cast<std::uint8_t>(type == serial::kOne)});
    plan.uniform[type == serial::kOne ? Uniform::kOne : Uniform::kZero] |= column_set(number);
  } else {
    auto& integers = column.width == 8 ? plan.wide : plan.narrow;
    integers.push_back({number, place, serial::shift_of(type)});
  }
  return true;
}

}  // namespace prof::arrow
