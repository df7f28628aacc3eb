// Copies and fills of GPU memory with the runtime API calls that launched them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "collector/base/result.hpp"
#include "collector/report/report_reader.hpp"
#include "exporters/tables/table.hpp"

namespace prof::analyze {

struct MemoryCall {
  std::int64_t start;  // of the operation on the GPU, in ns
  std::int64_t end;
  std::int64_t bytes;
  std::int64_t copy_kind;         // of ENUM_CUDA_MEMCPY_OPER; -1 of a fill
  std::int64_t source_kind;       // of ENUM_CUDA_MEM_KIND; -1 of a fill
  std::int64_t destination_kind;  // of ENUM_CUDA_MEM_KIND
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

// Those whose API call was recorded, in the order of the table.
using VisitCall = std::function<void(const MemoryCall&)>;
base::Status for_each_copy(const report::ReportReader& reader, const VisitCall& visit);
base::Status for_each_fill(const report::ReportReader& reader, const VisitCall& visit);

// "cudaMemcpy2DAsync_v3020": a call of the `family` "cudaMemcpy" that is asynchronous by its name.
bool is_async(std::string_view api_name, std::string_view family);
bool is_sync(std::string_view api_name, std::string_view family);

// Tables of them: one of copies, one of fills.
tables::Table copy_table();
tables::Table fill_table();
void add_row(tables::Table& copies_or_fills, const MemoryCall& call);

}  // namespace prof::analyze
