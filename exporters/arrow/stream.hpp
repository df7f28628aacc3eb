// Exports a source of rows as an Arrow stream.
#pragma once

#include <cstddef>
#include <memory>

#include "exporters/arrow/table_rows.hpp"

namespace prof::arrow {

// The usual number of rows of a batch. Columns with more rows do not stay in the caches of a CPU.
inline constexpr std::size_t kUsualBatchRows = 32768;

// Exports the source. `out` owns it and releases it. get_last_error() returns the text of an error.
void export_stream(std::unique_ptr<RowSource> source, std::size_t batch_rows,
                   ArrowArrayStream& out);

}  // namespace prof::arrow
