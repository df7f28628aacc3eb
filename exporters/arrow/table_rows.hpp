// The rows of a report's table as batches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/arrow/batch.hpp"
#include "exporters/arrow/table_columns.hpp"

namespace prof::arrow {

// What a stream reads.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  virtual const Schema& schema() const = 0;
  // The text of an id of StringIds, for columns of that type. Valid as long as the source.
  virtual std::string_view name_of(std::int64_t) { return {}; }
  // Adds rows until the batch is full. Without further rows it adds none.
  virtual base::Status fill(Batch& batch) = 0;
};

// Several sources can read one open report, in one thread.
using SharedReader = std::shared_ptr<const report::ReportReader>;

// All rows of a table, from the file's pages, or with a query if its kind does not allow that.
base::Result<std::unique_ptr<RowSource>> all_rows(SharedReader reader, TableColumns columns);

// The rows that the views of exporters/analysis/events show, in the order of the table.
// `condition`: SQL; may be empty.
base::Result<std::unique_ptr<RowSource>> filtered_rows(SharedReader reader, TableColumns columns,
                                                       const std::string& condition = {});

}  // namespace prof::arrow
