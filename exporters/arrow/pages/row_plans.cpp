#include "exporters/arrow/pages/row_plans.hpp"

#include "common/report/pages/serial_types.hpp"

namespace prof::arrow {

RowPlan* RowPlans::find(const report::StoredRow& row) {
  const auto add_column = [this](std::size_t number, std::uint64_t type, RowPlan& plan) {
    return add(columns_[number], static_cast<std::uint16_t>(number), type, plan);
  };
  RowPlan* plan = plans_.find(row, columns_.size(), add_column);
  return plan != nullptr && plan->size <= row.size ? plan : nullptr;
}

// False for what is an error.
bool RowPlans::add(const PlannedColumn& column, std::uint16_t number, std::uint64_t type,
                   RowPlan& plan) {
  if (!column.is_used) return true;
  const auto place = static_cast<std::uint16_t>(plan.size);
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
