// prof profile: runs a program and records it.
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/options/call_chain_options.hpp"
#include "cli/options/capture_range_options.hpp"
#include "cli/options/sampling_options.hpp"
#include "cli/options/cuda_options.hpp"
#include "cli/failure.hpp"
#include "cli/options/output_name.hpp"
#include "cli/output/print_stats.hpp"
#include "cli/options/python_options.hpp"
#include "cli/output/report_steps.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "collector/base/unique_fd.hpp"
#include "collector/session/launch/capabilities.hpp"
#include "collector/session/recording.hpp"

namespace prof::cli {

namespace {

// Event types of META_DATA_CAPTURE, by wire::Library; nsys has the first two.
constexpr const char* kLibraryEvents[wire::kLibraries] = {
    "CublasEvents", "CudnnEvents", "CusolverEvents", "CusparseEvents", "NcclEvents"};

constexpr std::uint64_t kSmallestBuffer = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestBuffer = std::uint64_t{1} << 30;

// A comma-separated list in which "\," is a comma in a name.
std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size())
      names.back() += list[++i];
    else if (list[i] == ',')
      names.emplace_back();
    else
      names.back() += list[i];
  }
  std::erase(names, "");
  return names;
}

// "A=B,C=D"
std::vector<std::pair<std::string, std::string>> parse_environment(
    const std::vector<std::string>& lists) {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const std::string& list : lists) {
    for (const std::string& item : split_list(list)) {
      const std::size_t equals = item.find('=');
      if (equals == std::string::npos || equals == 0)
        throw Failure("--env-var " + item + ": write NAME=value", kBadUsage);
      variables.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    }
  }
  return variables;
}

