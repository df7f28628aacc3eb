// Writes calls of NVIDIA's libraries, each to the table of its library.
#pragma once

#include <cstdint>

#include "common/report/report_writer.hpp"

namespace prof::ingest {

// Writes a call. Returns false if the function belongs to no known library.
bool write_library_call(report::ReportWriter& writer, std::uint32_t function,
                        const report::LibraryCall& call);

}  // namespace prof::ingest
