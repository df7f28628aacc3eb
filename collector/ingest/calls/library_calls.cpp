#include "collector/ingest/calls/library_calls.hpp"

#include "common/wire/records.hpp"

namespace prof::ingest {

bool write_library_call(report::ReportWriter& writer, std::uint32_t function,
                        const report::LibraryCall& call) {
  switch (wire::library_of(function)) {
    case wire::Library::kCublas:
      writer.add(report::LibraryRow<report::Cublas>{call});
      return true;
    case wire::Library::kCudnn:
      writer.add(report::LibraryRow<report::Cudnn>{call});
      return true;
    case wire::Library::kCusolver:
      writer.add(report::LibraryRow<report::Cusolver>{call});
      return true;
    case wire::Library::kCusparse:
      writer.add(report::LibraryRow<report::Cusparse>{call});
      return true;
    case wire::Library::kNccl:
      writer.add(report::LibraryRow<report::Nccl>{call});
      return true;
  }
  return false;
}

}  // namespace prof::ingest
