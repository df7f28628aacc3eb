#include "exporters/arrow/table_rows.hpp"

#include <fmt/format.h>

#include <utility>

#include "common/report/pages/page_cursor.hpp"
#include "common/report/table_scan.hpp"
#include "exporters/analysis/events/strings.hpp"
#include "exporters/arrow/pages/row_decoder.hpp"

namespace prof::arrow {

namespace {

class PagedRows final : public RowSource {
 public:
  PagedRows(SharedReader reader, TableColumns columns, report::PageCursor cursor)
      : reader_(std::move(reader)),
        columns_(std::move(columns)),
        cursor_(std::move(cursor)),
        decoder_(columns_),
        strings_(*reader_) {}

  const Schema& schema() const override { return columns_.schema; }
  std::string_view name_of(std::int64_t id) override { return strings_.text(id); }

  base::Status fill(Batch& batch) override {
    report::StoredRow row;
    decoder_.begin(batch);
    while (!batch.is_full() && cursor_.next(row))
      if (!decoder_.decode(row)) return tl::make_unexpected(decoder_.failure(*reader_));
    decoder_.end();
    if (cursor_.is_damaged())
      return base::fail(reader_->path() + " is damaged (table " + columns_.table +
                        "); copy it again or record it again");
    if (batch.rows() == 0) return reader_->finish();
    return {};
  }

 private:
  SharedReader reader_;
  TableColumns columns_;
  report::PageCursor cursor_;
  RowDecoder decoder_;
  events::Strings strings_;
};

class QueriedRows final : public RowSource {
 public:
  QueriedRows(SharedReader reader, TableColumns columns, report::Statement query)
      : reader_(std::move(reader)),
        columns_(std::move(columns)),
        query_(std::move(query)),
        strings_(*reader_) {}

  const Schema& schema() const override { return columns_.schema; }
  std::string_view name_of(std::int64_t id) override { return strings_.text(id); }

  base::Status fill(Batch& batch) override {
    while (!batch.is_full() && !at_end_) {
      const auto row = query_.step();
      if (!row) return tl::make_unexpected(reader_->last_error());
      at_end_ = !*row;
      if (at_end_) return batch.rows() == 0 ? reader_->finish() : base::Status();
      for (std::size_t i = 0; i < columns_.schema.columns.size(); ++i)
        if (const base::Status added = add(i, batch); !added) return added;
      batch.end_row();
    }
    return {};
  }

 private:
  base::Status add(std::size_t index, Batch& batch) {
    ColumnValues& values = batch.column(index);
    const auto column = static_cast<int>(index);
    bool fits = true;
    switch (query_.type(column)) {
      case SQLITE_NULL:
        values.add_null();
        return {};
      case SQLITE_INTEGER: {
        const std::int64_t number = query_.integer(column);
        if (!values.add_integer(number))
          return tl::make_unexpected(unfit_number(columns_, index, number));
        return {};
      }
      case SQLITE_FLOAT:
        fits = values.add_real(query_.real(column));
        break;
      default: {
        const std::string_view text = query_.text(column);
        batch.count_text(text.size());
        fits = values.add_text(text);
      }
    }
    return fits ? base::Status()
                : report::fail_misplaced(*reader_, columns_.schema.columns[index].name);
  }

  SharedReader reader_;
  TableColumns columns_;
  report::Statement query_;
  events::Strings strings_;
  bool at_end_ = false;
};

std::string quoted_names(const TableColumns& columns) {
  std::string names;
  for (const std::size_t stored : columns.stored)
    names += (names.empty() ? "" : ", ") + report::quoted(columns.stored_names[stored]);
  return names;
}

}  // namespace

base::Result<std::unique_ptr<RowSource>> all_rows(SharedReader reader, TableColumns columns) {
  if (columns.plain)
    if (auto cursor = report::PageCursor::open(*reader, columns.table))
      return std::make_unique<PagedRows>(std::move(reader), std::move(columns), *std::move(cursor));
  return filtered_rows(std::move(reader), std::move(columns));
}

base::Result<std::unique_ptr<RowSource>> filtered_rows(SharedReader reader, TableColumns columns,
                                                       const std::string& condition) {
  std::string sql =
      fmt::format("SELECT {} FROM {}", quoted_names(columns), report::quoted(columns.table));
  if (!condition.empty()) sql += " WHERE " + condition + " ORDER BY rowid";
  auto query = reader->prepare(sql);
  if (!query) return tl::make_unexpected(query.error());
  return std::make_unique<QueriedRows>(std::move(reader), std::move(columns), *std::move(query));
}

}  // namespace prof::arrow
