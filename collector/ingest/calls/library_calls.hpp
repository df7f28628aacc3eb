// Writes calls of NVIDIA's libraries, each into the table of its library.
#pragma once

#include <cstdint>

#include "common/report/report_writer.hpp"

namespace prof::ingest {

// False if the function belongs to no known library.
bool write_library_call(report::ReportWriter& writer, std::uint32_t function,
                        const report::LibraryCall& call);

}  // namespace prof::ingest
