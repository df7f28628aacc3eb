#include "collector/ingest/diagnostics/target_messages.hpp"

#include <fmt/format.h>

#include <cstring>

#include "common/base/machine.hpp"
#include "common/wire/cupti_errors.hpp"
#include "common/wire/cupti_functions.hpp"

namespace prof::ingest {

namespace {

std::string cupti_function(std::uint64_t number) {
#define X(name) #name,
  constexpr const char* kNames[] = {PROF_CUPTI_FUNCTIONS(X) PROF_CUPTI_NEWER_FUNCTIONS(X)};
#undef X
  return number < std::size(kNames) ? kNames[number] : "A CUPTI function";
}

std::string cupti_error(std::uint32_t result) {
  const wire::CuptiError* error = wire::find_cupti_error(result);
  if (error == nullptr) return fmt::format("CUptiResult {}", result);
  return *error->reason == '\0' ? std::string(error->name)
                                : fmt::format("{}: {}", error->name, error->reason);
}

// Returns the message if another tool uses CUPTI. CUPTI's name for a tool without a name is "<not
// provided>".
std::string taken_text(std::string_view holder) {
  return fmt::format(
      "CUDA is not traced: CUPTI allows one subscriber per process, and its subscription is held "
      "by {}. Run the program without that tool to trace CUDA.",
      holder.empty() || holder.front() == '<' ? std::string("another tool (a profiler, DCGM)")
                                              : fmt::format("\"{}\"", holder));
}

std::string timing_reason(wire::TimingReason reason, std::uint32_t detail) {
  switch (reason) {
    case wire::TimingReason::kSupported:
      return "GPU, driver and libcupti support it";
    case wire::TimingReason::kOnRequest:
      return "-t cuda-sw asks for it";
    case wire::TimingReason::kOldLibrary:
      return fmt::format(
          "the hardware trace needs libcupti of CUDA 13.4 Update 1 or later, and this one has API "
          "version {}",
          detail);
    case wire::TimingReason::kOldGpu:
      return detail == 0
                 ? "the compute capability of a GPU is not known"
                 : fmt::format(
                       "the hardware trace needs Blackwell or a later GPU, and one here has "
                       "compute capability {}.{}",
                       detail / 10, detail % 10);
    case wire::TimingReason::kMps:
      return "the hardware trace does not work with MPS";
    case wire::TimingReason::kMig:
      return "the hardware trace does not work with MIG";
    case wire::TimingReason::kLate:
      return "prof starts and stops recording while the program runs, and the hardware trace "
             "cannot "
             "be switched off";
    case wire::TimingReason::kLatencies:
      return "another user of CUPTI asks for latencies, which the hardware trace lacks";
    case wire::TimingReason::kSeveralSubscribers:
      return "prof is one of several subscribers of CUPTI";
    case wire::TimingReason::kRefused:
      return "cuptiActivityEnableHWTrace failed with " + cupti_error(detail);
  }
  return "the reason is not known";
}

std::string timing_text(std::uint64_t arg) {
  const auto reason = static_cast<wire::TimingReason>(arg & 0xff);
  const std::string why = timing_reason(reason, static_cast<std::uint32_t>(arg >> 32));
  if ((arg & wire::kTimedByHardware) == 0)
    return fmt::format("GPU work is timed by software: {}.", why);
  if (reason == wire::TimingReason::kSupported)
    return fmt::format("GPU work is timed by the hardware trace: {}.", why);
  return fmt::format(
      "GPU work is timed by the hardware trace, because -t cuda-hw asks for it, although {}.", why);
}

std::string obstacle(wire::DiagnosticCode code) {
  switch (code) {
    case wire::DiagnosticCode::kStaticProgram:
      return "it is statically linked, so LD_PRELOAD has no effect on it";
    case wire::DiagnosticCode::kOtherLibc:
      return "its C library is not glibc";
    case wire::DiagnosticCode::kOtherMachine:
      return std::string("it is not an ") + base::kMachineName + " program";
    default:
      return "it has rights that its caller does not have (set-user-id, file capabilities), and "
             "the "
             "system ignores LD_PRELOAD for such programs";
  }
}

// What to do about an error of PC sampling.
std::string pc_sampling_advice(std::uint32_t result) {
  constexpr std::uint32_t kNotInitialized = 15;
  constexpr std::uint32_t kBusy = 26;
  constexpr std::uint32_t kUnknown = 999;  // seen when another user is active
  if (result == kBusy || result == kUnknown)
    return " Another user of the GPU's counters is active: another tool (ncu, nsys, DCGM, prof), "
           "--gpu-metrics-devices, or the program itself.";
  if (result == kNotInitialized)
    return " libnvperf_host.so and libnvperf_target.so belong beside it, and the program must not "
           "use CUPTI's profiler.";
  const wire::CuptiError* error = wire::find_cupti_error(result);
  return error == nullptr || *error->advice == '\0' ? std::string()
                                                    : fmt::format(" {}.", error->advice);
}

std::string pc_sampling_text(const wire::DiagnosticRecord& record, const StringTable& strings) {
  switch (static_cast<wire::DiagnosticCode>(record.header.aux)) {
    case wire::DiagnosticCode::kPcSamplingFailed: {
      const auto result = static_cast<std::uint32_t>(record.arg);
      return fmt::format("PC sampling is off in a CUDA context: {} failed with {}.{}",
                         cupti_function(record.arg >> 32), cupti_error(result),
                         pc_sampling_advice(result));
    }
    case wire::DiagnosticCode::kPcSamplingMissing:
      return fmt::format(
          "PC sampling is off: libcupti (API version {}) has no functions for it. Name a newer one "
          "with --cupti-path.",
          record.arg);
    case wire::DiagnosticCode::kPcSamplingHeld:
      return fmt::format(
          "{} wants to use the GPU's counters and gets CUPTI_ERROR_HARDWARE_BUSY, because prof "
          "uses them for --pc-sampling or prof kernel. Record without these to let it.",
          strings.text(record.arg));
    case wire::DiagnosticCode::kPcSamplingYields:
      return fmt::format(
          "prof does not count on the GPU any more: {} uses the GPU's counters itself.",
          strings.text(record.arg));
    case wire::DiagnosticCode::kPcSamplingOtherContext:
      return fmt::format(
          "One CUDA context of GPU {} is sampled. The program has others there, which are not: "
          "CUPTI samples one context of a GPU.",
          record.arg);
    case wire::DiagnosticCode::kCubinsLeftOut:
      return fmt::format(
          "The program has loaded more than {} MB of GPU code. Later cubins are not in the report, "
          "so their PC samples have no source lines.",
          record.arg >> 20);
    default:
      return {};
  }
}

std::string cuda_text(const wire::DiagnosticRecord& record, const StringTable& strings) {
  switch (static_cast<wire::DiagnosticCode>(record.header.aux)) {
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
      return fmt::format("CUPTI delivered records of an unknown kind ({}); they were skipped.",
                         record.arg);
    case wire::DiagnosticCode::kCudaClock:
      return fmt::format("CUPTI does not use the profiler's clock; its times are shifted by {} ns.",
                         static_cast<std::int64_t>(record.arg));
    case wire::DiagnosticCode::kCudaReady:
      return fmt::format("CUDA tracing initialized (CUPTI API version {}).", record.arg);
    case wire::DiagnosticCode::kCuptiShared:
      return fmt::format("{} uses CUPTI too, through prof.", strings.text(record.arg));
    case wire::DiagnosticCode::kCuptiGraphsWhole:
      return fmt::format(
          "{} gets no records of the kernels in CUDA graphs: this version of CUPTI records whole "
          "launches or kernels, not both. With --cuda-graph-trace=node it gets them.",
          strings.text(record.arg));
    case wire::DiagnosticCode::kCuptiSubscribers:
      return record.arg != 0
                 ? "prof is one of several subscribers of CUPTI. Libraries of the program that use "
                   "CUPTI have subscribers, too."
                 : "CUPTI does not allow several subscribers here. prof is the only one and passes "
                   "records on to libraries of the program.";
    case wire::DiagnosticCode::kCuptiMessage:
      return fmt::format("CUPTI: {}", strings.text(record.arg));
    case wire::DiagnosticCode::kHardwareTraceOld:
      return fmt::format(
          "The hardware trace of CUPTI (API version {}) has faults that CUDA 13.4 Update 1 "
          "corrects, "
          "among them memory that grows with each kernel and times of 0.",
          record.arg);
    case wire::DiagnosticCode::kCudaTiming:
      return timing_text(record.arg);
    case wire::DiagnosticCode::kContextSwitchesMissing:
      return fmt::format(
          "--gpuctxsw: context switches of the GPU are not recorded. They need libcupti of CUDA "
          "13.1 or later, and this one has API version {}; name a newer one with --cupti-path.",
          record.arg);
    case wire::DiagnosticCode::kCudaFlushGivenUp:
      return fmt::format(
          "CUPTI did not deliver its last GPU records within the time limit; waiting was given up "
          "after "
          "{} s. GPU work of the process's last moments is missing.",
          record.arg);
    default:
      return {};
  }
}

std::string nvtx_text(const wire::DiagnosticRecord& record) {
  switch (static_cast<wire::DiagnosticCode>(record.header.aux)) {
    case wire::DiagnosticCode::kNvtxModuleMissing:
      return fmt::format(
          "An NVTX client has no callback module {}; its calls of that module are not traced.",
          record.arg);
    case wire::DiagnosticCode::kNvtxSchemaLimit:
      return fmt::format(
          "The program has registered more than {} NVTX payload schemas or entries. Memory that "
          "payloads of later schemas point to is not recorded.",
          record.arg);
    case wire::DiagnosticCode::kNvtxDomainLimit:
      return fmt::format("More than {} NVTX domains; events of the later ones are not recorded.",
                         record.arg - 1);
    default:
      return {};
  }
}

std::string sampling_text(const wire::DiagnosticRecord& record) {
  switch (static_cast<wire::DiagnosticCode>(record.header.aux)) {
    case wire::DiagnosticCode::kSamplingNoSignal:
      return "The process is not sampled: the program uses all real-time signals.";
    case wire::DiagnosticCode::kStackRefused:
      return fmt::format(
          "Native call chains are missing: the kernel does not allow process_vm_readv (error {}).",
          record.arg);
    case wire::DiagnosticCode::kSamplingNoTimer:
      return fmt::format(
          "A thread of the process is not sampled: its timer could not be created ({}).",
          strerror(static_cast<int>(record.arg)));
    case wire::DiagnosticCode::kSamplingSignalTaken:
      return fmt::format(
          "The process uses signal {}, which sampling needs; from then on it is not sampled.",
          record.arg);
    case wire::DiagnosticCode::kSamplingConfined:
      return "The process entered seccomp, in which a signal handler may be unable to return; from "
             "then on it is not sampled.";
    case wire::DiagnosticCode::kSamplingSmallStack:
      return fmt::format(
          "A thread of the process is not sampled: its alternate signal stack of {} bytes is too "
          "small for the handler of prof.",
          record.arg);
    default:
      return {};
  }
}

// Returns the text for limits of what is traced in a process and its children.
std::string process_text(const wire::DiagnosticRecord& record) {
  switch (static_cast<wire::DiagnosticCode>(record.header.aux)) {
    case wire::DiagnosticCode::kSandboxed:
      return "The process entered seccomp; children and programs that it starts after that are not "
             "traced.";
    case wire::DiagnosticCode::kWipeOnForkMissing:
      return "The kernel has no MADV_WIPEONFORK; children of a direct clone() call cannot be "
             "distinguished from their parent.";
    case wire::DiagnosticCode::kOtherUser:
      return fmt::format(
          "A process that had changed to user {} started a program that cannot connect to prof, so "
          "it is not traced. Run prof as that user, inside sudo, su or runuser.",
          record.arg);
    case wire::DiagnosticCode::kSharedThread:
      return "A thread created a process that shares its memory and state (clone with CLONE_VM); "
             "neither is traced until that process ends or calls exec.";
    case wire::DiagnosticCode::kForeignThread:
      return "A thread or child process has private thread-local data in place of the C library's "
             "(clone with CLONE_SETTLS, or arch_prctl). What it does is not recorded.";
    case wire::DiagnosticCode::kClockForbidden:
      return "The process gave up the right to read the clock (seccomp's strict mode, PR_SET_TSC); "
             "what it did afterwards is not recorded.";
    default:
      return {};
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

namespace {

std::string vulkan_text(const wire::DiagnosticRecord& record) {
  const std::string text = "The work of Vulkan on the GPU is not timed, or not all of it: ";
  switch (static_cast<wire::VulkanObstacle>(record.arg)) {
    case wire::VulkanObstacle::kNoClock:
      return text + "the driver does not have VK_EXT_calibrated_timestamps.";
    case wire::VulkanObstacle::kNoQueries:
      return text + "a queue that is used has no timestamps, or only copies.";
    case wire::VulkanObstacle::kFailed:
      return text + "the driver refused queries or command buffers of prof.";
    case wire::VulkanObstacle::kFull:
      return text + "the program had more than 512 submits or command buffers in progress.";
  }
  return text + "the reason is not known.";
}

std::string library_text(const wire::DiagnosticRecord& record, const StringTable& strings) {
  if (static_cast<wire::DiagnosticCode>(record.header.aux) ==
      wire::DiagnosticCode::kOpenMpToolTaken)
    return fmt::format("OpenMP is not traced, because the program has another tool for it: {}.",
                       strings.text(record.arg));
  return fmt::format("A function of {} was called that no loaded library defines.",
                     record.arg < wire::kLibraries ? wire::kLibraryNames[record.arg] : "a library");
}

}  // namespace

std::string diagnostic_text(const wire::DiagnosticRecord& record, const StringTable& strings) {
  switch (static_cast<wire::DiagnosticCode>(record.header.aux)) {
    case wire::DiagnosticCode::kNvtxModuleMissing:
    case wire::DiagnosticCode::kNvtxSchemaLimit:
    case wire::DiagnosticCode::kNvtxDomainLimit:
      return nvtx_text(record);
    case wire::DiagnosticCode::kLibraryMissing:
    case wire::DiagnosticCode::kOpenMpToolTaken:
      return library_text(record, strings);
    case wire::DiagnosticCode::kVulkanNoGpuTimes:
      return vulkan_text(record);
    case wire::DiagnosticCode::kRemark:
      return std::string(strings.text(record.arg));
    case wire::DiagnosticCode::kSandboxed:
    case wire::DiagnosticCode::kWipeOnForkMissing:
    case wire::DiagnosticCode::kOtherUser:
    case wire::DiagnosticCode::kSharedThread:
    case wire::DiagnosticCode::kForeignThread:
    case wire::DiagnosticCode::kClockForbidden:
      return process_text(record);
    case wire::DiagnosticCode::kStaticProgram:
    case wire::DiagnosticCode::kOtherLibc:
    case wire::DiagnosticCode::kOtherMachine:
    case wire::DiagnosticCode::kPrivileged:
      return fmt::format("{} is not traced: {}.", strings.text(record.arg),
                         obstacle(static_cast<wire::DiagnosticCode>(record.header.aux)));
    case wire::DiagnosticCode::kCuptiMissing:
    case wire::DiagnosticCode::kCuptiTooOld:
    case wire::DiagnosticCode::kCuptiTaken:
    case wire::DiagnosticCode::kCuptiFailed:
    case wire::DiagnosticCode::kCudaUnknownRecord:
    case wire::DiagnosticCode::kCudaClock:
    case wire::DiagnosticCode::kCudaReady:
    case wire::DiagnosticCode::kCudaFlushGivenUp:
    case wire::DiagnosticCode::kCuptiShared:
    case wire::DiagnosticCode::kCuptiGraphsWhole:
    case wire::DiagnosticCode::kCuptiMessage:
    case wire::DiagnosticCode::kHardwareTraceOld:
    case wire::DiagnosticCode::kCuptiSubscribers:
    case wire::DiagnosticCode::kCudaTiming:
    case wire::DiagnosticCode::kContextSwitchesMissing:
      return cuda_text(record, strings);
    case wire::DiagnosticCode::kStackRefused:
    case wire::DiagnosticCode::kSamplingNoSignal:
    case wire::DiagnosticCode::kSamplingNoTimer:
    case wire::DiagnosticCode::kSamplingSignalTaken:
    case wire::DiagnosticCode::kSamplingConfined:
    case wire::DiagnosticCode::kSamplingSmallStack:
      return sampling_text(record);
    case wire::DiagnosticCode::kPcSamplingFailed:
    case wire::DiagnosticCode::kPcSamplingMissing:
    case wire::DiagnosticCode::kCubinsLeftOut:
    case wire::DiagnosticCode::kPcSamplingHeld:
    case wire::DiagnosticCode::kPcSamplingYields:
    case wire::DiagnosticCode::kPcSamplingOtherContext:
      return pc_sampling_text(record, strings);
    case wire::DiagnosticCode::kCount:
      break;
  }
  return fmt::format("Unknown diagnostic {} from the target.", record.header.aux);
}

Severity diagnostic_severity(const wire::DiagnosticRecord& record) {
  const auto code = static_cast<wire::DiagnosticCode>(record.header.aux);
  const bool is_info =
      code == wire::DiagnosticCode::kCudaReady || code == wire::DiagnosticCode::kCuptiShared ||
      code == wire::DiagnosticCode::kCuptiGraphsWhole ||
      code == wire::DiagnosticCode::kCuptiSubscribers ||
      code == wire::DiagnosticCode::kHardwareTraceOld || code == wire::DiagnosticCode::kCudaTiming;
  return is_info ? Severity::kInfo : Severity::kWarning;
}

}  // namespace prof::ingest
