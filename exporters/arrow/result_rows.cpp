#include "exporters/arrow/result_rows.hpp"

#include <utility>
#include <variant>

namespace prof::arrow {

namespace {

ColumnType type_of(tables::CellKind kind) {
  switch (kind) {
    case tables::CellKind::kInteger:
      return ColumnType::kInt64;
    case tables::CellKind::kReal:
      return ColumnType::kDouble;
    case tables::CellKind::kText:
      break;
  }
  return ColumnType::kText;
}

bool add(const tables::Cell& cell, ColumnValues& values, Batch& batch) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return values.add_integer(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return values.add_real(*real);
  if (const auto* text = std::get_if<tables::Text>(&cell)) {
    batch.count_text(text->view().size());
    return values.add_text(text->view());
  }
  values.add_null();
  return true;
}

class ResultRows final : public RowSource {
 public:
  ResultRows(tables::Table table, Schema schema)
      : table_(std::move(table)), schema_(std::move(schema)) {}

  const Schema& schema() const override { return schema_; }

  base::Status fill(Batch& batch) override {
    for (; next_ < table_.rows.size() && !batch.is_full(); ++next_) {
      const std::vector<tables::Cell>& row = table_.rows[next_];
      for (std::size_t i = 0; i < schema_.columns.size(); ++i)
        if (!add(row[i], batch.column(i), batch))
          return base::fail("column " + schema_.columns[i].name + " has a value of another type");
      batch.end_row();
    }
    return {};
  }

 private:
  tables::Table table_;
  Schema schema_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> result_rows(tables::Table table, const std::string& name,
                                       const std::string& title) {
  Schema schema;
  schema.metadata.emplace_back("table_name", name);
  if (!title.empty()) schema.metadata.emplace_back("table_desc", title);
  for (const tables::ColumnSpec& column : table.columns)
    schema.columns.push_back({column.header, type_of(column.kind)});
  return std::make_unique<ResultRows>(std::move(table), std::move(schema));
}

}  // namespace prof::arrow
