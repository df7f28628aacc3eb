// prof kernel: runs a program and counts metrics in launches of its kernels; pages of what was
// counted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/export/python_package.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/cuda_options.hpp"
#include "cli/options/metrics/kernel_options.hpp"
#include "cli/options/output_name.hpp"
#include "cli/options/program_options.hpp"
#include "cli/options/recording/recording_options.hpp"
#include "cli/output/kernels/application_replay.hpp"
#include "cli/output/kernels/baseline.hpp"
#include "cli/output/kernels/kernel_messages.hpp"
#include "cli/output/left_over.hpp"
#include "cli/output/report_steps.hpp"
#include "cli/output/stats/kernel_page.hpp"
#include "cli/sessions/launched_program.hpp"
#include "cli/verbs/verbs.hpp"
#include "cli/version.hpp"
#include "collector/metrics/kernels/kernel_set.hpp"
#include "collector/session/recording.hpp"
#include "collector/spool/spool_path.hpp"
#ifdef PROF_HAS_GPU_METRICS
#include "collector/metrics/kernels/metric_words.hpp"
#include "collector/metrics/kernels/pass_plan.hpp"
#endif

namespace prof::cli {

namespace {

constexpr const char* kDefaultKernelSet = "basic";

// True for a file that Nsight Compute has written, or its raw page.
bool is_of_ncu(std::string_view file) {
  return file.ends_with(".ncu-rep") || file.ends_with(".csv");
}

// Returns metrics of these names.
std::vector<metrics::KernelMetric> named_metrics(const std::vector<std::string>& names) {
  std::vector<metrics::KernelMetric> metrics;
  for (const std::string& name : names) metrics.push_back({name});
  return metrics;
}

class Kernel final : public Verb {
 public:
  const char* name() const override { return "kernel"; }
  const char* summary() const override { return "Run a program and count what its kernels do"; }
  bool takes_command() const override { return true; }

  void define(CLI::App& app) override {
    add_kernel_options(app, kernels_);
    add_output(app, output_, options_.overwrite);
    add_program_options(app, options_);
    app.add_option("--set,--section", sets_,
                   "Sets and sections of metrics, separated by commas (see --list-sets and "
                   "--list-sections). Default: basic, if no --metrics are given")
        ->type_name("NAMES")
        ->delimiter(',');
    app.add_option(
           "--metrics", metrics_,
           "Metrics by name, separated by commas. A name without a suffix means all of the "
           "first level (.sum, .avg, …); regex:EXPRESSION: names that contain a match; "
           "group:NAME: those of ncu's tables, as memory__dram_table; breakdown:THROUGHPUT: "
           "those of which a throughput is the maximum")
        ->type_name("NAMES")
        ->delimiter(',');
    app.add_option("--chip", chip_,
                   "The chip to plan for, such as GH100; all: every chip that CUPTI knows. "
                   "Default: that of the first GPU")
        ->type_name("CHIP|all");
    app.add_option("--cupti-path", cupti_, "The libcupti to use instead of the toolkit's")
        ->type_name("FILE");
    app.add_flag("--list-sets", list_sets_, "List the sets");
    app.add_flag("--list-sections", list_sections_, "List the sections");
    app.add_flag("--list-metrics", list_metrics_, "List the metrics that the chip has");
    app.add_flag("--dry-run", dry_run_, "Print the passes that the metrics take, and end");
    app.add_option("--baseline", baseline_,
                   "Also print which metrics differ from those of this report, by more than they "
                   "differ between launches")
        ->type_name("REPORT");
    page_.define(app);
    app.footer(
        "A kernel has to run once for each pass; --replay=kernel restores its memory before, "
        "--replay=rotate\n"
        "takes the program's own launches. No GPU is needed for --dry-run and --list-...\n"
        "Examples:\n"
        "  prof kernel --set=quick ./app\n"
        "  prof kernel -k regex:gemm -s 10 -c 3 -o gemm.db -- python3 train.py\n"
        "  prof kernel --dry-run --set=full --chip=GH100\n"
        "  prof kernel --import report.db --page details --csv\n"
        "The exit status is the program's, or 1 if it is 0 and no launch was profiled.");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    std::vector<std::string> words;
    if (name == "--set" || name == "--section")
      for (const metrics::KernelSet& set : metrics::kernel_sets()) words.push_back(set.id);
    return words;
  }

  void take_notes(const std::vector<std::string>& notes) override { notes_ = notes; }

  int run(const std::vector<std::string>& command) override {
    if (!baseline_.empty() && command.empty())
      throw Failure("--baseline needs a program. To compare two reports: prof diff BEFORE AFTER",
                    kBadUsage);
    if (is_of_ncu(page_.report())) import_from_ncu();
    if (page_.is_asked_for()) return page_.print();
    if (list_sets_) fmt::print("{}", metrics::describe_kernel_sets(false));
    if (list_sections_) fmt::print("{}", metrics::describe_kernel_sets(true));
    if (list_metrics_ || dry_run_) return plan();
    if (list_sets_ || list_sections_) return 0;
    if (command.empty()) throw Failure("no program to profile (see prof kernel --help)", kBadUsage);
    return record(command);
  }

