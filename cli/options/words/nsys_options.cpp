#include "cli/options/words/nsys_options.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace prof::cli {

namespace {

using enum NsysAnswer;
using enum NsysValue;

constexpr char kRun[] = "profile launch";
constexpr char kCollect[] = "profile start";
constexpr char kRecord[] = "profile launch start";
constexpr char kInSession[] = "launch start";

constexpr char kCpuCounters[] = "counters of CPU cores are not recorded; perf stat counts them";
constexpr char kEventSampling[] =
    "events of the CPU are not sampled; prof samples by time (--sampling-frequency)";
constexpr char kGraphics[] = "graphics interfaces are not recorded";
constexpr char kHypervisor[] = "hypervisors are not recorded";
constexpr char kInfiniBand[] = "InfiniBand switches and networks are not recorded";
constexpr char kInStart[] = "give it to prof start";
constexpr char kStorage[] = "GPUDirect Storage is not recorded";
constexpr char kTegra[] = "Tegra's own units are not recorded";
constexpr char kVideo[] = "video engines are not recorded";
constexpr char kWindows[] = "this is for Windows";
constexpr char kQnx[] = "this is for QNX";

// tests/lint/nsys_options.py makes docs/nsys-options.md from these entries.
constexpr NsysOption kOptions[] = {
    {kCollect, "--accelerator-trace", "", kNote, kTegra},
    {"status", "--all", "", kNothing, "", kNone},
    {"profile", "--auto-report-name", "", kNote, kGraphics, kSwitch},
    {kRun, "--cpu-cluster-events", "", kNote, kCpuCounters},
    {kRecord, "--cpu-core-events", "", kNote, kCpuCounters},
    {kCollect, "--cpu-core-metrics", "", kNote, kCpuCounters},
    {kCollect, "--cpu-metrics", "", kNote, kCpuCounters},
    {kRecord, "--cpu-socket-events", "", kNote, kCpuCounters},
    {kCollect, "--cpu-socket-metrics", "", kNote, kCpuCounters},
    {"profile", "--cuda-trace-scope", "process-tree", kNothing, ""},
    {"profile", "--cuda-trace-scope", "", kNote, "only the program and its children are recorded"},
    {kRun, "--dask", "", kNote,
     "name Dask's functions in a file for --python-functions-trace instead"},
    {kCollect, "--debug-symbols", "", kNote,
     "debug files are found by their build id, in /usr/lib/debug and beside the program"},
    {"stop", "--defer-report", "", kNothing, "", kNone},
    {kInSession, "-y,--delay", "", kNote,
     "only prof profile has a delay; in a session, run prof start when it is time"},
    {kCollect, "--discard-environment", "true", kNothing, "", kSwitch},
    {kCollect, "--discard-environment", "false", kNote,
     "environment variables are not recorded, because they can have secrets"},
    {kCollect, "--dts-api-port", "", kNote, kInfiniBand},
    {kInSession, "-d,--duration", "", kNote,
     "only prof profile has a duration; in a session, run prof stop when it is time"},
    {kRun, "--dx-force-declare-adapter-removal-support", "", kNote, kWindows, kSwitch},
    {kRun, "--dx12-gpu-workload", "", kNote, kWindows},
    {kRun, "--dx12-wait-calls", "", kNote, kWindows, kSwitch},
    {"export", "--dynamic-tables", "", kNote,
     "payloads of NVTX are exported in their own tables, not in one for each schema"},
    {"launch", "--enable", "", kNote, kInStart},
    {kCollect, "--etw-provider", "", kNote, kWindows},
    {kCollect, "--event-sample", "", kNote, kEventSampling},
    {kCollect, "--event-sampling-frequency", "", kNote, kEventSampling},
    {kCollect, "--event-sampling-interval", "", kNote, kEventSampling},
    {kCollect, "--event-sampling-multiplex-interval", "", kNote, kEventSampling},
    {"start", "--flush-on-cudaprofilerstop", "true", kNothing, "", kSwitch},
    {"start", "--flush-on-cudaprofilerstop", "false", kNote, "give it to prof launch"},
    {kRecord, "--gds-libs-path", "", kNote, kStorage},
    {kRecord, "--gds-metrics", "", kNote, kStorage, kSwitch},
    {kCollect, "--gpu-metrics-device", "", kAlias, "--gpu-metrics-devices"},
    {kCollect, "--gpu-video-device", "", kNote, kVideo},
    {kCollect, "--gpu-video-devices", "", kNote, kVideo},
    {"start", "--gpuctxsw", "", kNote, "give it to prof launch", kSwitch},
    {kRun, "--hotkey-capture", "", kNote,
     "a program has no window for hot keys; use prof start and prof stop"},
    {kCollect, "--ib-net-info-devices", "", kNote, kInfiniBand},
    {kCollect, "--ib-net-info-files", "", kNote, kInfiniBand},
    {kCollect, "--ib-net-info-output", "", kNote, kInfiniBand},
    {kCollect, "--ib-switch-congestion-device", "", kNote, kInfiniBand},
    {kCollect, "--ib-switch-congestion-devices", "", kNote, kInfiniBand},
    {kCollect, "--ib-switch-congestion-nic-device", "", kNote, kInfiniBand},
    {kCollect, "--ib-switch-congestion-percent", "", kNote, kInfiniBand},
    {kCollect, "--ib-switch-congestion-threshold-high", "", kNote, kInfiniBand},
    {kCollect, "--ib-switch-metrics-device", "", kNote, kInfiniBand},
    {kCollect, "--ib-switch-metrics-devices", "", kNote, kInfiniBand},
    {kCollect, "--ib-switch-metrics-nic-device", "", kNote, kInfiniBand},
    {kRun, "--injection-use-detours", "", kNote, kWindows, kSwitch},
    {kRecord, "--isr", "", kNote, kWindows, kSwitch},
    {kRun, "--mpi-impl", "", kNothing, ""},
    {kRun, "--nccl-trace", "", kNote,
     "NCCL's own trace is not recorded; -t nvtx has NCCL's ranges, -t nccl its calls"},
    {"status", "-n,--network", "", kNothing, "", kNone},
    {kCollect, "--nic-metrics", "true,lf", kAlias, "--enable=network_interface"},
    {kCollect, "--nic-metrics", "", kNote,
     "counters of adapters at this rate are not recorded; --nic-metrics=lf records those of "
     "network interfaces"},
    {kCollect, "--os-events", "", kNote, "events of the OS are not sampled; perf stat counts them"},
    {"launch", "--osrt-file-access", "", kNote,
     "prof profile records which files are used, a session does not", kSwitch},
    {"sessions", "-f,--output-format", "plain", kNothing, ""},
    {"sessions", "-f,--output-format", "json", kAlias, "--json"},
    {"sessions", "-f,--output-format", "", kRefusal, "write plain or json"},
    {kCollect, "--process-scope", "process-tree", kNothing, ""},
    {kCollect, "--process-scope", "", kNote, "the program and its children are recorded"},
    {kRun, "--qnx-kernel-events", "", kNote, kQnx},
    {kRun, "--qnx-kernel-events-mode", "", kNote, kQnx},
    {kCollect, "--reflex-events", "", kNote, kWindows, kSwitch},
    {kRun, "--resolve-symbols", "", kNothing, "", kSwitch},
    {kCollect, "--retain-etw-files", "", kNote, kWindows, kSwitch},
    {kRecord, "--sampling-trigger", "", kNote, kEventSampling},
    {kCollect, "--show-source-info", "", kNothing, "", kSwitch},
    {kCollect, "--soc-metrics", "", kNote, kTegra, kSwitch},
    {kCollect, "--soc-metrics-frequency", "", kNote, kTegra},
    {kCollect, "--soc-metrics-set", "", kNote, kTegra},
    {kCollect, "--storage-devices", "", kNote,
     "nsys has it within --storage-metrics=--storage-devices=NAMES"},
    {kCollect, "--storage-metrics", "true", kAlias, "--enable=storage_metrics", kSwitch},
    {kCollect, "--storage-metrics", "false,none", kNothing, ""},
    {kCollect, "--storage-metrics", "", kAlias, "--enable=storage_metrics,*"},
    {kInSession, "--syscall", "", kNote, "prof profile records system calls, a session does not"},
    {kRun, "--system-wide", "", kNote, kWindows, kSwitch},
    {"start", "-t,--trace", "", kNote, "the session records what prof launch was asked for"},
    {kCollect, "--vsync", "", kNote, kTegra, kSwitch},
    {kRun, "--vulkan-sc-gpu-workload", "", kNote, "Vulkan SC is not recorded"},
    {kRun, "--wddm-additional-events", "", kNote, kWindows, kSwitch},
    {kRun, "--wddm-backtraces", "", kNote, kWindows, kSwitch},
    {kRun, "--wddm-memory-trace", "", kNote, kWindows, kSwitch},
    {kCollect, "--xhv-trace", "", kNote, kHypervisor},
    {kCollect, "--xhv-trace-events", "", kNote, kHypervisor},
    {kCollect, "--xhv-vm-symbols", "", kNote, kHypervisor},
};

// Values of nsys for options that prof also has.
constexpr NsysOption kValues[] = {
    {kCollect, "--capture-range-end", "async,sync", kNote,
     "reports of ranges are written when the recording ends"},
    {kCollect, "--capture-range-end", "defer", kNothing, ""},
    {"start", "--capture-range-end", "stop-shutdown,repeat-shutdown", kNote,
     "the collection ends, and the session goes on; prof shutdown ends it"},
    {kRun, "--cuda-graph-trace", "nvtx-live", kNothing, ""},
    {kRun, "--cuda-graph-trace", "nvtx-precapture", kNote,
     "ranges of graphs that were built before the recording are not known"},
    {kCollect, "--enable", "dcgm,scada_metrics,vclock", kNote, "not recorded"},
    {kRun, "--pytorch", "functions-trace-shapes", kNote,
     "the shapes are in the names of ranges, not in payloads"},
    {"profile", "--syscall", "pid-namespace", kNote,
     "recorded of the program and its children only"},
    {kRun, "--trace",
     "cudla,cudla-verbose,dx11,dx11-annotations,dx12,dx12-annotations,gds,nvvideo,"
     "openxr,openxr-annotations,s3,s3-verbose,"
     "tegra-accelerators,wddm",
     kNote, "not recorded"},
};

// True if it is one of the words of the list.
bool has_word(std::string_view list, char separator, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (list.substr(0, end) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Python writes the words True and False.
bool has_value(std::string_view list, const std::string& value) {
  return has_word(list, ',', in_lower_case(value));
}

}  // namespace

std::string in_lower_case(std::string word) {
  std::ranges::transform(word, word.begin(), [](unsigned char each) { return std::tolower(each); });
  return word;
}

std::string NsysOption::long_name() const {
  const std::string_view list = names;
  return std::string(list.substr(list.find("--")));
}

const NsysOption* find_nsys_option(std::string_view verb, std::string_view name) {
  const auto* const found = std::ranges::find_if(kOptions, [&](const NsysOption& each) {
    return has_word(each.names, ',', name) && has_word(each.verbs, ' ', verb);
  });
  return found == std::end(kOptions) ? nullptr : found;
}

NsysOption answer_to(const NsysOption& option, const std::string& value) {
  const NsysOption* each = &option;
  for (; each != std::end(kOptions) && std::string_view(each->names) == option.names; ++each) {
    const bool is_for_all = *each->values == '\0';
    if (std::string_view(each->verbs) != option.verbs) continue;
    if (!is_for_all && !has_value(each->values, value)) continue;
    NsysOption answer = *each;
    if (is_for_all && answer.answer == kNote && has_value("none,false", value))
      answer.answer = kNothing;
    return answer;
  }
  return {option.verbs, option.names, "", kNothing, ""};
}

const char* find_nsys_value(std::string_view name, const std::string& value) {
  for (const NsysOption& each : kValues)
    if (name == each.names && has_value(each.values, value)) return each.text;
  return nullptr;
}

std::string note_on_value(const std::string& name, const std::string& value) {
  return name + '=' + value + ": " + find_nsys_value(name, value);
}

}  // namespace prof::cli
