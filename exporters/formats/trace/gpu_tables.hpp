// Lists the tables of a report with the work of GPUs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/report/report_reader.hpp"

namespace prof::formats {

enum class GpuWorkKind { kKernel, kCopy, kFill, kGraph };

struct GpuTable {
  const char* table;
  const char* row;  // "Kernels"
  GpuWorkKind kind;
};

// Returns the tables that the report has.
std::vector<GpuTable> gpu_tables(const report::ReportReader& reader);

}  // namespace prof::formats
