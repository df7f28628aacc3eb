// prof diff: shows what changed between two reports of one program.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/arguments.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/ci/ci_output.hpp"
#include "cli/output/ci/comparability.hpp"
#include "cli/output/ci/gates.hpp"
#include "cli/output/compared_reports.hpp"
#include "cli/output/options/align_option.hpp"
#include "cli/output/options/range_of_option.hpp"
#include "cli/output/table_output.hpp"
#include "cli/verbs/verbs.hpp"
#include "common/base/text/marked_name.hpp"
#include "exporters/analysis/diff/headline.hpp"
#include "exporters/analysis/diff/kernel_metrics.hpp"
#include "exporters/analysis/diff/tables.hpp"
#include "exporters/analysis/diff/watch.hpp"
#include "exporters/analysis/recording/differences.hpp"

namespace prof::cli {

namespace {

constexpr int kSlower = 3;  // a status for slower reports, not for failures or wrong usage

void require_percent(const char* option, double value) {
  // This also refuses NaN.
  if (!(value >= 0))
    throw Failure(fmt::format("{} needs a number of 0 or more", option), kBadUsage);
}

std::vector<const diff::Category*> selected_categories(const std::vector<std::string>& names) {
  std::vector<const diff::Category*> selected;
  std::vector<std::string> known;
  for (const diff::Category& category : diff::categories()) {
    known.emplace_back(category.name);
    if (names.empty() ? category.by_default
                      : std::find(names.begin(), names.end(), category.name) != names.end())
      selected.push_back(&category);
  }
  for (const std::string& name : names)
    if (diff::find_category(name) == nullptr)
      throw Failure("unknown category " + name + suggestion(name, known) +
                        " (known: " + diff::category_names() + ")",
                    kBadUsage);
  return selected;
}

// If only one side has a category, the options of the recordings may be the reason.
void print_missing(const ComparedSide& side, const ComparedSide& other,
                   const std::vector<const diff::Category*>& categories) {
  for (const diff::Category* category : categories) {
    const auto has = [&](const report::ReportReader& reader) {
      return reader.has_table(category->table);
    };
    if (std::ranges::none_of(side.readers, has) && std::ranges::any_of(other.readers, has))
      print_message("prof: {} has no {}, but {} has\n", side.name, category->events, other.name);
  }
}

class Diff final : public Verb {
 public:
  const char* name() const override { return "diff"; }
  const char* summary() const override { return "Show what changed between two reports"; }

  void define(CLI::App& app) override {
    app.add_option("before", before_,
                   "A report of prof, or an SQLite file that nsys exported; or a folder of them: "
                   "the ranks of a job, whose times are added")
        ->type_name("FILE");
    app.add_option("after", after_, "The report, or the folder, to compare with it")
        ->type_name("FILE");
    app.add_option("more", more_, "With --vs: more reports of the base")->type_name("FILE…");
    app.add_option("--vs", vs_,
                   "Reports of repeated runs to compare with all reports before it (the base), for "
                   "--fail-if")
        ->type_name("FILE…");
    app.add_option("--baseline", saved_,
                   "A file that prof facts --save has written, or a folder of these: the base for "
                   "--fail-if. All reports of the command line are compared with it. Can be "
                   "repeated")
        ->allow_extra_args(false)
        ->type_name("FILE");
    define_what(app);
    define_how(app);
    app.footer(
        "Examples:\n"
        "  prof diff before.db after.db\n"
        "  prof diff run1/ run2/                                (two runs of a job)\n"
        "  prof diff --category kernel,copy --rows 10 before.db after.db\n"
        "  prof diff -f json -o changes before.db after.db      (changes_diff.json)\n"
        "  prof diff --fail-on-slower 5 before.db after.db      (status 3 if it got slower)\n"
        "  prof diff --fail-on-slower 5 --watch nvtx:train:step before.db after.db\n"
        "  prof diff --fail-on-slower 5 --junit times.xml before.db after.db\n"
        "  prof diff --fail-if 'duration > +5% and > 1s' before.db after.db\n"
        "  prof diff --fail-if \"range('step').median > +3%\" base_*.db --vs new_*.db\n"
        "  prof diff --fail-if 'duration > +3%' --baseline base.json new_*.db");
  }

