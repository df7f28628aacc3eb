// Rows of calls of NVIDIA's libraries. Each library has a table; all have the same columns.
#pragma once

#include "common/report/rows.hpp"

namespace prof::report {

struct Cublas {
  static constexpr const char* kTable = "CUBLAS_EVENTS";
  static constexpr EventClass kEventClass = EventClass::kCublas;
};
struct Cudnn {
  static constexpr const char* kTable = "CUDNN_EVENTS";
  static constexpr EventClass kEventClass = EventClass::kCudnn;
};
struct Cusolver {
  static constexpr const char* kTable = "CUSOLVER_EVENTS";
  static constexpr EventClass kEventClass = EventClass::kCusolver;
};
struct Cusparse {
  static constexpr const char* kTable = "CUSPARSE_EVENTS";
  static constexpr EventClass kEventClass = EventClass::kCusparse;
};
struct Nccl {
  static constexpr const char* kTable = "NCCL_EVENTS";
  static constexpr EventClass kEventClass = EventClass::kNccl;
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
  static constexpr auto kColumns = columns<LibraryRow<Library>>(
      &LibraryRow<Library>::start, &LibraryRow<Library>::end, constant(Library::kEventClass),
      &LibraryRow<Library>::global_tid, &LibraryRow<Library>::name_id);
};

}  // namespace prof::report
