// Names of tables. A * at the end of a name matches any characters.
#pragma once

#include "common/report/event_classes.hpp"
#include "common/report/table_query.hpp"

namespace prof::events {

inline constexpr const char* kKernelTable = "CUPTI_ACTIVITY_KIND_KERNEL";
inline constexpr const char* kGraphTable =
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";  // graphs traced as a whole

inline constexpr const char* kOpenMpTables = "OPENMP_EVENT_KIND_*";
inline constexpr const char* kOpenMpParallelTable = "OPENMP_EVENT_KIND_PARALLEL";
inline constexpr const char* kOpenMpTaskTable = "OPENMP_EVENT_KIND_TASK";
inline constexpr const char* kOpenMpMutexTable = "OPENMP_EVENT_KIND_MUTEX_WAIT";
inline constexpr const char* kOpenMpSyncTable = "OPENMP_EVENT_KIND_SYNC_REGION";
// Table of the places of OpenMP constructs in the program. Only prof's reports have it.
inline constexpr const char* kOpenMpCodeTable = "PROF_OPENMP_CODE";
inline constexpr const char* kOpenAccTables = "CUPTI_ACTIVITY_KIND_OPENACC_*";
inline constexpr const char* kSyscallTable = "SYSCALL";

inline constexpr const char* kOpenGlTable = "OPENGL_API";
inline constexpr const char* kOpenGlWorkTable = "OPENGL_WORKLOAD";
// Table of debug groups and markers of OpenGL.
inline constexpr const char* kOpenGlGroupTable = "KHR_DEBUG_EVENTS";
// Select groups in the time of the CPU and of the GPU.
inline report::RowCondition opengl_groups() { return {"eventClass", {62}}; }
inline report::RowCondition opengl_gpu_groups() { return {"eventClass", {63}}; }

inline constexpr const char* kPointToPointTable = "MPI_P2P_EVENTS";
inline constexpr const char* kCollectiveTable = "MPI_COLLECTIVES_EVENTS";
inline constexpr const char* kStartWaitTable = "MPI_START_WAIT_EVENTS";
inline constexpr const char* kOtherMpiTable = "MPI_OTHER_EVENTS";
// Table of the calls that nsys does not record. Only prof's reports have it.
inline constexpr const char* kOwnMpiTable = "PROF_MPI_CALLS";

inline constexpr const char* kUcpSubmitTable = "UCP_SUBMIT_EVENTS";
// Table of transfers until they are done, which overlap.
inline constexpr const char* kUcpProgressTable = "UCP_PROGRESS_EVENTS";
inline constexpr const char* kUcpTable = "UCP_EVENTS";
// Table of calls of OpenSHMEM. Only prof's reports have it.
inline constexpr const char* kShmemTable = "PROF_SHMEM_CALLS";
// Table of what PyTorch's allocators hand out. Only prof's reports have it.
inline constexpr const char* kTorchMemoryTable = "PROF_TORCH_MEMORY";

inline constexpr const char* kFileTable = "OSRT_FILE_ACCESS_DESCRIPTORS";
inline constexpr const char* kFileEventTable = "OSRT_FILE_ACCESS_EVENTS";
// Table of the names of file event types. Only prof's reports have it.
inline constexpr const char* kFileEventTypes = "ENUM_PROF_FILE_EVENT_TYPE";

inline constexpr const char* kCpuSampleTable = "COMPOSITE_EVENTS";
inline constexpr const char* kSampleCallChainTable = "SAMPLING_CALLCHAINS";
// Tables of the different call chains of CPU samples and of their frames. Only prof's reports have
// them. SAMPLING_CALLCHAINS is a view of them.
inline constexpr const char* kSampleChainTable = "PROF_SAMPLE_CHAINS";
inline constexpr const char* kSampleFrameTable = "PROF_SAMPLE_FRAMES";
inline constexpr const char* kPythonSampleTable = "PROF_PYTHON_SAMPLES";
inline constexpr const char* kPythonWaitTable = "PROF_PYTHON_WAITS";
inline constexpr const char* kSchedulingTable = "SCHED_EVENTS";
inline constexpr const char* kOsrtTable = "OSRT_API";
// Table of sums of the calls that were too short to be recorded one by one. Only prof's reports
// have it.
inline constexpr const char* kShortCallTable = "PROF_SHORT_CALLS";
inline constexpr const char* kOsrtCallChainTable = "OSRT_CALLCHAINS";
inline constexpr const char* kApiCallChainTable = "CUDA_CALLCHAINS";
// Selects OS-runtime calls. Rows of other event classes mark where nsys started and stopped
// tracing.
inline report::RowCondition osrt_calls() { return {"eventClass", {27}}; }
static_assert(static_cast<int>(report::EventClass::kOsRuntime) == 27);

// Samples of the instructions that GPUs execute. Only prof's reports have them.
inline constexpr const char* kPcSampleTable = "PROF_PC_SAMPLES";

inline constexpr const char* kMemoryUsageTable = "CUDA_GPU_MEMORY_USAGE_EVENTS";

inline constexpr const char* kContextSwitchTable = "GPU_CONTEXT_SWITCH_EVENTS";
inline constexpr const char* kGenericEventTable = "GENERIC_EVENTS";

inline constexpr const char* kCpuFaultTable = "CUDA_UM_CPU_PAGE_FAULT_EVENTS";
inline constexpr const char* kGpuFaultTable = "CUDA_UM_GPU_PAGE_FAULT_EVENTS";

}  // namespace prof::events
