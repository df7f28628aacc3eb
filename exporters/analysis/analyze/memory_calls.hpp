// Reads copies and fills of GPU memory with the runtime API calls that launched them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/tables/table.hpp"

namespace prof::analyze {

struct MemoryCall {
  std::int64_t start;  // ns, of the operation on the GPU
  std::int64_t end;
  std::int64_t bytes;
  std::int64_t copy_kind;         // ENUM_CUDA_MEMCPY_OPER; -1 for a fill
  std::int64_t source_kind;       // ENUM_CUDA_MEM_KIND; -1 for a fill
  std::int64_t destination_kind;  // ENUM_CUDA_MEM_KIND
  std::int64_t pid;
  std::int64_t device;
  std::int64_t context;
  std::int64_t green_context;  // 0: none
  std::int64_t stream;
  std::string api_name;
};

inline constexpr std::int64_t kPageable = 0;
inline constexpr std::int64_t kPinned = 1;
inline constexpr std::int64_t kManaged = 4;
inline constexpr std::int64_t kManagedStatic = 6;

// The functions below visit the operations whose API call was recorded, in the order of the table.
using VisitCall = std::function<void(const MemoryCall&)>;
base::Status for_each_copy(const report::ReportReader& reader, const VisitCall& visit);
base::Status for_each_fill(const report::ReportReader& reader, const VisitCall& visit);

// True if the name belongs to the `family` ("cudaMemcpy") and is asynchronous
// ("cudaMemcpy2DAsync_v3020") or synchronous.
bool is_async(std::string_view api_name, std::string_view family);
bool is_sync(std::string_view api_name, std::string_view family);

// Return empty tables for copies and for fills. add_row() appends to either.
tables::Table copy_table();
tables::Table fill_table();
void add_row(tables::Table& copies_or_fills, const MemoryCall& call);

}  // namespace prof::analyze
