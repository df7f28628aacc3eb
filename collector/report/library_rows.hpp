// Rows of calls of NVIDIA's libraries: one table for each, all with the same columns.
#pragma once

#include "collector/report/rows.hpp"

namespace prof::report {

// Event classes are of ENUM_NSYS_EVENT_CLASS; nsys has those of cuBLAS and cuDNN, the others are
// ours, far behind nsys's last.
struct Cublas {
  static constexpr const char* kTable = "CUBLAS_EVENTS";
  static constexpr std::int64_t kEventClass = 29;
};
struct Cudnn {
  static constexpr const char* kTable = "CUDNN_EVENTS";
  static constexpr std::int64_t kEventClass = 28;
};
struct Cusolver {
  static constexpr const char* kTable = "CUSOLVER_EVENTS";
  static constexpr std::int64_t kEventClass = 1001;
};
struct Cusparse {
  static constexpr const char* kTable = "CUSPARSE_EVENTS";
  static constexpr std::int64_t kEventClass = 1002;
};
struct Nccl {
  static constexpr const char* kTable = "NCCL_EVENTS";
  static constexpr std::int64_t kEventClass = 1003;
};

struct LibraryCall {
  std::int64_t start;
  std::int64_t end;
  std::int64_t global_tid;
  std::int32_t name_id;
};

template <class Library>
struct LibraryRow : LibraryCall {};

template <class Library>
struct RowTraits<LibraryRow<Library>> {
  static constexpr const char* kTable = Library::kTable;
  static constexpr bool kNullable = false;
  static constexpr Column kColumns[] = {{ColumnType::kInt64, offsetof(LibraryCall, start)},
                                        {ColumnType::kInt64, offsetof(LibraryCall, end)},
                                        {ColumnType::kConstant, Library::kEventClass},
                                        {ColumnType::kInt64, offsetof(LibraryCall, global_tid)},
                                        {ColumnType::kInt32, offsetof(LibraryCall, name_id)}};
};

}  // namespace prof::report
