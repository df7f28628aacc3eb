#include "collector/ingest/messages.hpp"

#include <fmt/format.h>

#include "injection/wire/cupti_functions.hpp"

namespace prof::ingest {

namespace {

std::string cupti_function(std::uint64_t number) {
#define X(name) #name,
  constexpr const char* kNames[] = {PROF_CUPTI_FUNCTIONS(X) PROF_CUPTI_NEWER_FUNCTIONS(X)};
#undef X
  return number < std::size(kNames) ? kNames[number] : "A CUPTI function";
}

}  // namespace

const char* overhead_name(wire::OverheadKind kind) {
  switch (kind) {
    case wire::OverheadKind::kProcessStart:
      return "OS runtime libraries profiling initialization";
    case wire::OverheadKind::kProcessFork:
      return "Forked process initialization";
    case wire::OverheadKind::kNvtxStart:
      return "NVTX profiling initialization";
    case wire::OverheadKind::kChunkClaim:
      return "Chunk Allocation";
    case wire::OverheadKind::kCudaStart:
      return "CUDA profiling initialization";
    case wire::OverheadKind::kCudaFlush:
      return "CUDA profiling data flush";
    case wire::OverheadKind::kCount:
      break;
  }
  return "[Unknown]";
}

std::string diagnostic_text(const wire::DiagnosticRecord& record) {
  switch (static_cast<wire::DiagnosticCode>(record.header.aux)) {
    case wire::DiagnosticCode::kNvtxModuleMissing:
      return fmt::format("An NVTX client offers no callback module {}; its calls are not traced.",
                         record.arg);
    case wire::DiagnosticCode::kNvtxDomainLimit:
      return fmt::format("More than {} NVTX domains; events of the later ones are not recorded.",
                         record.arg - 1);
    case wire::DiagnosticCode::kSandboxed:
      return "The process entered seccomp; children it forks from now on are not traced.";
    case wire::DiagnosticCode::kWipeOnForkMissing:
      return "The kernel has no MADV_WIPEONFORK; children of a raw clone() are not told apart.";
    case wire::DiagnosticCode::kCuptiMissing:
      return "CUDA is not traced: no libcupti was found; name one with --cupti-path.";
    case wire::DiagnosticCode::kCuptiTooOld:
      return fmt::format("CUDA is not traced: libcupti is older than CUDA 12.0 (API version {}).",
                         record.arg);
    case wire::DiagnosticCode::kCuptiTaken:
      return "CUDA is not traced: another tool in the process (a profiler, DCGM) holds CUPTI's one "
             "subscription.";
    case wire::DiagnosticCode::kCuptiFailed:
      return fmt::format("{} failed with CUptiResult {}; what it collects may be missing.",
                         cupti_function(record.arg >> 32), record.arg & 0xffffffff);
    case wire::DiagnosticCode::kCudaUnknownRecord:
      return fmt::format("CUPTI delivered records of an unknown kind ({}); they are skipped.",
                         record.arg);
    case wire::DiagnosticCode::kCudaClock:
      return fmt::format("CUPTI does not use the profiler's clock; its times are shifted by {} ns.",
                         static_cast<std::int64_t>(record.arg));
    case wire::DiagnosticCode::kCudaReady:
      return fmt::format("CUDA tracing initialized (CUPTI API version {}).", record.arg);
    case wire::DiagnosticCode::kCudaFlushGivenUp:
      return fmt::format(
          "CUPTI did not hand over its last GPU records, which were given up after "
          "{} s. GPU work of the process's last moments is missing.",
          record.arg);
    case wire::DiagnosticCode::kCount:
      break;
  }
  return fmt::format("Unknown diagnostic {} from the target.", record.header.aux);
}

const char* drop_cause(std::string_view cause) {
  if (cause == "no_chunk") return "the event buffer was full";
  if (cause == "reentered") return "a signal handler interrupted the recording of another event";
  if (cause == "thread_gone") return "their thread was already ending";
  if (cause == "too_large") return "they were too large";
  if (cause == "cupti_buffers") return "CUPTI had no buffer left for its records";
  if (cause == "connecting") return "the forked process was still being introduced";
  return "of an unknown cause";
}

Severity diagnostic_severity(const wire::DiagnosticRecord& record) {
  return record.header.aux == static_cast<std::uint32_t>(wire::DiagnosticCode::kCudaReady)
             ? Severity::kInfo
             : Severity::kWarning;
}

std::string damaged_recording(const std::exception& error) {
  return fmt::format("the recording is damaged: {}", error.what());
}

}  // namespace prof::ingest
