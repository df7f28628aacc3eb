#include "exporters/analysis/stats/catalog.hpp"

#include <algorithm>

#include "exporters/analysis/events/api_calls.hpp"
#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/graphics/vulkan_tables.hpp"
#include "exporters/analysis/events/kernels.hpp"
#include "exporters/analysis/events/memory/memory_operations.hpp"
#include "exporters/analysis/events/metrics/gpu_metrics.hpp"
#include "exporters/analysis/events/nvtx/nvtx_ranges.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/stats/vulkan/vulkan_statistics.hpp"

namespace prof::stats {

using events::kApiCallChainTable;
using events::kApiTable;
using events::kCollectiveTable;
using events::kCpuFaultTable;
using events::kCpuSampleTable;
using events::kFileEventTypes;
using events::kGenericEventTable;
using events::kGpuFaultTable;
using events::kGpuMetricTable;
using events::kGraphTable;
using events::kKernelTable;
using events::kMemcpyTable;
using events::kMemoryUsageTable;
using events::kMemsetTable;
using events::kNvtxTable;
using events::kOpenAccTables;
using events::kOpenGlGroupTable;
using events::kOpenGlTable;
using events::kOpenMpParallelTable;
using events::kOpenMpTables;
using events::kOsrtCallChainTable;
using events::kOsrtTable;
using events::kOtherMpiTable;
using events::kPcSampleTable;
using events::kPointToPointTable;
using events::kSchedulingTable;
using events::kShmemTable;
using events::kShortCallTable;
using events::kStartWaitTable;
using events::kSyscallTable;
using events::kTorchMemoryTable;
using events::kUcpProgressTable;
using events::kUcpSubmitTable;
using events::kUcpTable;
using events::kVulkanLabelTable;
using events::kVulkanMemoryTable;
using events::kVulkanTable;
using events::kVulkanWorkTable;

namespace {

constexpr Source kNoNvtx = {"NV Tools Extension (NVTX) data",
                            "-t nvtx, if the program has NVTX ranges"};
constexpr Source kNoOsrt = {"OS Runtime trace data", "-t osrt"};
constexpr Source kNoApi = {"CUDA trace data", "-t cuda, if the program uses CUDA"};
constexpr Source kNoProfiles = {"profiles of kernels", "prof kernel"};
constexpr Source kNoSassCounts = {"SASS metrics of kernels",
                                  "prof kernel --metrics=smsp__sass_..."};
constexpr Source kNoKernels = {"CUDA kernel data", "-t cuda, if the program uses a GPU"};
constexpr Source kNoGpu = {"GPU trace data", "-t cuda, if the program uses a GPU"};
constexpr Source kNoMemory = {"GPU memory data", "-t cuda, if the program uses a GPU"};
constexpr Source kNoFaults = {
    "CUDA Unified Memory CPU page faults data",
    "-t cuda --cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true"};
constexpr Source kNoUsage = {"GPU memory usage data", "-t cuda --cuda-memory-usage=true"};
constexpr Source kNoOwners = {"GPU memory usage data",
                              "--pytorch=memory, or -t cuda --cuda-memory-usage=true"};
constexpr Source kNoTorchMemory = {"memory of PyTorch",
                                   "--pytorch=memory, if the program uses PyTorch"};
constexpr Source kNoMpi = {"MPI event data", "-t mpi, if the program uses MPI"};
constexpr Source kNoUcx = {"UCX data", "-t ucx, if the program uses UCX"};
constexpr Source kNoShmem = {"OpenSHMEM data", "-t oshmem, if the program uses OpenSHMEM"};
constexpr Source kNoOpenMp = {"OpenMP event data", "-t openmp, if the program uses OpenMP"};
constexpr Source kNoOpenAcc = {"OpenACC event data", "-t openacc, if the program uses OpenACC"};
constexpr Source kNoVulkan = {"Vulkan data", "-t vulkan, if the program uses Vulkan"};
constexpr Source kNoVulkanLabels = {"debug labels of Vulkan",
                                    "-t vulkan-annotations, if the program has labels"};
constexpr Source kNoVulkanMemory = {"memory of Vulkan", "-t vulkan, if the program uses Vulkan"};
constexpr Source kNoVulkanWork = {"GPU workloads of Vulkan",
                                  "-t vulkan, if the program uses Vulkan"};
constexpr Source kNoOpenGl = {"OpenGL data", "-t opengl, if the program uses OpenGL"};
constexpr Source kNoFrames = {"frames of graphics programs",
                              "-t opengl or -t vulkan, if the program shows frames"};
constexpr Source kNoOpenGlGroups = {"debug groups of OpenGL",
                                    "-t opengl-annotations, if the program has debug groups"};
constexpr Source kNoSyscalls = {"syscall data", "-t syscall"};
constexpr Source kNoFtrace = {"events of ftrace", "--ftrace=sched/sched_wakeup"};
constexpr Source kNoApiChains = {"call chains of CUDA API calls", "-t cuda --cudabacktrace=all"};
constexpr Source kNoOsrtChains = {"call chains of OS-runtime calls",
                                  "-t osrt --osrt-backtrace-depth=24"};
constexpr Source kNoPython = {"Python samples", "--python-sampling=true"};
constexpr Source kNoSamples = {"CPU samples", "--sample=process-tree"};
constexpr Source kNoSwitches = {"scheduling data", "--cpuctxsw=process-tree"};
constexpr Source kNoIterations = {"iterations", "-t cuda,nvtx, if the program repeats kernels"};
constexpr Source kNoPath = {"calls or GPU operations", "-t cuda,osrt"};
constexpr Source kNoNccl = {"communication kernels", "-t cuda, if the program uses NCCL"};
constexpr Source kNoCollectives = {"NCCL's NVTX ranges with payloads",
                                   "-t cuda,nvtx, if the program uses NCCL"};
constexpr Source kNoPayloads = {"NVTX payloads",
                                "-t nvtx, if the program's NVTX events have payloads"};
constexpr Source kNoHeaps = {"heaps or regions of nvtxMem",
                             "-t nvtx, if the program describes its memory with nvtxMem"};
constexpr Source kNoShortCalls = {"calls below --osrt-threshold", "-t osrt"};
constexpr Source kNoMetrics = {"GPU metrics", "--gpu-metrics-devices=all"};
constexpr Source kNoPcSamples = {"PC samples", "-t cuda --pc-sampling, on GPUs from Turing on"};
constexpr Source kNoPower = {"the power of GPUs", "--enable=nvml_metrics"};
constexpr Source kNoNvLink = {
    "NVLink counters", "--enable=nvml_metrics --gpu-metrics-devices=all, on GPUs with NVLink"};
constexpr Source kNoNetwork = {"network counters", "--enable=network_interface"};
constexpr Source kNoFiles = {"file accesses", "-t osrt --osrt-file-access=true"};

// clang-format off
constexpr Statistic kCatalog[] = {
    {"nvtx_sum", "nvtxsum", "NVTX Range Summary",
     {kNvtxTable}, kNoNvtx, nvtx_sum, Takes::kMerge,
     "Time in NVTX ranges of both kinds, by domain and name"},
    {"osrt_sum", "osrtsum", "OS Runtime Summary",
     {kOsrtTable}, kNoOsrt, osrt_sum, Takes::kNothing,
     "Time in OS-runtime calls, by function"},
    {"cuda_api_sum", "cudaapisum", "CUDA API Summary",
     {kApiTable}, kNoApi, cuda_api_sum, Takes::kNothing,
     "Time in CUDA API calls, by function"},
    {"cuda_gpu_kern_sum", "gpukernsum", "CUDA GPU Kernel Summary",
     {kKernelTable}, kNoKernels, cuda_gpu_kern_sum, Takes::kKernelAndRangeName,
     "Time in kernels, by name"},
    {"cuda_gpu_mem_time_sum", "gpumemtimesum", "CUDA GPU MemOps Summary (by Time)",
     {kMemcpyTable, kMemsetTable}, kNoMemory, cuda_gpu_mem_time_sum, Takes::kNothing,
     "Time in copies and fills of GPU memory, by direction"},
    {"cuda_gpu_mem_size_sum", "gpumemsizesum", "CUDA GPU MemOps Summary (by Size)",
     {kMemcpyTable, kMemsetTable}, kNoMemory, cuda_gpu_mem_size_sum, Takes::kNothing,
     "Bytes of GPU memory copied and filled, by direction"},

    {"openmp_sum", "openmpevtsum", "OpenMP Summary",
     {kOpenMpTables}, kNoOpenMp, openmp_sum, Takes::kNothing,
     "Time in OpenMP events, by name"},
    {"opengl_khr_range_sum", nullptr, "OpenGL KHR_debug Range Summary",
     {kOpenGlGroupTable}, kNoOpenGlGroups, opengl_khr_range_sum, Takes::kNothing,
     "Time in debug groups of OpenGL, by text"},
    {"opengl_khr_gpu_range_sum", nullptr, "OpenGL KHR_debug GPU Range Summary",
     {kOpenGlGroupTable}, kNoOpenGlGroups, opengl_khr_gpu_range_sum, Takes::kNothing,
     "Time of GPUs in debug groups of OpenGL, by text"},
    {"vulkan_marker_sum", nullptr, "Vulkan Range Summary",
     {kVulkanLabelTable}, kNoVulkanLabels, vulkan_marker_sum, Takes::kNothing,
     "Time in debug labels of Vulkan, by text"},
    {"vulkan_gpu_marker_sum", nullptr, "Vulkan GPU Range Summary",
     {kVulkanWorkTable}, kNoVulkanWork, vulkan_gpu_marker_sum, Takes::kNothing,
     "Time of GPUs in debug labels of Vulkan, by text"},
    {"um_sum", "unifiedmemory", "Unified Memory Analysis Summary",
     {kCpuFaultTable, kGpuFaultTable, kMemcpyTable}, kNoFaults, um_sum, Takes::kRows,
     "Migrations and page faults of unified memory, by address"},
    {"um_total_sum", "unifiedmemorytotals", "Unified Memory Totals Summary",
     {kCpuFaultTable, kGpuFaultTable, kMemcpyTable}, kNoFaults, um_total_sum, Takes::kNothing,
     "Total migrations and page faults of unified memory"},
    {"um_cpu_page_faults_sum", "umcpupagefaults", "Unified Memory CPU Page Faults Summary",
     {kCpuFaultTable}, kNoFaults, um_cpu_page_faults_sum, Takes::kNothing,
     "CPU page faults in unified memory, by instruction"},
    {"openacc_sum", "openaccsum", "OpenACC Summary",
     {kOpenAccTables}, kNoOpenAcc, openacc_sum, Takes::kNothing,
     "Time in OpenACC events, by name"},
    {"syscall_sum", nullptr, "Syscall Summary",
     {kSyscallTable}, kNoSyscalls, syscall_sum, Takes::kNothing,
     "Time in system calls, by name"},
    {"ftrace_sum", nullptr, "Ftrace Event Summary",
     {kGenericEventTable}, kNoFtrace, ftrace_sum, Takes::kNothing,
     "Events of the kernel's tracepoints, by name"},

    {"cuda_api_gpu_sum", "apigpusum", "CUDA Summary (API/Kernels/MemOps)",
     {kApiTable, kKernelTable, kMemcpyTable, kMemsetTable}, kNoApi, cuda_api_gpu_sum, Takes::kKernelAndRangeName,
     "Time in CUDA API calls, kernels, copies and fills together"},
    {"cuda_api_trace", "cudaapitrace", "CUDA API Trace",
     {kApiTable}, kNoApi, cuda_api_trace, Takes::kNothing,
     "Every CUDA API call"},
    {"cuda_gpu_kern_gb_sum", "gpukerngbsum", "CUDA GPU Kernel/Grid/Block Summary",
     {kKernelTable}, kNoKernels, cuda_gpu_kern_gb_sum, Takes::kKernelAndRangeName,
     "Time in kernels, by name, grid and block"},
    {"cuda_gpu_sum", "gpusum", "CUDA GPU Summary (Kernels/MemOps)",
     {kKernelTable, kMemcpyTable, kMemsetTable}, kNoGpu, cuda_gpu_sum, Takes::kKernelAndRangeName,
     "Time in kernels, copies and fills together"},
    {"cuda_gpu_trace", "gputrace", "CUDA GPU Trace",
     {kKernelTable, kMemcpyTable, kMemsetTable}, kNoGpu, cuda_gpu_trace, Takes::kKernelAndRangeName,
     "Every kernel, copy and fill"},
    {"cuda_kern_exec_sum", "kernexecsum", "CUDA Kernel Launch & Exec Time Summary",
     {kKernelTable}, kNoKernels, cuda_kern_exec_sum, Takes::kKernelAndRangeName,
     "Time of launch, wait and run of kernels, by thread and name"},
    {"cuda_kern_exec_trace", "kernexectrace", "CUDA Kernel Launch & Exec Time Trace",
     {kKernelTable}, kNoKernels, cuda_kern_exec_trace, Takes::kKernelAndRangeName,
     "Every kernel with its launch"},
    {"mpi_event_sum", nullptr, "MPI Event Summary",
     {kPointToPointTable, kCollectiveTable, kStartWaitTable, kOtherMpiTable}, kNoMpi, mpi_event_sum, Takes::kNothing,
     "Time in MPI calls, by function"},
    {"mpi_event_trace", nullptr, "MPI Event Trace",
     {kPointToPointTable, kCollectiveTable, kStartWaitTable, kOtherMpiTable}, kNoMpi, mpi_event_trace, Takes::kNothing,
     "Every MPI call"},
    {"mpi_calls", nullptr, "MPI Call Summary",
     {kPointToPointTable, kCollectiveTable, kStartWaitTable, kOtherMpiTable}, kNoMpi, mpi_calls, Takes::kNothing,
     "Each MPI call once, by function, with the bytes of messages"},
    {"mpi_ranks", nullptr, "MPI Rank Summary",
     {kPointToPointTable, kCollectiveTable, kStartWaitTable, kOtherMpiTable}, kNoMpi, mpi_ranks, Takes::kNothing,
     "Time of each process in MPI and outside of it, and the bytes of its messages"},
    {"mpi_msg_size_sum", nullptr, "MPI Message Size Summary",
     {kPointToPointTable, kCollectiveTable}, kNoMpi, mpi_msg_size_sum, Takes::kNothing,
     "Sizes of MPI messages, by function"},
    {"nvtx_gpu_proj_sum", nullptr, "NVTX GPU Projection Summary",
     {kNvtxTable}, kNoNvtx, nvtx_gpu_proj_sum, Takes::kNothing,
     "GPU time of the operations launched in NVTX ranges, by domain and name"},
    {"nvtx_gpu_proj_trace", "nvtxgpuproj", "NVTX GPU Projection Trace",
     {kNvtxTable}, kNoNvtx, nvtx_gpu_proj_trace, Takes::kNothing,
     "Every NVTX range with GPU operations, projected onto the GPU"},
    {"nvtx_kern_sum", "nvtxkernsum", "NVTX Range Kernel Summary",
     {kNvtxTable}, kNoNvtx, nvtx_kern_sum, Takes::kKernelName,
     "Time in kernels, by the NVTX ranges around their launches"},
    {"nvtx_pushpop_sum", "nvtxppsum", "NVTX Push/Pop Range Summary",
     {kNvtxTable}, kNoNvtx, nvtx_pushpop_sum, Takes::kMerge,
     "Time in NVTX push/pop ranges, by domain and name"},
    {"nvtx_pushpop_trace", "nvtxpptrace", "NVTX Push/Pop Range Trace",
     {kNvtxTable}, kNoNvtx, nvtx_pushpop_trace, Takes::kNothing,
     "Every NVTX push/pop range, with the ranges around it"},
    {"nvtx_startend_sum", "nvtxsesum", "NVTX Start/End Range Summary",
     {kNvtxTable}, kNoNvtx, nvtx_startend_sum, Takes::kMerge,
     "Time in NVTX start/end ranges, by domain and name"},
    {"vulkan_api_sum", nullptr, "Vulkan API Summary",
     {kVulkanTable}, kNoVulkan, vulkan_api_sum, Takes::kNothing,
     "Time in calls of Vulkan, by function"},
    {"vulkan_api_trace", nullptr, "Vulkan API Trace",
     {kVulkanTable}, kNoVulkan, vulkan_api_trace, Takes::kNothing,
     "Every call of Vulkan, and its debug labels"},

    // nsys does not have the statistics that follow.
    {"opengl_api_sum", nullptr, "OpenGL API Summary",
     {kOpenGlTable}, kNoOpenGl, opengl_api_sum, Takes::kNothing,
     "Time in calls of OpenGL, EGL and GLX, by function"},
    {"frames", nullptr, "Frames of Graphics Programs",
     {kOpenGlTable, kVulkanTable}, kNoFrames, frames, Takes::kNothing,
     "Every frame: its time on CPU and GPU, the wait at its end, and whether it stutters"},
    {"openmp_regions", nullptr, "OpenMP Region Summary",
     {kOpenMpParallelTable}, kNoOpenMp, openmp_regions, Takes::kNothing,
     "Time in parallel regions, their imbalance and barriers, by source line"},
    {"openmp_barriers", nullptr, "OpenMP Barrier Summary",
     {events::kOpenMpSyncTable}, kNoOpenMp, openmp_barriers, Takes::kNothing,
     "Time of threads in barriers and taskwait, by source line and region"},
    {"ucx_sum", nullptr, "UCX Summary",
     {kUcpSubmitTable, kUcpProgressTable, kUcpTable}, kNoUcx, ucx_sum, Takes::kNothing,
     "Time in UCX calls, by function, and of transfers until they are done"},
    {"ucx_msg_size_sum", nullptr, "UCX Message Size Summary",
     {kUcpSubmitTable, kUcpProgressTable}, kNoUcx, ucx_msg_size_sum, Takes::kNothing,
     "Sizes of UCX transfers, by function"},
    {"oshmem_sum", nullptr, "OpenSHMEM Summary",
     {kShmemTable}, kNoShmem, oshmem_sum, Takes::kNothing,
     "Time in OpenSHMEM calls, by function"},
    {"oshmem_msg_size_sum", nullptr, "OpenSHMEM Message Size Summary",
     {kShmemTable}, kNoShmem, oshmem_msg_size_sum, Takes::kNothing,
     "Sizes of what OpenSHMEM calls move, by function"},
    {"cuda_api_callers", nullptr, "CUDA API Callers",
     {kApiCallChainTable}, kNoApiChains, cuda_api_callers, Takes::kDepth,
     "Time in CUDA API calls, by function and the code that calls it"},
    {"osrt_callers", nullptr, "OS Runtime Callers",
     {kOsrtCallChainTable}, kNoOsrtChains, osrt_callers, Takes::kDepth,
     "Time in OS-runtime calls, by function and the code that calls it"},
    {"python_sample_sum", nullptr, "Python Sample Summary",
     {"PROF_PYTHON_SAMPLES"}, kNoPython, python_sample_sum, Takes::kLine,
     "Samples of Python threads, by function or line"},
    {"cpu_sample_sum", nullptr, "CPU Sample Summary",
     {kCpuSampleTable}, kNoSamples, cpu_sample_sum, Takes::kSamples,
     "CPU samples by function, line, module, thread or process"},
    {"cpu_sample_tree", nullptr, "CPU Sample Call Tree",
     {kCpuSampleTable}, kNoSamples, cpu_sample_tree, Takes::kTree,
     "CPU samples by call path, beginning with the outermost or the innermost function"},
    {"thread_state_sum", nullptr, "Thread State Summary",
     {kSchedulingTable}, kNoSwitches, thread_state_sum, Takes::kStates,
     "Time that threads ran, waited for a CPU or slept, by thread or by the call they waited in"},
    {"gpu_time_breakdown", nullptr, "GPU Time Breakdown",
     {kKernelTable, kMemcpyTable, kMemsetTable, kGraphTable}, kNoGpu, gpu_time_breakdown, Takes::kNothing,
     "Time that each GPU spent computing, communicating, copying and idle"},
    {"gpu_idle_sum", nullptr, "GPU Idle Time Summary",
     {kKernelTable, kMemcpyTable, kMemsetTable, kGraphTable}, kNoGpu, gpu_idle_sum, Takes::kNothing,
     "Idle times of the GPUs, by cause, NVTX range and API call"},
    {"iteration_sum", nullptr, "Iteration Summary",
     {kKernelTable, kGraphTable}, kNoIterations, iteration_sum, Takes::kRange,
     "Length of the iterations (steps, tokens), and what takes more time in the longest one"},
    {"critical_path", nullptr, "Critical Path",
     {kApiTable, kKernelTable, kOsrtTable, kCollectiveTable}, kNoPath, critical_path, Takes::kPath,
     "What decided how long the run took: work and waits, each until the next could begin"},
    {"what_if", nullptr, "What If",
     {kApiTable, kKernelTable, kOsrtTable, kCollectiveTable}, kNoPath, what_if, Takes::kWhatIf,
     "How long the run would take if a range, a kernel or a call took less time, or none"},
    {"stream_sum", nullptr, "CUDA Stream Summary",
     {kKernelTable, kMemcpyTable, kMemsetTable, kGraphTable}, kNoGpu, stream_sum, Takes::kNothing,
     "Operations and busy time of each CUDA stream, and its overlap with other streams"},
    {"queue_length", nullptr, "CUDA Launch Queue Length",
     {kKernelTable, kMemcpyTable, kMemsetTable, kGraphTable}, kNoGpu, queue_length, Takes::kNothing,
     "How many launches waited for the GPU, by stream"},
    {"launch_stats", nullptr, "CUDA Launch Statistics",
     {kKernelTable}, kNoKernels, launch_stats, Takes::kKernelAndRangeName,
     "Launch calls, launch delays and short kernels, by name"},
    {"nccl_sum", nullptr, "GPU Communication Summary",
     {kKernelTable}, kNoNccl, nccl_sum, Takes::kNothing,
     "Time in communication kernels (NCCL and others), and its overlap with computation"},
    {"nccl_bandwidth", nullptr, "NCCL Bandwidth Summary",
     {kNvtxTable}, kNoCollectives, nccl_bandwidth, Takes::kNothing,
     "Bytes and bandwidths of NCCL's operations, by communicator, operation and size"},
    {"nvtx_payload_sum", nullptr, "NVTX Payload Summary",
     {kNvtxTable}, kNoPayloads, nvtx_payload_sum, Takes::kNothing,
     "Numbers in payloads of NVTX events, by event and field"},
    {"nvtx_mem_sum", nullptr, "NVTX Memory Summary",
     {"PROF_NVTX_MEMORY"}, kNoHeaps, nvtx_mem_sum, Takes::kNothing,
     "Heaps that the program describes with nvtxMem, and how much of them is in use"},
    {"tensor_core_sum", nullptr, "Tensor Core Usage Summary",
     {kKernelTable}, kNoKernels, tensor_core_sum, Takes::kNothing,
     "Kernels by name: do they use the tensor cores, or could they"},
    {"operator_sum", nullptr, "Operator Summary",
     {kKernelTable, kMemcpyTable, kMemsetTable, kGraphTable}, kNoGpu, operator_sum, Takes::kOperators,
     "GPU time, FLOPs, bytes and limits of operators, by shape and module"},
    {"operator_trace", nullptr, "Operator Trace",
     {kKernelTable, kMemcpyTable, kMemsetTable, kGraphTable}, kNoGpu, operator_trace, Takes::kNothing,
     "Every call of an operator with GPU operations, its FLOPs and bytes"},
    {"operator_memory", nullptr, "Operator Memory",
     {kMemoryUsageTable, kTorchMemoryTable}, kNoOwners, operator_memory, Takes::kOperators,
     "Memory by operator and module: at the peak, allocated, never freed"},
    {"torch_memory", nullptr, "PyTorch Memory",
     {kTorchMemoryTable}, kNoTorchMemory, torch_memory, Takes::kNothing,
     "Memory that PyTorch's allocators handed out and reserved, and requests that failed"},
    {"module_tree", nullptr, "Module Tree",
     {kKernelTable, kMemcpyTable, kMemsetTable, kGraphTable}, kNoGpu, module_tree, Takes::kNothing,
     "GPU time and FLOPs of modules, forward and backward, with the modules inside"},
    {"roofline", nullptr, "Operator Roofline",
     {kKernelTable}, kNoKernels, roofline, Takes::kNothing,
     "Operators compared with what their GPU could compute and move, by the time at stake"},
    {"mfu", nullptr, "Model FLOPs Utilization",
     {kKernelTable}, kNoKernels, mfu, Takes::kRange,
     "Share of the GPU's peak rate of matrix products that the iterations (steps, tokens) reach"},
    {"pyprof", nullptr, "PyProf",
     {kKernelTable}, kNoKernels, pyprof, Takes::kPyprof,
     "Every kernel with its operator, in the columns of NVIDIA's PyProf"},
    {"gpu_metric_util_sum", nullptr, "GPU Metrics Summary",
     {kGpuMetricTable}, kNoMetrics, gpu_metric_util_sum, Takes::kMetrics,
     "Averages of GPU metrics (SMs active, DRAM bandwidth, …): all, by NVTX range or by kernel"},
    {"gpu_metrics_trace", nullptr, "GPU Metrics Trace",
     {kGpuMetricTable}, kNoMetrics, gpu_metrics_trace, Takes::kNothing,
     "Every sample of the GPU metrics"},
    {"power_sum", nullptr, "GPU Power and Energy Summary",
     {kGenericEventTable}, kNoPower, power_sum, Takes::kPower,
     "Power and energy of GPUs: of the run, by NVTX range, by kernel or of the iterations"},
    {"nvlink_sum", nullptr, "NVLink Summary",
     {kGenericEventTable, kGpuMetricTable}, kNoNvLink, nvlink_sum, Takes::kNothing,
     "Bytes and rates over NVLink, by GPU and direction"},
    {"network_sum", nullptr, "Network Summary",
     {kGenericEventTable}, kNoNetwork, network_sum, Takes::kNothing,
     "Bytes and rates of network interfaces, InfiniBand and EFA ports, by direction"},
    {"vulkan_memory", nullptr, "Vulkan Memory Summary",
     {kVulkanMemoryTable}, kNoVulkanMemory, vulkan_memory, Takes::kNothing,
     "Memory of Vulkan's devices that the program allocates, by heap"},
    {"memory_usage", nullptr, "GPU Memory Usage Summary",
     {kMemoryUsageTable}, kNoUsage, memory_usage, Takes::kNothing,
     "Allocations, peak and memory that was never freed, by kind of memory"},
    {"memory_usage_trace", nullptr, "GPU Memory Usage Trace",
     {kMemoryUsageTable}, kNoUsage, memory_usage_trace, Takes::kNothing,
     "Every allocation and release, with the memory in use after it"},
    {"osrt_file_sum", nullptr, "OS Runtime File Summary",
     {kFileEventTypes}, kNoFiles, osrt_file_sum, Takes::kBytes,
     "Time and bytes of files, sockets and pipes"},
    {"osrt_short_sum", nullptr, "OS Runtime Short Call Summary",
     {kShortCallTable}, kNoShortCalls, osrt_short_sum, Takes::kNothing,
     "Time in OS-runtime calls that are too short for osrt_sum, by function"},
    {"kernel_occupancy", nullptr, "CUDA Kernel Occupancy",
     {kKernelTable}, kNoKernels, kernel_occupancy, Takes::kKernelAndRangeName,
     "Theoretical occupancy, its limiter, and waves, by kernel and launch configuration"},
    {"kernel_rules", nullptr, "CUDA Kernel Rules",
     {kKernelTable}, kNoKernels, kernel_rules, Takes::kKernelAndRangeName,
     "Rules about launches and metrics of kernels: the reason and the time at stake"},
    {"kernel_profile_sum", nullptr, "CUDA Kernel Profile Summary",
     {"PROF_KERNEL_PROFILES"}, kNoProfiles, kernel_profile_sum, Takes::kKernelAndRangeName,
     "Why profiled kernels are slow: a verdict, the main rule and the next step, by kernel"},
    {"kernel_metrics", nullptr, "CUDA Kernel Metrics",
     {"PROF_KERNEL_PROFILES"}, kNoProfiles, kernel_metrics, Takes::kKernelAndRangeName,
     "Metrics of profiled kernels, and their spread over launches"},
    {"kernel_source_lines", nullptr, "CUDA Kernel Source Lines",
     {"PROF_SASS_COUNTS"}, kNoSassCounts, kernel_source_lines, Takes::kKernelName,
     "What source lines of profiled kernels do: instructions, threads, sectors, bank conflicts"},
    {"kernel_roofline", nullptr, "CUDA Kernel Roofline",
     {"PROF_KERNEL_PROFILES"}, kNoProfiles, kernel_roofline, Takes::kKernelAndRangeName,
     "Operations and bytes of profiled kernels, and what the GPU could do"},
    {"kernel_memory", nullptr, "CUDA Kernel Memory Chart",
     {"PROF_KERNEL_PROFILES"}, kNoProfiles, kernel_memory, Takes::kKernelAndRangeName,
     "Bytes that profiled kernels move between the levels of memory, and hit rates"},
    {"kernel_stalls", nullptr, "CUDA Kernel Stalls",
     {"PROF_KERNEL_PROFILES"}, kNoProfiles, kernel_stalls, Takes::kKernelAndRangeName,
     "What the warps of profiled kernels wait for between two instructions"},
    {"pc_sampling_sum", nullptr, "PC Sampling Summary",
     {kPcSampleTable}, kNoPcSamples, pc_sampling_sum, Takes::kKernelName,
     "What the warps of kernels wait for, by kernel and stall reason"},
    {"pc_sampling_lines", nullptr, "PC Sampling by Source Line",
     {kPcSampleTable}, kNoPcSamples, pc_sampling_lines, Takes::kKernelName,
     "Source lines of kernels at which warps wait, and what for"},
    {"pc_sampling_functions", nullptr, "PC Sampling by Function",
     {kPcSampleTable}, kNoPcSamples, pc_sampling_functions, Takes::kNothing,
     "Functions in kernels, also inlined ones, in which warps wait, and what for"},
    {"pc_sampling_sass", nullptr, "PC Sampling by Machine Instruction",
     {kPcSampleTable}, kNoPcSamples, pc_sampling_sass, Takes::kKernel,
     "Machine instructions of the kernel with the most samples, or of others, with their samples"},
};
// clang-format on

bool has_any(const report::ReportReader& reader, std::string_view table) {
  return table.ends_with('*') ? !events::tables_like(reader, table).empty()
                              : reader.has_table(table);
}

}  // namespace

std::span<const Statistic> catalog() { return kCatalog; }

bool has_table(const Statistic& report, const report::ReportReader& reader) {
  return std::any_of(report.tables.begin(), report.tables.end(),
                     [&](const char* table) { return table != nullptr && has_any(reader, table); });
}

const Statistic* find_statistic(std::string_view name) {
  for (const Statistic& report : kCatalog)
    if (name == report.name || (report.old_name != nullptr && name == report.old_name))
      return &report;
  return nullptr;
}

base::Result<tables::Table> run(const Statistic& report, const report::ReportReader& reader,
                                const Arguments& arguments) {
  return has_table(report, reader) ? report.run(reader, arguments) : tables::Table{};
}

}  // namespace prof::stats