  int run(const std::vector<std::string>&) override {
    const diff::Options options{selected_categories(categories_), short_names_, merge_, range_of_};
    const std::vector<claims::Gate> gates = parse_gates(fail_if_);
    if (!saved_.empty()) return check_baseline(gates);
    divide_reports();
    const tables::TableFormat format = check_usage(options);
    const ComparedSide before = open_side(before_, quiet_);
    const ComparedSide after = open_side(after_, quiet_);
    const diff::Comparison comparison =
        take(diff::compare(parts_of(before), parts_of(after), options));
    if (!quiet_) {
      print_missing(before, after, options.categories);
      print_missing(after, before, options.categories);
    }
    const std::vector<diff::Watched> watched = watched_times(comparison);
    const std::vector<recording::Difference> differences = differences_of(before, after);
    print({before_, after_, diff::headline(comparison), differences}, comparison,
          metric_changes(before, after, options), {after_, format, output_, overwrite_, quiet_});
    close_side(before);
    close_side(after);
    if (!gates.empty() && !force_compare_) require_comparable(differences);
    if (print_checks(watched, gates)) return kSlower;
    return before.has_left_out || after.has_left_out ? kFailed : 0;
  }

 private:
  // With --vs, all reports of a side count.
  std::vector<recording::Difference> differences_of(const ComparedSide& before,
                                                    const ComparedSide& after) const {
    if (!vs_.empty())
      return recording::differences(read_recordings(bases_), read_recordings(news_));
    return recording::differences(recordings_of(before), recordings_of(after));
  }

  // Compares the reports with files. There are no tables then.
  int check_baseline(const std::vector<claims::Gate>& gates) {
    if (gates.empty()) throw Failure("--baseline needs --fail-if", kBadUsage);
    if (!vs_.empty() || fail_on_slower_ || !categories_.empty() || !watch_.empty())
      throw Failure(
          "--baseline and --vs, --fail-on-slower, --watch or --category exclude one another",
          kBadUsage);
    if (before_.empty()) throw Failure("no report to compare with the baseline", kBadUsage);
    news_ = {before_};
    if (!after_.empty()) news_.push_back(after_);
    news_.insert(news_.end(), more_.begin(), more_.end());
    const std::vector<recording::Difference> differences =
        recording::differences(saved_recordings(saved_), read_recordings(news_));
    if (!force_compare_) require_comparable(differences);
    if (!quiet_ && !differences.empty())
      print_message("prof: {}\n", recording::text_of(differences));
    CheckedReport checked{before_};
    const bool is_worse = print_gates(check_saved_gates(gates, saved_, news_), checked);
    if (ci_.is_wanted()) ci_.write("diff", {checked});
    return is_worse ? kSlower : 0;
  }

  void define_what(CLI::App& app) {
    app.add_option("--category", categories_,
                   "What to compare: " + diff::category_names() +
                       ". Default: all but nvtx-gpu and operator")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,…");
    app.add_flag("--short-names", short_names_,
                 "Compare kernels by their names without parameters");
    app.add_flag("--merge", merge_,
                 "NVTX ranges whose names differ only in numbers are one: batch 7 is batch #");
    // Scripts that pass one set of options to all verbs learn why it has no effect here.
    add_align_option(app, align_, "")->group("");
    add_range_of_option(app, range_of_);
    app.add_option("--min-change", min_change_,
                   "Hide names whose time changed by less than this (0: show all)")
        ->type_name("PERCENT")
        ->capture_default_str();
    app.add_option("--rows", rows_, "Maximum number of names to print (0: all)")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--fail-on-slower", fail_on_slower_,
                   "Exit with status 3 if a watched time increased by more than this")
        ->type_name("PERCENT");
    app.add_option("--fail-if", fail_if_,
                   "Exit with status 3 if all conditions of EXPR hold, as \"kernel('*gemm*').total "
                   "> +5% and > 1ms\". Can be repeated")
        ->allow_extra_args(false)
        ->type_name("EXPR");
    app.add_flag("--force-compare", force_compare_,
                 "With --fail-if: also compare reports of different GPUs (otherwise status 4)");
    app.add_option("--watch", watch_,
                   "A time that --fail-on-slower checks: duration, gpu-busy, CATEGORY or "
                   "CATEGORY:NAME. Can be repeated. Default: duration and gpu-busy")
        ->allow_extra_args(false)
        ->type_name("WHAT");
  }

