#include "exporters/arrow/pages/row_plans.hpp"

#include "common/report/pages/serial_types.hpp"

namespace prof::arrow {

RowPlan* RowPlans::find(const report::StoredRow& row) {
  report::RowHeader header;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  if (!header.read(row)) return nullptr;
  RowPlan& plan = plans_[header.hash >> 56];
  if (!(plan.header == header)) {
    plan = {};
    if (!make(row.data + 1, row.data + header.size, plan)) return nullptr;
    plan.header = header;
    plan.size += header.size;
  }
  return plan.size <= row.size ? &plan : nullptr;
}

// Makes the plan for a row. Returns false for rows with texts, which have too many forms, and for
// faulty rows.
bool RowPlans::make(const std::uint8_t* types, const std::uint8_t* end, RowPlan& plan) const {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i, types += types < end ? 1 : 0) {
    // A column that was added to the table after the row was written has no type.
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
