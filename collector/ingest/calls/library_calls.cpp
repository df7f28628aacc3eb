#include "collector/ingest/calls/library_calls.hpp"

#include "common/wire/records.hpp"

namespace prof::ingest {

bool write_library_call(report::ReportWriter& writer, std::uint32_t function,
                        const report::LibraryCall& call) {
  switch (wire::library_of(function)) {
    case wire::Library::kCublas:
      writer.add(report::CublasRow{call});
      return true;
    case wire::Library::kCudnn:
      writer.add(report::CudnnRow{call});
      return true;
    case wire::Library::kCusolver:
      writer.add(report::CusolverRow{call});
      return true;
    case wire::Library::kCusparse:
      writer.add(report::CusparseRow{call});
      return true;
    case wire::Library::kNccl:
      writer.add(report::NcclRow{call});
      return true;
    case wire::Library::kMpi:  // these have their own records
    case wire::Library::kOpenMp:
    case wire::Library::kOpenAcc:
    case wire::Library::kOpenGl:
    case wire::Library::kUcx:
    case wire::Library::kOpenShmem:
      break;
  }
  return false;
}

}  // namespace prof::ingest