  // Finds the reports of both sides. The tables are about the first report of each.
  void divide_reports() {
    if (vs_.empty()) {
      if (!more_.empty())
        throw Failure("prof diff compares two reports; --vs separates those of repeated runs",
                      kBadUsage);
      bases_ = {before_};
      news_ = {after_};
      return;
    }
    bases_ = {before_};
    if (!after_.empty()) bases_.push_back(after_);
    bases_.insert(bases_.end(), more_.begin(), more_.end());
    news_ = vs_;
    after_ = vs_.front();
  }

  void define_how(CLI::App& app) {
    app.add_option("-f,--format", format_, "Format of the tables: " + tables::table_format_names())
        ->type_name("FORMAT")
        ->capture_default_str();
    app.add_option("-o,--output", output_,
                   "Where to write: - (stdout), @COMMAND (its stdin), . (files named after the "
                   "second report), or the base of the file names")
        ->type_name("BASE")
        ->capture_default_str();
    add_bool(app, "--force-overwrite", overwrite_, "Replace existing files");
    ci_.add(app);
    app.add_flag("-q,--quiet", quiet_, "Print only errors and tables");
  }

  tables::TableFormat check_usage(const diff::Options& options) const {
    if (before_.empty() || (after_.empty() && vs_.empty()))
      throw Failure("prof diff needs two reports: prof diff BEFORE AFTER (see prof diff --help)",
                    kBadUsage);
    if (!align_.empty())
      throw Failure(
          "prof diff compares sums of times, which are the same on each clock: --align "
          "cannot change them",
          kBadUsage);
    require_percent("--min-change", min_change_);
    if (rows_ < 0) throw Failure("--rows needs a whole number of 0 or more", kBadUsage);
    if (fail_on_slower_) require_percent("--fail-on-slower", *fail_on_slower_);
    if (!watch_.empty() && !fail_on_slower_)
      throw Failure("--watch needs --fail-on-slower", kBadUsage);
    if (!vs_.empty() && fail_if_.empty()) throw Failure("--vs needs --fail-if", kBadUsage);
    if (ci_.is_wanted() && !fail_on_slower_ && fail_if_.empty())
      throw Failure(
          "--junit, --sarif, --code-quality and --annotate need --fail-on-slower or --fail-if",
          kBadUsage);
    for (const std::string& request : watch_)
      if (const auto known = diff::check_watch(request, options.categories); !known)
        throw Failure(known.error().message, kBadUsage);
    return table_format(format_);
  }

  // Empty if not both sides have profiles of kernels.
  static std::optional<diff::MetricChanges> metric_changes(const ComparedSide& before,
                                                           const ComparedSide& after,
                                                           const diff::Options& options) {
    const std::vector<diff::Part> first = parts_of(before);
    const std::vector<diff::Part> second = parts_of(after);
    const auto& categories = options.categories;
    if (std::ranges::find(categories, diff::find_category("kernel")) == categories.end() ||
        !diff::have_profiles(first, second))
      return std::nullopt;
    return take(diff::metric_changes(first, second));
  }

  void print(const diff::Heading& heading, const diff::Comparison& comparison,
             std::optional<diff::MetricChanges> metrics, const TableOutput& output) const {
    std::vector<diff::Change> changes = comparison.changes;
    const std::size_t small = diff::remove_small(changes, min_change_);
    std::string note = fmt::format("Names that changed by at least {} %: {}; by less: {}.",
                                   min_change_, changes.size(), small);
    const auto most = static_cast<std::size_t>(rows_);
    if (most > 0 && changes.size() > most) {
      changes.resize(most);
      note += fmt::format(" The first {} are shown.", most);
    }
    std::string metric_note;
    std::optional<tables::Table> metric_table;
    if (metrics) {
      metric_note = diff::metric_changes_note(*metrics);
      metric_table = std::move(metrics->table);
      if (most > 0 && metric_table->rows.size() > most) {
        metric_table->rows.resize(most);
        metric_note += fmt::format(" The first {} are shown.", most);
      }
    }
    const tables::Table summary = diff::summary_table(comparison.before, comparison.after);
    const tables::Table table = diff::changes_table(changes);
    if (output.format == tables::TableFormat::kJson)
      return put(output, "diff", diff::json_document(heading, summary, table, metric_table));
    print_summary(summary, heading, output);
    put_table(output, table, "Changes", "diff_changes", note);
    if (metric_table)
      put_table(output, *metric_table, "Kernel Metrics", "diff_kernel_metrics", metric_note);
  }

