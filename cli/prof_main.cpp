// What the command prof does. The only place where a failure becomes a message and an exit status.
#include "cli/prof_main.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "cli/build_info.hpp"
#include "cli/documents/documents.hpp"
#include "cli/help/help_json.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/failure_output.hpp"
#include "cli/options/error_option.hpp"
#include "cli/options/words/nsys_verbs.hpp"
#include "cli/options/words/option_file.hpp"
#include "cli/output/exit_status.hpp"
#include "cli/output/report_access.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "collector/metrics/gpu/gpu_process.hpp"
#include "common/base/log.hpp"

namespace prof::cli {

namespace {

void print_help() {
  fmt::print("prof {}: system profiler for Linux and NVIDIA GPUs\n\nUsage: prof VERB [OPTIONS]\n\n",
             kVersion);
  for (const auto& verb : make_verbs()) fmt::print("  {:<11} {}\n", verb->name(), verb->summary());
  fmt::print(
      "\nExamples:\n"
      "  prof profile -t nvtx,osrt -o report.db python3 train.py\n"
      "  prof info report.db               (or: prof report)\n"
      "  prof stats report.db\n"
      "  prof analyze report.db\n"
      "  prof diff before.db after.db\n"
      "  prof export --json report.db\n"
      "\nprof VERB --help explains a verb. prof help --json is for programs.\n"
      "prof skill prints how coding agents use prof.");
  const std::string file = skill_file();
  fmt::print("{}\n", file.empty() ? "" : " The file: " + file);
}

std::unique_ptr<CLI::App> make_app(const Verb& verb) {
  auto app = std::make_unique<CLI::App>(verb.summary(), std::string("prof ") + verb.name());
  app->get_formatter()->column_width(34);
  let_last_value_count(*app);
  return app;
}

// Declares the frequent options. Returns the functions that declare the other ones.
OptionSet::Groups define_frequent(Verb& verb, CLI::App& app) {
  OptionSet::Groups rest;
  const std::vector<OptionGroup> groups = verb.groups();
  if (groups.empty()) verb.define(app);
  for (const OptionGroup& group : groups)
    if (group.is_frequent)
      group.define(app);
    else
      rest.emplace_back([define = group.define, &app] { define(app); });
  return rest;
}

// Throws a failure that is printed as --errors says, also if it comes before that option is known.
SplitArguments split_words(const Verb& verb, OptionSet& options,
                           const std::vector<std::string>& arguments) {
  try {
    SplitArguments split = split_arguments(options, verb.name(), arguments, verb.takes_command());
    add_files(options, verb.name(), split);
    take_error_option(split.options);
    return split;
  } catch (const Failure&) {
    std::vector<std::string> words = arguments;
    take_error_option(words);
    throw;
  }
}

int run_verb(Verb& verb, const std::vector<std::string>& arguments) {
  set_failing_verb(verb.name());
  const auto app = make_app(verb);
  OptionSet options(*app, define_frequent(verb, *app));
  add_error_option(*app);
  SplitArguments split = split_words(verb, options, arguments);
  try {
    parse_options(*app, split, verb.name());
  } catch (const CLI::CallForHelp&) {
    const auto whole = make_app(verb);
    verb.define(*whole);
    add_error_option(*whole);
    fmt::print("{}", whole->help());
    return 0;
  }
  verb.take_words(split.options);
  verb.take_notes(split.notes);
  // Does not return: freeing hundreds of options, name by name, takes longer than a small program.
  std::exit(verb.run(split.command));
}

// Removes --errors from the words before the verb.
void take_first_option(std::vector<std::string>& arguments) {
  while (!arguments.empty() && arguments[0].starts_with("--errors")) {
    const auto end =
        arguments.begin() + (arguments[0] == "--errors" && arguments.size() > 1 ? 2 : 1);
    std::vector<std::string> option(arguments.begin(), end);
    take_error_option(option);
    if (!option.empty()) return;  // another option
    arguments.erase(arguments.begin(), end);
  }
}

int run(std::vector<std::string> arguments) {
  take_first_option(arguments);
  if (arguments.empty() && error_format() == ErrorFormat::kJson)
    throw Failure("no verb given (see prof --help)", kBadUsage);
  const bool asks_for_all = arguments.size() == 1 && arguments[0] == "help";
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || asks_for_all) {
    print_help();
    return arguments.empty() ? kBadUsage : 0;
  }
#ifdef PROF_HAS_GPU_METRICS
  if (arguments[0] == metrics::kGpuProcessWord)
    return metrics::run_gpu_process({arguments.begin() + 1, arguments.end()});
#endif
  if (arguments[0] == "--version" || arguments[0] == "-v") {
    const bool all = arguments.size() > 1 && arguments[1] == "--verbose";
    fmt::print("{}", all ? build_info() : fmt::format("prof {}\n", kVersion));
    return 0;
  }
  if (arguments[0] == "help" && arguments[1] == "--json") {
    fmt::print("{}", help_json(arguments.size() > 2 ? arguments[2] : ""));
    return 0;
  }
  // "prof help stats" means "prof stats --help".
  if (arguments[0] == "help") return run({arguments[1], "--help"});
  std::vector<std::string> names;
  for (const auto& verb : make_verbs()) {
    if (arguments[0] == verb->name() || arguments[0] == verb->other_name())
      return run_verb(*verb, {arguments.begin() + 1, arguments.end()});
    names.emplace_back(verb->name());
  }
  if (const NsysVerb* of_nsys = find_nsys_verb(arguments[0])) {
    const std::string text =
        fmt::format("there is no verb {}: {}", of_nsys->name, of_nsys->instead);
    if (of_nsys->status != 0) throw Failure(text, of_nsys->status, "unknown_verb");
    print_message("prof: {}\n", text);
    return 0;
  }
  // The first word is a report in place of a verb.
  if (looks_like_report(arguments[0])) return run_verb(*make_info(), arguments);
  throw Failure(
      "unknown verb " + arguments[0] + suggestion(arguments[0], names) + " (see prof --help)",
      kBadUsage, "unknown_verb");
}

// Opens standard descriptors that are closed, so that no file of prof gets their numbers: messages
// would be written into that file. The profiled program still finds them closed.
void occupy_standard_descriptors() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR | O_CLOEXEC);
}

}  // namespace
}  // namespace prof::cli

// What machine/*.S calls.
extern "C" __attribute__((visibility("hidden"))) void (*prof_elfutils[])();

int prof_main(int count, char** words, const prof::cli::Elfutils* calls) {
  using namespace prof::cli;
  occupy_standard_descriptors();
  prof::base::set_up_log(std::getenv("PROF_LOG"));
  return exit_status_of([&] {
    if (calls->count != kElfutilsFunctions)
      throw Failure("prof and libprof_report.so are of different packages; reinstall prof");
    std::copy_n(calls->functions, calls->count, prof_elfutils);
    return run({words + 1, words + count});
  });
}
