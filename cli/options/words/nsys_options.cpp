#include "cli/options/words/nsys_options.hpp"

namespace prof::cli {

namespace {

constexpr NsysOption kOptions[] = {
    {"--all", nullptr, nullptr, "prof status prints all that it knows without an option"},
    {"--cpu-core-events", nullptr, nullptr,
     "counters of CPU cores are not recorded; perf stat counts them"},
    {"--dask", nullptr, "none",
     "name Dask's functions in a file for --python-functions-trace instead"},
    {"--debug-symbols", nullptr, nullptr,
     "debug files are found by their build id, in /usr/lib/debug and beside the program"},
    {"--delay", "-y", nullptr,
     "only prof profile has a delay; in a session, run prof start when it is time"},
    {"--duration", "-d", nullptr,
     "only prof profile has a duration; in a session, run prof stop when it is time"},
    {"--duration-frames", nullptr, nullptr, "frames of graphics programs are not traced"},
    {"--event-sample", nullptr, "none",
     "events of the CPU are not sampled; prof samples by time (--sampling-frequency)"},
    {"--event-sampling-interval", nullptr, nullptr,
     "events of the CPU are not sampled; prof samples by time (--sampling-frequency)"},
    {"--flush-on-cudaprofilerstop", nullptr, "true", "prof launch takes it"},
    {"--ftrace", nullptr, nullptr,
     "events of ftrace are not recorded; -t syscall records system calls"},
    {"--ftrace-keep-user-config", nullptr, nullptr,
     "events of ftrace are not recorded, and prof does not change its configuration"},
    {"--gpu-metrics-devices", nullptr, "none",
     "prof profile samples metrics of GPUs, a session does not"},
    {"--gpu-metrics-frequency", nullptr, nullptr,
     "prof profile samples metrics of GPUs, a session does not"},
    {"--gpu-metrics-set", nullptr, nullptr,
     "prof profile samples metrics of GPUs, a session does not"},
    {"--gpu-video-device", nullptr, "none", "video engines are not traced"},
    {"--gpuctxsw", nullptr, "false", "context switches of the GPU are not recorded"},
    {"--hotkey-capture", nullptr, nullptr,
     "hot keys are not supported, as a program has no window; use prof start and prof stop"},
    {"--ib-net-info-devices", nullptr, nullptr, "InfiniBand networks are not recorded"},
    {"--ib-net-info-files", nullptr, nullptr, "InfiniBand networks are not recorded"},
    {"--ib-net-info-output", nullptr, nullptr, "InfiniBand networks are not recorded"},
    {"--mpi-impl", nullptr, nullptr,
     "MPI calls are not traced; NVTX ranges of the program can show them"},
    {"--network", "-n", nullptr, "networks are not profiled"},
    {"--nic-metrics", nullptr, "false", "metrics of network adapters are not sampled"},
    {"--opengl-gpu-workload", nullptr, nullptr, "OpenGL is not traced"},
    {"--os-events", nullptr, nullptr, "events of the OS are not sampled; perf stat counts them"},
    {"--resolve-symbols", nullptr, "true", "names of functions are always found"},
    {"--run-as", nullptr, nullptr,
     "run prof itself as that user (sudo -u USER prof ...): it needs no administrator rights"},
    {"--start-frame-index", nullptr, nullptr, "frames of graphics programs are not traced"},
    {"--start-later", "-Y", "false", "run prof launch instead, and prof start when it is time"},
    {"--vulkan-gpu-workload", nullptr, nullptr, "Vulkan is not traced"},
};

}  // namespace

const NsysOption* find_nsys_option(const std::string& name) {
  for (const NsysOption& option : kOptions)
    if (name == option.name || (option.short_name != nullptr && name == option.short_name))
      return &option;
  return nullptr;
}

}  // namespace prof::cli