  // Formats for people show the headline first.
  static void print_summary(const tables::Table& summary, const diff::Heading& heading,
                            const TableOutput& output) {
    const bool for_eye = tables::has_heading(output.format);
    std::string lines;
    const auto add_line = [&](const std::string& line) {
      lines += (output.format == tables::TableFormat::kMarkdown ? "- " : "") + line + '\n';
    };
    for (const std::string& line : heading.headline) add_line(base::without_marks(line));
    if (!heading.differences.empty()) add_line(recording::text_of(heading.differences));
    const std::string note = fmt::format("{}Before: {}\nAfter: {}", for_eye ? "" : lines + '\n',
                                         heading.before, heading.after);
    put(output, "diff_summary",
        (for_eye ? lines : "") +
            tables::format_table(summary, output.format, "Before and After", "diff_summary", note));
  }

  std::vector<diff::Watched> watched_times(const diff::Comparison& comparison) const {
    std::vector<diff::Watched> watched;
    if (!fail_on_slower_) return watched;
    const std::vector<std::string> usual = {"duration", "gpu-busy"};
    for (const std::string& request : watch_.empty() ? usual : watch_)
      watched.push_back(take(diff::watch(comparison, request)));
    return watched;
  }

  // Returns whether a watched time is slower, or a gate fails.
  bool print_checks(const std::vector<diff::Watched>& watched,
                    const std::vector<claims::Gate>& gates) const {
    CheckedReport checked{after_};
    bool is_any_slower = false;
    for (const diff::Watched& each : watched) {
      const bool is_slower = diff::is_slower(each, *fail_on_slower_);
      is_any_slower |= is_slower;
      const std::string times = fmt::format("{}: {} → {} ns", each.name, each.before, each.after);
      checked.checks.push_back(
          {.name = each.name,
           .text = fmt::format("{} (limit: {} % slower than {})", times, *fail_on_slower_, before_),
           .failed = is_slower});
      if (is_slower) print_message("prof: slower by more than {} %: {}\n", *fail_on_slower_, times);
    }
    if (!gates.empty()) is_any_slower |= print_gates(check_gates(gates, bases_, news_), checked);
    if (ci_.is_wanted()) ci_.write("diff", {checked});
    return is_any_slower;
  }

  // Returns whether a gate fails.
  bool print_gates(std::vector<Check> checks, CheckedReport& checked) const {
    bool has_failed = false;
    for (Check& each : checks) {
      has_failed |= each.failed;
      if (each.failed || !quiet_)
        print_message("prof: {}: {}\n", each.failed ? "failed" : "passed", each.text);
      checked.checks.push_back(std::move(each));
    }
    return has_failed;
  }

  std::string before_;
  std::string after_;
  std::vector<std::string> more_;
  std::vector<std::string> vs_;
  std::vector<std::string> saved_;
  std::vector<std::string> bases_;  // the reports of both sides
  std::vector<std::string> news_;
  std::vector<std::string> fail_if_;
  bool force_compare_ = false;
  std::vector<std::string> categories_;
  bool short_names_ = false;
  events::RangeOf range_of_ = events::RangeOf::kBoth;
  bool merge_ = false;
  std::string align_;
  double min_change_ = 1;
  std::int64_t rows_ = 30;
  std::optional<double> fail_on_slower_;
  CiOutput ci_;
  std::vector<std::string> watch_;
  std::string format_ = "column";
  std::string output_ = "-";
  bool overwrite_ = false;
  bool quiet_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_diff() { return std::make_unique<Diff>(); }

}  // namespace prof::cli
