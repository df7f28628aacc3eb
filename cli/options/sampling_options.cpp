#include "cli/options/sampling_options.hpp"

#include <string>

#include "cli/options/option_kinds.hpp"

namespace prof::cli {

using sampler::Backtrace;
using sampler::SamplingMethod;
using sampler::Scope;

namespace {

constexpr const char* kSamplingGroup = "CPU";

// Like add_choice(), but also stores the word.
template <class Value>
CLI::Option* add_kept_choice(CLI::App& app, const std::string& names, Value& target,
                             std::string& word, const std::type_identity_t<Choices<Value>>& choices,
                             const std::string& help) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  const auto take = [&target, &word, choices](const std::string& given) {
    word = given;
    for (const auto& [each, value] : choices)
      if (each == given) target = value;
  };
  return add_parsed(app, names, take, help)->check(CLI::IsMember(words))->default_str(word);
}

// Sets the flag if the option is given.
void note_choice(CLI::Option& option, bool& chosen) {
  option.each([&chosen](const std::string&) { chosen = true; });
}

void add_what(CLI::App& app, session::SamplingOptions& options) {
  // "cpu" is the word in old versions of nsys.
  CLI::Option* samples =
      add_kept_choice(app, "-s,--sample", options.samples, options.scope_word,
                      {{"cpu", Scope::kProcessTree},
                       {"none", Scope::kNone},
                       {"process-tree", Scope::kProcessTree},
                       {"system-wide", Scope::kSystem}},
                      "Sample the call chains of running threads: of the program and its children, "
                      "or of the whole system. On by default where the kernel permits it")
          ->type_name("process-tree|system-wide|none")
          ->group(kSamplingGroup);
  note_choice(*samples, options.samples_chosen);
  CLI::Option* switches =
      add_choice(app, "--cpuctxsw", options.switches,
                 {{"process-tree", Scope::kProcessTree},
                  {"system-wide", Scope::kSystem},
                  {"none", Scope::kNone}},
                 "Record when threads run and when they wait. Default: as --sample, or "
                 "process-tree with --sample=none")
          ->default_str("")
          ->type_name("process-tree|system-wide|none")
          ->group(kSamplingGroup);
  note_choice(*switches, options.switches_chosen);
  add_kept_choice(app, "-b,--backtrace", options.backtrace, options.backtrace_word,
                  {{"auto", Backtrace::kAuto},
                   {"dwarf", Backtrace::kDwarf},
                   {"fp", Backtrace::kFramePointer},
                   {"lbr", Backtrace::kAuto},
                   {"none", Backtrace::kNone}},
                  "How to make the call chains of samples: from call frame information (dwarf), "
                  "from frame pointers (fp), from the better of both (auto), or not at all (none)")
      ->type_name("auto|fp|dwarf|lbr|none")
      ->group(kSamplingGroup);
  CLI::Option* method =
      add_choice(app, "--sampling-method", options.method,
                 {{"auto", SamplingMethod::kAuto},
                  {"perf", SamplingMethod::kPerf},
                  {"timer", SamplingMethod::kTimer}},
                 "Who takes the samples: the kernel (perf), timers in the program (timer), or the "
                 "kernel if it is permitted (auto). Without this option and --sample: perf")
          ->type_name("auto|perf|timer")
          ->group(kSamplingGroup);
  note_choice(*method, options.samples_chosen);
}

}  // namespace

void add_sampling_options(CLI::App& app, session::SamplingOptions& options) {
  add_what(app, options);
  app.add_option("--sampling-frequency", options.given_frequency,
                 "Samples per second of CPU time (10 to 20000). Default: 1000 with --sample or "
                 "--sampling-method, otherwise 250")
      ->type_name("HZ")
      ->check(CLI::Range(10U, 20000U))
      ->group(kSamplingGroup);
  app.add_option("--sampling-period", options.period,
                 "Take a sample every CYCLES reference cycles (10000 or more), instead of at a "
                 "frequency")
      ->type_name("CYCLES")
      ->check(CLI::Range(std::uint64_t{10'000}, std::uint64_t{1} << 40))
      ->group(kSamplingGroup);
  app.add_option("--samples-per-backtrace", options.samples_per_backtrace,
                 "Collect a call chain on every Nth sample (1 to 32)")
      ->type_name("N")
      ->check(CLI::Range(1U, 32U))
      ->capture_default_str()
      ->group(kSamplingGroup);
  app.add_option("--sampling-stack-size", options.stack_bytes,
                 "Bytes of the stack that are copied with a sample. Deeper frames are read from "
                 "the process afterwards")
      ->type_name("BYTES")
      ->check(CLI::Range(1024U, 65528U))
      ->capture_default_str()
      ->group(kSamplingGroup);
}

void resolve_sampling(session::SessionOptions& options) {
  session::SamplingOptions& cpu = options.cpu;
  // This is the default of nsys.
  if (!cpu.switches_chosen)
    cpu.switches = cpu.samples == Scope::kNone ? Scope::kProcessTree : cpu.samples;
  cpu.frequency = cpu.given_frequency.value_or(cpu.samples_chosen ? session::kChosenFrequency
                                                                  : session::kDefaultFrequency);
  if (options.cpu.backtrace_word == "lbr")
    options.warnings.push_back(
        "--backtrace=lbr: branch records are not supported. Call chains are made as with auto.");
}

}  // namespace prof::cli