// Is a profiler listening at the session our own environment names?
bool inside_a_session() {
  const char* session = std::getenv(wire::kSessionVariable);
  if (session == nullptr) return false;
  const base::UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = std::string(session) + "/" + wire::kControlSocketName;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

class Profile final : public Verb {
 public:
  const char* name() const override { return "profile"; }
  const char* summary() const override { return "Run a program and record it into a report"; }
  bool takes_command() const override { return true; }

  void define(CLI::App& app) override {
    app.add_option("-t,--trace", traces_, "What to trace: " + trace_names() + "; comma-separated")
        ->type_name("LIST")
        ->capture_default_str();
    app.add_option("-o,--output", output_,
                   "Report to write; %q{VAR}, %h, %p, %n and %% stand for an environment variable, "
                   "the host, the program's pid, a free number and %")
        ->type_name("FILE")
        ->capture_default_str();
    add_bool(app, "-f,--force-overwrite", overwrite_, "Replace an existing report");
    add_bool(app, "-w,--show-output", show_output_,
             "Leave stdout and stderr of the program alone; false sends them to the report only");
    app.add_option("-e,--env-var", environment_, "Environment variables for the program")
        ->allow_extra_args(false)
        ->type_name("A=B,C=D");
    add_bool(app, "-n,--inherit-environment", inherit_environment_,
             "Give the program our environment; false gives it only --env-var's");
    app.add_option("--env-policy", env_policy_,
                   "repair: keep children in the session that drop its variables from their "
                   "environment; respect: leave them alone")
        ->check(CLI::IsMember({"repair", "respect"}))
        ->type_name("repair|respect")
        ->capture_default_str();
    app.add_option("--wait", wait_,
                   "Until when to record: primary, the program's end; all, the end of all its "
                   "children too")
        ->check(CLI::IsMember({"primary", "all"}))
        ->type_name("primary|all")
        ->capture_default_str();
    add_bool(app, "--trace-fork-before-exec", trace_forks_,
             "Trace children of fork; false: only from the program on that they exec");
    app.add_option("--osrt-threshold", osrt_threshold_,
                   "Record OS-runtime calls that take at least so many ns")
        ->type_name("NS")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option(
           "--buffer-size", buffer_bytes_,
           "Most shared memory for events that prof has not taken yet, 1M to 1G; by default "
           "320M, or an eighth of the free memory if that is less")
        ->type_name("SIZE")
        ->transform(CLI::AsSizeValue(false) & CLI::Range(kSmallestBuffer, kLargestBuffer));
    add_bool(app, "--osrt-file-access", osrt_file_access_,
             "Record which file or socket each call of the OS runtime was about, and its bytes");
    auto* include =
        app.add_option("--nvtx-domain-include", nvtx_include_,
                       "Record only these NVTX domains; 'default' is the default domain")
            ->type_name("LIST");
    app.add_option("--nvtx-domain-exclude", nvtx_exclude_, "Do not record these NVTX domains")
        ->type_name("LIST")
        ->excludes(include);
    cuda_.define(app);
    cpu_.define(app);
    backtraces_.define(app);
    python_.define(app);
    capture_.define(app);
    add_bool(app, "--stats", stats_, "Print the statistics when the report is written");
    app.footer(
        "Examples:\n"
        "  prof profile python3 train.py\n"
        "  prof profile -t nvtx,osrt -o run%n -- ./server --port 80\n"
        "  prof profile -t osrt --osrt-file-access=true -- make -j4\n"
        "  prof profile -f true --stats=true -o report.db ./app\n"
        "Exits with the program's status, or 128 + the signal that ended it.");
  }

  int run(const std::vector<std::string>& command) override {
    if (command.empty())
      throw Failure("no program to profile (see prof profile --help)", kBadUsage);
    if (inside_a_session())
      throw Failure(
          "this process is being profiled by another prof already; profile the inner "
          "program without prof, or the outer one without this");
    const session::SessionOptions options = session_options(command);
    const auto recording = take(session::record(options));
    for (const std::string& report :
         write_reports(recording.file, recording.spool, recording.output, overwrite_))
      if (stats_) print_stats({.report = report});
    return recording.exit_status;
  }

 private:
  session::SessionOptions session_options(const std::vector<std::string>& command) {
    const Traces traces = parse_traces(traces_);
    session::SessionOptions options;
    options.command = command;
    options.output = expand_output_name(output_);
    options.overwrite = overwrite_;
    options.trace_osrt = traces.osrt;
    options.trace_nvtx = traces.nvtx;
    options.libraries = traces.libraries;
    options.python_gil = traces.python_gil;
    set_cuda(options, traces);
    set_system_calls(options, traces);
    cpu_.apply(options);
    backtraces_.apply(options);
    python_.apply(options);
    options.ranges = capture_.ranges(traces.cuda, options.trace_nvtx);
    options.osrt_threshold_ns = osrt_threshold_;
    options.buffer_bytes = buffer_bytes_;
    if (osrt_file_access_ && !traces.osrt)
      throw Failure("--osrt-file-access=true needs osrt in --trace", kBadUsage);
    options.osrt_file_access = osrt_file_access_;
    options.environment = parse_environment(environment_);
    options.inherit_environment = inherit_environment_;
    options.repair_environment = env_policy_ == "repair";
    options.trace_forks = trace_forks_;
    options.show_output = show_output_;
    options.wait = wait_ == "primary" ? session::Wait::kPrimary : session::Wait::kAll;
    options.version = kVersion;
    set_domain_filter(options);
    if (options.trace_nvtx && std::getenv("NVTX_INJECTION64_PATH") != nullptr)
      options.warnings.push_back(
          "NVTX_INJECTION64_PATH is set; the program's NVTX events come to prof instead");
    options.capture = capture(options, traces);
    return options;
  }

  void set_cuda(session::SessionOptions& options, const Traces& traces) const {
    if (!traces.cuda) return;
    options.cuda = cuda_.config(traces.cuda_hardware);
    const auto capability = session::capability("cuda");
    const char* other = std::getenv("CUDA_INJECTION64_PATH");
    if (!capability.available)
      options.warnings.push_back("CUDA is not traced: " + capability.detail);
    else if (other != nullptr && *other != '\0' && !cuda_.replaces_injection())
      options.warnings.push_back(
          "CUDA is not traced: CUDA_INJECTION64_PATH is set to another tool's library; "
          "--cuda-injection=force replaces it");
    else
      options.trace_cuda = true;
  }

  static void set_system_calls(session::SessionOptions& options, const Traces& traces) {
    if (!traces.system_calls) return;
    const auto capability = session::capability("syscall");
    options.trace_system_calls = capability.available;
    if (!capability.available)
      options.warnings.push_back("System calls are not traced: " + capability.detail);
  }

  void set_domain_filter(session::SessionOptions& options) const {
    const bool include = !nvtx_include_.empty();
    if (!include && nvtx_exclude_.empty()) return;
    options.nvtx_filter = include ? wire::NvtxFilter::kInclude : wire::NvtxFilter::kExclude;
    options.nvtx_domains = split_list(include ? nvtx_include_ : nvtx_exclude_);
    std::size_t bytes = 0;
    for (const std::string& domain : options.nvtx_domains) bytes += domain.size() + 1;
    if (bytes > sizeof(wire::Reply::nvtx_domains))
      throw Failure("the list of NVTX domains is longer than 1023 bytes", kBadUsage);
  }

  // Under nsys's names in META_DATA_CAPTURE. The environment is left out on purpose.
  std::vector<std::pair<std::string, std::string>> capture(const session::SessionOptions& options,
                                                           const Traces& traces) const {
    std::vector<std::pair<std::string, std::string>> rows;
    if (traces.osrt) rows.emplace_back("CAPTURE_EVENT_TYPE", "OSRuntime");
    if (options.trace_nvtx) rows.emplace_back("CAPTURE_EVENT_TYPE", "NvtxEvents");
    if (options.trace_cuda) rows.emplace_back("CAPTURE_EVENT_TYPE", "CudaEvents");
    if (options.trace_system_calls) rows.emplace_back("CAPTURE_EVENT_TYPE", "Syscall");
    cpu_.describe(rows);
    python_.describe(rows);
    for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
      if ((traces.libraries >> i & 1) != 0)
        rows.emplace_back("CAPTURE_EVENT_TYPE", std::string(kLibraryEvents[i]));
    rows.emplace_back("START_TRIGGER", start_trigger());
    rows.emplace_back("STOP_TRIGGER", "Delayed");
    rows.emplace_back("OS_RUNTIME_OPTIONS:DURATION_THRESHOLD_NS", std::to_string(osrt_threshold_));
    rows.emplace_back("OS_RUNTIME_OPTIONS:FILE_ACCESS", osrt_file_access_ ? "true" : "false");
    backtraces_.describe(rows);
    rows.emplace_back("PROCESS_0:HOW_TO_ATTACH", "LaunchAnother");
    rows.emplace_back("PROCESS_0:COMMAND", joined(options.command));
    rows.emplace_back("PROCESS_0:WORKING_DIR", std::filesystem::current_path().string());
    rows.emplace_back("PROCESS_0:COLLECT_NVTX_TRACE", options.trace_nvtx ? "true" : "false");
    add_cuda(rows, options);
    rows.emplace_back("INCLUDE_CHILDREN", "true");
    std::string domains;
    for (const std::string& domain : options.nvtx_domains)
      domains += (domains.empty() ? "" : ",") + domain;
    rows.emplace_back("NVTX_OPTIONS:NVTX_DOMAIN_FILTER_STRING", domains);
    rows.emplace_back("NVTX_OPTIONS:NVTX_DOMAIN_FILTER_MODE_INCLUDE",
                      options.nvtx_filter == wire::NvtxFilter::kInclude ? "true" : "false");
    return rows;
  }

  const char* start_trigger() const {
    if (capture_.trigger() == "nvtx") return "NvtxRange";
    return capture_.trigger() == "cudaProfilerApi" ? "CudaProfilerApi" : "Immediate";
  }

  void add_cuda(std::vector<std::pair<std::string, std::string>>& rows,
                const session::SessionOptions& options) const {
    const auto flag = [&rows](const char* name, bool value) {
      rows.emplace_back(std::string("PROCESS_0:") + name, value ? "true" : "false");
    };
    flag("COLLECT_CUDA_TRACE", options.trace_cuda);
    if (!options.trace_cuda) return;
    flag("CUDA_FLUSH_PERIODICALLY", cuda_.flush_interval() != 0);
    rows.emplace_back("PROCESS_0:CUDA_FLUSH_PERIOD", std::to_string(cuda_.flush_interval()));
    flag("CUDA_SKIP_SOME_API_CALLS", !cuda_.all_apis());
    flag("CUDA_MEMORY_USAGE", cuda_.memory_usage());
    rows.emplace_back("PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE",
                      cuda_.graph_mode() == "node" ? "Node" : "Graph");
    flag("CUDA_FLUSH_ON_CUDA_PROFILER_STOP", cuda_.flush_on_profiler_stop());
  }

  CudaOptions cuda_;
  CpuOptions cpu_;
  BacktraceOptions backtraces_;
  PythonOptions python_;
  CaptureOptions capture_;
  std::string traces_ = "cuda,nvtx,osrt";
  std::string output_ = "report%n";
  bool overwrite_ = false;
  bool show_output_ = true;
  std::vector<std::string> environment_;
  bool inherit_environment_ = true;
  std::string env_policy_ = "repair";
  std::string wait_ = "all";
  bool trace_forks_ = true;
  std::uint64_t osrt_threshold_ = 1000;
  std::uint64_t buffer_bytes_ = 0;
  bool osrt_file_access_ = false;
  std::string nvtx_include_;
  std::string nvtx_exclude_;
  bool stats_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_profile() { return std::make_unique<Profile>(); }

}  // namespace prof::cli
