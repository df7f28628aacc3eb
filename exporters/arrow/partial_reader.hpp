// Reads a partial result from an Arrow stream.
#pragma once

#include "common/base/result.hpp"
#include "exporters/arrow/arrow_abi.h"
#include "exporters/arrow/column.hpp"
#include "exporters/ranks/partial.hpp"

namespace prof::arrow {

// The columns of a partial result.
Schema partial_schema();

// Adds the rows of a stream to a partial result. Only after the last stream, limit() says which
// tables are sketches. Fails if the columns are not those of partial_schema(). Releases the stream.
base::Status read_partial(ArrowArrayStream& stream, ranks::Partial& partial);

}  // namespace prof::arrow