 private:
  // Makes a report of a file of ncu.
  [[noreturn]] void import_from_ncu() const {
    std::vector<std::string> words = {page_.report()};
    if (output_ != kDefaultOutput) words.insert(words.end(), {"--output", output_});
    if (options_.overwrite) words.emplace_back("--force-overwrite");
    become_package("prof kernel --import", "prof_report.ncu", words);
  }

  void resolve(const std::vector<std::string>& command) {
    options_.warnings = notes_;
    options_.command = command;
    options_.version = kVersion;
    record_kernels_alone(options_);
    options_.cuda.cupti = cupti_;
    const bool is_quick = metrics_.empty() && chosen_sets() == std::vector<std::string>{"quick"};
    const std::vector<metrics::KernelMetric> metrics = wanted(metric_names());
    if (runs_program_again() &&
        std::ranges::any_of(metrics, &metrics::KernelMetric::is_by_instruction))
      throw Failure("SASS metrics cannot be counted with --replay=application: count them apart",
                    kBadUsage);
    options_.kernel_plan = kernel_plan(kernels_, metrics, !is_quick);
    resolve_cuda(options_);
  }

  int record(const std::vector<std::string>& command) {
    refuse_outer_prof();
    if (!baseline_.empty()) check_baseline(baseline_);
    const std::string output = expand_output_name(output_).path();
    report_recordings({output}, spool::spool_path(output));
    options_.output = output;
    resolve(command);
    const std::string plan = options_.kernel_plan;
    std::optional<ApplicationReplay> runs;
    if (runs_program_again()) options_.kernel_plan = runs.emplace().plan_of_run(plan, 0);
    auto recording = take(session::record(
        options_, [](auto&) { return 0; }, [] {}));
    ReportInputs inputs;
    inputs.session = std::move(recording.session);
    const std::vector<std::string> reports =
        write_reports(recording.file, recording.spool, recording.output, options_.overwrite,
                      std::move(recording.signals), std::move(inputs));
    if (runs)
      for (const std::string& report : reports)
        runs->make_further_passes(options_, plan, report, recording.exit_status);
    std::int64_t profiled = 0;
    for (const std::string& report : reports) profiled += print_kernel_summary(report);
    if (!reports.empty()) print_unknown_metrics(reports.front());
    if (!baseline_.empty())
      for (const std::string& report : reports) print_changes_since(baseline_, report);
    print_next_command(reports);
    return recording.exit_status == 0 && profiled == 0 ? kFailed : recording.exit_status;
  }

  bool runs_program_again() const { return kernels_.replay == "application"; }

  std::vector<std::string> chosen_sets() const {
    if (sets_.empty() && metrics_.empty()) return {kDefaultKernelSet};
    return sets_;
  }

  // `names`: those of --metrics.
  std::vector<metrics::KernelMetric> wanted(const std::vector<std::string>& names) const {
    std::vector<metrics::KernelMetric> wanted;
    const auto found =
        metrics::find_kernel_metrics(fmt::format("{}", fmt::join(chosen_sets(), ",")));
    if (!found) throw Failure(found.error().message, kBadUsage);
    metrics::add_kernel_metrics(wanted, *found);
    metrics::add_kernel_metrics(wanted, named_metrics(names));
    return wanted;
  }

#ifdef PROF_HAS_GPU_METRICS
  int plan() const {
    const auto planner = take(metrics::PassPlanner::create(cupti_));
    bool is_complete = true;
    for (const std::string& chip : chosen_chips(planner)) {
      if (list_metrics_) print_metrics(planner, chip);
      if (dry_run_) is_complete = print_passes(planner, chip) && is_complete;
    }
    return is_complete ? 0 : kFailed;
  }

  std::vector<std::string> chosen_chips(const metrics::PassPlanner& planner) const {
    if (chip_ == "all") return planner.chips();
    if (!chip_.empty()) return {chip_};
    const std::string chip = planner.chip_of_first_gpu();
    if (chip.empty())
      throw Failure("no GPU was found. Name a chip with --chip, or all: " +
                        fmt::format("{}", fmt::join(planner.chips(), " ")),
                    kBadUsage);
    return {chip};
  }

  static void print_metrics(const metrics::PassPlanner& planner, const std::string& chip) {
    fmt::print("Metrics of {}; counters have suffixes, such as .sum and .avg.per_cycle_active:\n",
               chip);
    for (const metrics::MetricFacts& each : take(planner.list(chip)))
      fmt::print("{:<70} {:<18} {}\n", each.name, each.unit, each.description);
  }

