#include "collector/ingest/messages.hpp"

#include <fmt/format.h>

#include <cstring>

#include "injection/wire/cupti_functions.hpp"

namespace prof::ingest {

namespace {

std::string cupti_function(std::uint64_t number) {
#define X(name) #name,
  constexpr const char* kNames[] = {PROF_CUPTI_FUNCTIONS(X) PROF_CUPTI_NEWER_FUNCTIONS(X)};
#undef X
  return number < std::size(kNames) ? kNames[number] : "A CUPTI function";
}

struct CuptiError {
  std::uint32_t result;  // CUptiResult
  const char* text;
};
// Of those that a user can do something about.
constexpr CuptiError kCuptiErrors[] = {
    {14,
     "CUPTI_ERROR_NOT_COMPATIBLE: libcupti does not fit the driver; name one that does with "
     "--cupti-path"},
    {15,
     "CUPTI_ERROR_NOT_INITIALIZED: libcupti does not fit the driver, or there is none; name "
     "one that does with --cupti-path"},
    {27, "CUPTI_ERROR_NOT_SUPPORTED: this driver or GPU cannot do it"},
    {33,
     "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED: profiling is not enabled for this virtual "
     "GPU"},
    {35,
     "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES: the driver reserves it for administrators "
     "(NVreg_RestrictProfilingToAdminUsers)"},
    {39, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED: another tool holds CUPTI"},
    {40,
     "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES: profiling is not allowed for "
     "this virtual GPU"},
    {41, "CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED"},
    {42, "CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED"},
    {43, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED"},
    {44, "CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED"},
    {45, "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED"},
};

std::string cupti_error(std::uint32_t result) {
  for (const CuptiError& error : kCuptiErrors)
    if (error.result == result) return error.text;
  return fmt::format("CUptiResult {}", result);
}

// CUPTI itself says "<not provided>" of a tool that gave no name.
std::string taken_text(std::string_view holder) {
  return fmt::format(
      "CUDA is not traced: CUPTI's one subscription in the process is held by {}. Run the program "
      "without it to trace CUDA.",
      holder.empty() || holder.front() == '<' ? std::string("another tool (a profiler, DCGM)")
                                              : fmt::format("\"{}\"", holder));
}

const char* obstacle(wire::DiagnosticCode code) {
  switch (code) {
    case wire::DiagnosticCode::kStaticProgram:
      return "it is statically linked, so LD_PRELOAD has no effect on it";
    case wire::DiagnosticCode::kOtherLibc:
      return "its C library is not glibc";
    case wire::DiagnosticCode::kOtherMachine:
      return "it is not an x86-64 program";
    default:
      return "it runs with rights that its caller lacks (set-user-id, file capabilities), and the "
             "system ignores LD_PRELOAD for such programs";
  }
}

}  // namespace

bool is_about_untraced_program(const wire::DiagnosticRecord& record) {
  const auto code = static_cast<wire::DiagnosticCode>(record.header.aux);
  return code == wire::DiagnosticCode::kOtherUser ||
         (code >= wire::DiagnosticCode::kStaticProgram &&
          code <= wire::DiagnosticCode::kPrivileged);
}

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

std::string diagnostic_text(const wire::DiagnosticRecord& record, const StringTable& strings) {
  switch (static_cast<wire::DiagnosticCode>(record.header.aux)) {
    case wire::DiagnosticCode::kNvtxModuleMissing:
      return fmt::format("An NVTX client offers no callback module {}; its calls are not traced.",
                         record.arg);
    case wire::DiagnosticCode::kNvtxDomainLimit:
      return fmt::format("More than {} NVTX domains; events of the later ones are not recorded.",
                         record.arg - 1);
    case wire::DiagnosticCode::kSandboxed:
      return "The process entered seccomp; children and programs it starts from now on are not "
             "traced.";
    case wire::DiagnosticCode::kWipeOnForkMissing:
      return "The kernel has no MADV_WIPEONFORK; children of a raw clone() are not told apart.";
    case wire::DiagnosticCode::kCuptiMissing:
      return "CUDA is not traced: no libcupti was found; name one with --cupti-path.";
    case wire::DiagnosticCode::kCuptiTooOld:
      return fmt::format("CUDA is not traced: libcupti is older than CUDA 12.0 (API version {}).",
                         record.arg);
    case wire::DiagnosticCode::kCuptiTaken:
      return taken_text(record.arg == 0 ? std::string_view() : strings.text(record.arg));
    case wire::DiagnosticCode::kCuptiFailed:
      return fmt::format("{} failed with {}. What it collects may be missing.",
                         cupti_function(record.arg >> 32),
                         cupti_error(static_cast<std::uint32_t>(record.arg)));
    case wire::DiagnosticCode::kCudaUnknownRecord:
      return fmt::format("CUPTI delivered records of an unknown kind ({}); they are skipped.",
                         record.arg);
    case wire::DiagnosticCode::kCudaClock:
      return fmt::format("CUPTI does not use the profiler's clock; its times are shifted by {} ns.",
                         static_cast<std::int64_t>(record.arg));
    case wire::DiagnosticCode::kCudaReady:
      return fmt::format("CUDA tracing initialized (CUPTI API version {}).", record.arg);
    case wire::DiagnosticCode::kLibraryMissing:
      return fmt::format(
          "A function of {} was called that no loaded library defines.",
          record.arg < wire::kLibraries ? wire::kLibraryNames[record.arg] : "a library");
    case wire::DiagnosticCode::kCudaFlushGivenUp:
      return fmt::format(
          "CUPTI did not hand over its last GPU records, which were given up after "
          "{} s. GPU work of the process's last moments is missing.",
          record.arg);
    case wire::DiagnosticCode::kOtherUser:
      return fmt::format(
          "A process that had become user {} started a program that cannot reach the profiler; it "
          "is not traced. Run prof as that user, inside of sudo, su or runuser.",
          record.arg);
    case wire::DiagnosticCode::kSharedThread:
      return "A thread made a process that shares its memory and state (clone with CLONE_VM); "
             "neither is traced until that process ends or execs.";
    case wire::DiagnosticCode::kStackRefused:
      return fmt::format(
          "Native call chains are missing: the kernel refuses process_vm_readv (error {}).",
          record.arg);
    case wire::DiagnosticCode::kSamplingNoSignal:
      return "The process is not sampled: no real-time signal is free for it.";
    case wire::DiagnosticCode::kSamplingNoTimer:
      return fmt::format("A thread of the process is not sampled: it got no timer ({}).",
                         strerror(static_cast<int>(record.arg)));
    case wire::DiagnosticCode::kSamplingSignalTaken:
      return fmt::format(
          "The process uses signal {}, by which it was sampled; from then on it is not.",
          record.arg);
    case wire::DiagnosticCode::kSamplingConfined:
      return "The process entered seccomp, where a signal handler may not be able to return; from "
             "then on it is not sampled.";
    case wire::DiagnosticCode::kSamplingSmallStack:
      return fmt::format(
          "A thread of the process is not sampled: its alternate signal stack of {} bytes is too "
          "small for another handler.",
          record.arg);
    case wire::DiagnosticCode::kClockForbidden:
      return "The process forbade itself to read the clock (seccomp's strict mode, PR_SET_TSC); "
             "what it did afterwards is not recorded.";
    case wire::DiagnosticCode::kPythonRemark:
      return std::string(strings.text(record.arg));
    case wire::DiagnosticCode::kStaticProgram:
    case wire::DiagnosticCode::kOtherLibc:
    case wire::DiagnosticCode::kOtherMachine:
    case wire::DiagnosticCode::kPrivileged:
      return fmt::format("{} is not traced: {}.", strings.text(record.arg),
                         obstacle(static_cast<wire::DiagnosticCode>(record.header.aux)));
    case wire::DiagnosticCode::kCount:
      break;
  }
  return fmt::format("Unknown diagnostic {} from the target.", record.header.aux);
}

const char* drop_cause(std::string_view cause) {
  if (cause == "no_chunk") return "the event buffer was full";
  if (cause == "reentered") return "a signal handler interrupted the recording of another event";
  if (cause == "thread_gone")
    return "their thread was already ending, or shares its state with a process it cloned";
  if (cause == "too_large") return "they were too large";
  if (cause == "cupti_buffers") return "CUPTI had no buffer left for its records";
  if (cause == "disk_full") return "the disk was full";
  if (cause == "not_written") return "the recording could not be written";
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
