// prof attach: records programs that are already running.
#include <algorithm>
#include <utility>

#include "cli/export/export_report.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/options/output_name.hpp"
#include "cli/options/python_annotations.hpp"
#include "cli/options/recording/time_options.hpp"
#include "cli/options/trace_options.hpp"
#include "cli/output/left_over.hpp"
#include "cli/sessions/attachment.hpp"
#include "cli/sessions/jit_names.hpp"
#include "cli/verbs/verbs.hpp"
#include "collector/attach/target.hpp"
#include "collector/session/launch/injection_library.hpp"
#include "collector/session/launch/outer_session.hpp"
#include "collector/session/preparation.hpp"

namespace prof::cli {

namespace {

// Switches off traces that only work in programs that prof has started: libraries are preloaded,
// and Python's functions and lock are changed before the interpreter is set up.
void leave_out_traces(session::SessionOptions& options) {
  std::string left_out;
  const auto add_name = [&](const char* name) {
    left_out += (left_out.empty() ? "" : ",") + std::string(name);
  };
  const auto leave_out = [&](std::uint32_t feature, const char* name) {
    if (!options.has(feature)) return;
    options.features &= ~feature;
    add_name(name);
  };
  for (std::uint32_t i = 0; i < wire::kLibraries; ++i)
    leave_out(wire::library_feature(i), wire::kLibraryNames[i]);
  leave_out(wire::kFeaturePythonGil, "python-gil");
  constexpr std::uint32_t kVulkan = wire::kGraphicsVulkan | wire::kGraphicsVulkanLabels;
  if ((std::exchange(options.graphics, options.graphics & ~kVulkan) & kVulkan) != 0)
    add_name("vulkan");
  session::PythonOptions& python = options.python;
  if (std::exchange(python.marks_garbage, false)) {
    add_name("python-gc");
    python.annotations = python_annotations(python.functions_file, python.pytorch,
                                            {.steps = python.marks_steps, .garbage = false});
  }
  if (!left_out.empty())
    options.warnings.push_back("--trace=" + left_out +
                               ": not recorded; only in programs that prof starts (prof launch)");
  if (!python.annotations.empty())
    throw Failure(
        "--pytorch and --python-functions-trace: only in programs that prof starts (prof launch)",
        kBadUsage);
}

// Detaches from a process whose session no longer exists, because the session and its prof were
// killed.
void let_go(pid_t root, const std::string& library) {
  for (const session::Message& each : describe_sessions()) {
    const auto pids = each.value("processes", std::vector<pid_t>());
    if (each.value("state", "") == kNoAnswer || std::ranges::find(pids, root) != pids.end())
      throw Failure("process " + std::to_string(root) + " is attached to already (prof sessions)");
  }
  detach_from({root}, library);
}

class Attach final : public Verb {
 public:
  const char* name() const override { return "attach"; }
  const char* summary() const override { return "Record a program that runs already"; }

  void define(CLI::App& app) override {
    app.add_option("PROCESS", target_,
                   "Process id, name of a program, or id of a container. Its child processes are "
                   "recorded too")
        ->required();
    add_duration(app, duration_, "Record for SECONDS. 0: until ^C, or until the program ends");
    app.add_flag("--no-jcmd", without_jcmd_,
                 "Do not ask running Java machines for the names of their methods");
    launch_.define_tracing(app);
    start_.define_collection(app);
    app.footer(
        "The program goes on when the recording ends. It is as it was before: see docs/attach.md.\n"
        "Examples:\n"
        "  prof attach 4711 -d 10 -o peak\n"
        "  prof attach nginx -t osrt --sample=none\n"
        "  prof attach server --flight-recorder=30s --trigger 'range:request:>500ms'");
  }

  void take_words(const std::vector<std::string>& words) override { words_ = words; }

  std::vector<std::string> words_of(const std::string& name) const override {
    if (name == "--trace") return trace_words();
    return name == "--export" ? export_type_names() : std::vector<std::string>{};
  }

  int run(const std::vector<std::string>&) override {
    if (session::is_inside_session())
      throw Failure("this process is being profiled by another prof; attach from outside of it");
    if (start_.print_help()) return 0;
    launch_.resolve();
    start_.resolve();
    leave_out_traces(options_);
    if (options_.flight.is_on()) refuse_with_flight_recorder();
    const OutputName name = expand_output_name(start_.output);
    const std::string output = name.absolute();
    report_left_overs({output});
    check(session::check_new_output(output, options_.overwrite));
    const pid_t root = take(attach::find_target(target_));
    check(attach::check_target(root));
    const std::string library = take(session::find_injection_library());
    if (attach::is_attached(root)) let_go(root, library);
    Attachment attachment("attach-" + std::to_string(root), library);
    for (const std::string& warning : options_.warnings) print_message("prof: {}\n", warning);
    attachment.begin(root, request(output));
    JitNames names;
    if (!without_jcmd_ && options_.cpu.samples != sampler::Scope::kNone)
      names.ask(live::trees_of(live::all_processes(), {root}, true));
    const int waited = attachment.wait(duration_);
    names.ask_again();
    const int ended = attachment.end();
    return waited != 0 ? waited : ended;
  }

 private:
  // Refuses the same options as prof profile and prof launch.
  void refuse_with_flight_recorder() const {
    if (duration_)
      throw Failure("--flight-recorder does not go with --capture-range, --delay and --duration",
                    kBadUsage);
    if (!start_.work.exports.empty() || start_.work.stats || start_.work.partial)
      throw Failure("--flight-recorder does not go with --export, --stats and --partial",
                    kBadUsage);
  }

  // Passes each option to the command of the session that has it.
  Attachment::Request request(const std::string& output) const {
    Attachment::Request request{
        {}, {}, options_.features, output, options_.warnings, options_.flight.is_on()};
    session::SessionOptions unused;
    CLI::App launch;
    LaunchOptions(unused).define_tracing(launch);
    CLI::App start;
    StartOptions collection(unused);
    collection.define_collection(start);
    for (const std::string& word : words_) {
      const std::string option = word.substr(0, word.find('='));
      if (launch.get_option_no_throw(option) != nullptr)
        request.launch_words.push_back(word);
      else if (option != "--output" && start.get_option_no_throw(option) != nullptr)
        request.start_words.push_back(word);
    }
    return request;
  }

  session::SessionOptions options_;
  LaunchOptions launch_{options_};
  StartOptions start_{options_};
  std::vector<std::string> words_;
  std::string target_;
  bool without_jcmd_ = false;
  std::optional<std::chrono::nanoseconds> duration_;
};

}  // namespace

std::unique_ptr<Verb> make_attach() { return std::make_unique<Attach>(); }

}  // namespace prof::cli