  // Returns whether CUPTI knows all metrics.
  bool print_passes(const metrics::PassPlanner& planner, const std::string& chip) const {
    const auto plan = planner.plan(chip, wanted(metric_names(planner, chip)));
    if (!plan) {
      if (chip_ != "all") throw Failure(plan.error().message);
      fmt::print("{:<6} {}\n", chip, plan.error().message);
      return true;
    }
    fmt::print("{:<6} {} metrics, {} {}\n", chip, plan->metrics.size(), plan->passes,
               plan->passes == 1 ? "pass" : "passes");
    if (!plan->by_instruction.empty())
      fmt::print("       and {} SASS metrics, by instruction, in one run more\n",
                 plan->by_instruction.size());
    if (kernels_.replay == "rotate" || runs_program_again())
      print_rotation(planner.rotation(chip, plan->metrics),
                     runs_program_again() ? "run of the program" : "launch of a kernel");
    if (!plan->unknown.empty()) print_unknown(plan->unknown, take(planner.list(chip)));
    if (chip_ != "all") print_sections(planner, chip);
    return plan->unknown.empty();
  }

  static void print_unknown(const std::vector<std::string>& names,
                            const std::vector<metrics::MetricFacts>& known) {
    for (const std::string& name : names)
      fmt::print("       unknown: {}{}\n", name, metrics::metric_suggestion(name, known));
  }

  // Returns the names that --metrics means on a chip.
  std::vector<std::string> metric_names(const metrics::PassPlanner& planner,
                                        const std::string& chip) const {
    if (std::ranges::none_of(metrics_, metrics::needs_metric_list)) return metrics_;
    const auto known = take(planner.list(chip));
    std::vector<std::string> names;
    for (const std::string& word : metrics_) {
      if (!metrics::needs_metric_list(word)) {
        names.push_back(word);
        continue;
      }
      const auto meant = word.starts_with(metrics::kInputMetrics)
                             ? metrics::expand_inputs(planner, chip, word)
                             : metrics::expand_metric(word, known);
      if (!meant) throw Failure(meant.error().message, kBadUsage);
      names.insert(names.end(), meant->begin(), meant->end());
    }
    return names;
  }

  // The same for the GPU on which the program will run.
  std::vector<std::string> metric_names() const {
    if (std::ranges::none_of(metrics_, metrics::needs_metric_list)) return metrics_;
    const auto planner = take(metrics::PassPlanner::create(cupti_));
    return metric_names(planner, chosen_chips(planner).front());
  }

  // Names the metrics of --metrics that the GPU does not have, and similar ones that it has.
  void print_unknown_metrics(const std::string& report) const {
    const UnknownMetrics unknown = unknown_metrics(report, metrics_);
    if (unknown.names.empty()) return;
    const auto planner = metrics::PassPlanner::create(cupti_);
    const auto known = planner ? planner->list(unknown.chip) : tl::make_unexpected(planner.error());
    for (const std::string& name : unknown.names)
      print_message("prof: {} has no metric {}{}\n", unknown.chip, name,
                    known ? metrics::metric_suggestion(name, *known) : "");
  }

  static void print_rotation(const metrics::RotationPlan& rotation, const char* unit) {
    fmt::print("       1 pass for each {}, {} in all: {} metrics with the first one{}\n", unit,
               rotation.launches, rotation.in_first,
               rotation.launches == 1 ? "" : ", the others with the last one");
  }

  // Prints what the sections of the chosen sets would take alone.
  void print_sections(const metrics::PassPlanner& planner, const std::string& chip) const {
    for (const metrics::KernelSet& set : metrics::kernel_sets()) {
      const bool is_included = std::ranges::any_of(metrics::kernel_sets(), [&](const auto& outer) {
        return std::ranges::count(outer.include, set.id) != 0 &&
               std::ranges::count(chosen_sets(), outer.id) != 0;
      });
      if (!is_included) continue;
      const auto alone = planner.plan(chip, set.metrics);
      if (alone)
        fmt::print("  {:<30} {} metrics, alone {} {}\n", set.id, alone->metrics.size(),
                   alone->passes, alone->passes == 1 ? "pass" : "passes");
    }
  }
#else
  int plan() const {
    throw Failure("this build of prof was made without the headers of CUDA and CUPTI");
  }
  std::vector<std::string> metric_names() const { return metrics_; }
  void print_unknown_metrics(const std::string&) const {}
#endif

  KernelPage page_;
  session::SessionOptions options_;
  KernelOptions kernels_;
  std::vector<std::string> notes_;
  std::string output_ = kDefaultOutput;
  std::vector<std::string> sets_;
  std::vector<std::string> metrics_;
  std::string chip_;
  std::string cupti_;
  std::string baseline_;
  bool list_sets_ = false;
  bool list_sections_ = false;
  bool list_metrics_ = false;
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_kernel() { return std::make_unique<Kernel>(); }

}  // namespace prof::cli
