#include "common/report/pages/stored_scan.hpp"

#include <strings.h>

#include <algorithm>

#include "common/report/pages/serial_types.hpp"

namespace prof::report {

namespace {

// True if a view of the session hides the report's table.
bool is_hidden(const ReportReader& reader, std::string_view table) {
  auto query = reader.prepare("SELECT 1 FROM temp.sqlite_master WHERE name = ? COLLATE NOCASE");
  if (!query) return true;
  query->bind(1, table);
  const auto row = query->step();
  return !row || *row;
}

StoredValue integer_value(std::int64_t value) {
  return {value, nullptr, 0, StoredValue::Kind::kInteger};
}

StoredValue value_of(std::uint64_t type, const std::uint8_t* at) {
  using Kind = StoredValue::Kind;
  if (serial::is_integer(type)) return integer_value(serial::integer_of(at, type));
  if (type == serial::kReal)
    return {static_cast<std::int64_t>(serial::first_bytes(at)), nullptr, 0, Kind::kReal};
  if (type < serial::kFirstBytes) return {};
  return {0, reinterpret_cast<const char*>(at), static_cast<std::uint32_t>(serial::size_of(type)),
          type % 2 == 0 ? Kind::kBlob : Kind::kText};
}

}  // namespace

std::optional<StoredScan> StoredScan::open(const ReportReader& reader, TableQuery query) {
  const auto is_expression = [](const ScanColumn& each) {
    return each.kind == ScanColumn::Kind::kExpression;
  };
  if (!query.rest.empty() || std::ranges::any_of(query.columns, is_expression)) return std::nullopt;
  auto cursor = PageCursor::open(reader, query.table);
  if (!cursor || cursor->has_one_page()) return std::nullopt;
  std::optional<RowWindow> window;
  if (!query.ignores_filter) {
    const auto known = reader.windows().find(query.table);
    if (known != reader.windows().end())
      window = known->second;
    else if (is_hidden(reader, query.table))
      return std::nullopt;
  }
  StoredScan scan(std::move(query), *std::move(cursor));
  scan.window_ = std::move(window);
  if (!scan.find_columns(reader)) return std::nullopt;
  return scan;
}

bool StoredScan::find_columns(const ReportReader& reader) {
  auto query = reader.prepare(
      "SELECT name, type, pk, hidden, dflt_value FROM pragma_table_xinfo(?, 'main')");
  if (!query) return false;
  query->bind(1, query_.table);
  int key_columns = 0;
  auto row = query->step();
  for (; row && *row; row = query->step()) {
    // Rows do not contain computed columns or default values.
    if (query->integer(3) != 0 || !query->is_null(4)) return false;
    stored_.emplace_back(query->text(0));
    if (query->integer(2) == 0) continue;
    ++key_columns;
    if (strcasecmp(std::string(query->text(1)).c_str(), "INTEGER") == 0)
      rowid_column_ = stored_.back();
  }
  if (!row) return false;
  if (key_columns != 1) rowid_column_.clear();
  values_.resize(of_window() + 3);
  for (std::size_t i = 0; i < query_.columns.size(); ++i)
    if (!use(query_.columns[i], i)) return false;
  const std::size_t rowids = rowids_.size();
  if (query_.condition && !use(query_.condition->column, of_condition())) return false;
  if (window_) {
    if (!use(window_->start_column, of_window()) || !use(window_->end_column, of_window() + 1))
      return false;
    if (window_->always && !use(window_->always->column, of_window() + 2)) return false;
  }
  return rowids_.size() == rowids;
}

bool StoredScan::use(const ScanColumn& column, std::size_t value) {
  const bool is_name = column.kind == ScanColumn::Kind::kName;
  if (column.value && is_name) defaults_.push_back(value);
  if (column.value && !is_name) values_[value] = integer_value(*column.value);
  return !is_name || use(column.text, value);
}

bool StoredScan::use(std::string_view column, std::size_t value) {
  const auto at = std::find(stored_.begin(), stored_.end(), column);
  if (column == rowid_column_ || (at == stored_.end() && column == "rowid")) {
    rowids_.push_back(value);
    return true;
  }
  if (at == stored_.end()) return false;
  const auto number = static_cast<std::size_t>(at - stored_.begin());
  if (number >= used_for_.size()) used_for_.resize(number + 1, kUnused);
  if (used_for_[number] == kUnused)
    used_for_[number] = static_cast<std::int16_t>(value);
  else
    copies_.push_back({static_cast<std::size_t>(used_for_[number]), value});
  return true;
}

const StoredValue* StoredScan::next() {
  StoredRow row;
  while (!is_damaged_ && cursor_.next(row)) {
    if (!decode(row)) {
      is_damaged_ = true;
      break;
    }
    for (const Copy& each : copies_) values_[each.to] = values_[each.from];
    if (!is_wanted()) continue;
    complete(row.rowid);
    return values_.data();
  }
  return nullptr;
}

bool StoredScan::decode(const StoredRow& row) {
  const auto add = [this](std::size_t column, std::uint64_t type, Form& form) {
    if (const std::int16_t value = used_for_[column]; value != kUnused)
      add_part(static_cast<std::uint16_t>(value), type, form);
    return true;
  };
  const Form* form = forms_.find(row, used_for_.size(), add);
  if (form == nullptr)
    return visit_values(row, used_for_.size(), [this](std::size_t column, auto type, auto* bytes) {
      if (const std::int16_t value = used_for_[column]; value != kUnused)
        values_[static_cast<std::size_t>(value)] = value_of(type, bytes);
      return true;
    });
  if (form->size > row.size) return false;
  const std::uint8_t* body = row.data + form->header.size;
  for (const Form::Integer& each : form->integers)
    values_[each.value] = integer_value(serial::integer_at(body + each.offset, each.shift));
  for (const Form::Real& each : form->reals)
    values_[each.value] = value_of(serial::kReal, body + each.offset);
  for (const Form::Constant& each : form->constants) values_[each.value] = each.is;
  return true;
}

void StoredScan::add_part(std::uint16_t value, std::uint64_t type, Form& form) {
  static constexpr std::uint8_t kNoBytes[8] = {};
  const auto offset = static_cast<std::uint16_t>(form.size);
  if (type == serial::kReal)
    form.reals.push_back({value, offset});
  else if (serial::size_of(type) == 0)
    form.constants.push_back({value, value_of(type, kNoBytes)});
  else
    form.integers.push_back({value, offset, serial::shift_of(type)});
}

// Adds the values that a row does not contain: rowids, and the values in place of NULL.
void StoredScan::complete(std::int64_t rowid) {
  for (const std::size_t value : rowids_) values_[value] = integer_value(rowid);
  for (const std::size_t column : defaults_)
    if (values_[column].kind == StoredValue::Kind::kNull)
      values_[column] = integer_value(*query_.columns[column].value);
}

bool StoredScan::is_wanted() const {
  if (query_.condition && !fulfils(*query_.condition, values_[of_condition()])) return false;
  return !window_ || is_in_window();
}

bool StoredScan::fulfils(const RowCondition& condition, const StoredValue& value) {
  if (value.kind == StoredValue::Kind::kNull) return false;
  const auto is_value = [&](std::int64_t number) {
    return value.kind == StoredValue::Kind::kInteger ? value.integer == number
           : value.kind == StoredValue::Kind::kReal  ? value.real() == static_cast<double>(number)
                                                     : false;
  };
  return std::ranges::any_of(condition.numbers, is_value) == condition.is_one_of;
}

// Compares as SQLite does: a text and bytes are larger than each number.
bool StoredScan::is_in_window() const {
  const RowWindow& window = *window_;
  const StoredValue& start = values_[of_window()];
  const StoredValue& own_end = values_[of_window() + 1];
  const StoredValue& end = own_end.kind == StoredValue::Kind::kNull ? start : own_end;
  using Kind = StoredValue::Kind;
  const bool begins_before = start.kind == Kind::kInteger ? start.integer <= window.end
                             : start.kind == Kind::kReal
                                 ? start.real() <= static_cast<double>(window.end)
                                 : false;
  const bool ends_after = end.kind == Kind::kInteger ? end.integer >= window.start
                          : end.kind == Kind::kReal
                              ? end.real() >= static_cast<double>(window.start)
                              : end.kind != Kind::kNull;
  if (begins_before && ends_after) return true;
  return window.always && fulfils(*window.always, values_[of_window() + 2]);
}

}  // namespace prof::report
