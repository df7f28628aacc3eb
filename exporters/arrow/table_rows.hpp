// Reads the rows of a report's table as batches.
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

// The source of the rows of a stream.
class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  virtual const Schema& schema() const = 0;
  // Returns the text of an id of StringIds, for columns of that type. The text is valid as long as
  // the source exists.
  virtual std::string_view name_of(std::int64_t) { return {}; }
  // Adds rows until the batch is full. Adds none if no rows are left.
  virtual base::Status fill(Batch& batch) = 0;
};

// A report that several sources of one thread read.
using SharedReader = std::shared_ptr<const report::ReportReader>;

// Reads all rows of a table from the file's pages, or with a query if the kind of table requires
// it.
base::Result<std::unique_ptr<RowSource>> all_rows(SharedReader reader, TableColumns columns);

// Reads the rows that the views of exporters/analysis/events show, in the order of the table.
// `condition` is SQL and may be empty.
base::Result<std::unique_ptr<RowSource>> filtered_rows(SharedReader reader, TableColumns columns,
                                                       const std::string& condition = {});

}  // namespace prof::arrow
