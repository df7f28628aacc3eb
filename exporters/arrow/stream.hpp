// A source of rows as an Arrow stream.
#pragma once

#include <cstddef>
#include <memory>

#include "exporters/arrow/table_rows.hpp"

namespace prof::arrow {

// Columns of more rows do not stay in the caches of a CPU.
inline constexpr std::size_t kUsualBatchRows = 32768;

// `out` owns the source and releases it. Errors are texts of get_last_error().
void export_stream(std::unique_ptr<RowSource> source, std::size_t batch_rows,
                   ArrowArrayStream& out);

}  // namespace prof::arrow
