// prof view: shows the timeline of reports in a browser.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

#include "cli/browser/browser.hpp"
#include "cli/export/export_file.hpp"
#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/options/align_option.hpp"
#include "cli/output/options/range_of_option.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/report_folder.hpp"
#include "cli/sessions/live_recordings.hpp"
#include "cli/verbs/verbs.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/analysis/query/named_views.hpp"
#include "exporters/mcp/timeline.hpp"
#include "exporters/viewer/file/page_file.hpp"
#include "exporters/viewer/run/run_answers.hpp"
#include "exporters/viewer/server/server.hpp"
#include "exporters/viewer/server/site.hpp"
#include "exporters/viewer/server/token.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::cli {

namespace {

class View final : public Verb {
 public:
  const char* name() const override { return "view"; }
  const char* summary() const override { return "Show the timeline of a report in a browser"; }

  void define(CLI::App& app) override {
    app.add_option("reports", reports_,
                   "Reports of prof, or SQLite files that nsys exported. Several are shown below "
                   "each other. A folder is a job: its ranks over time, who waits for whom, and "
                   "the timeline of each")
        ->type_name("FILE…");
    session_ = app.add_option("--session", recording_,
                              "Instead of reports: what has been recorded so far in this session, "
                              "or of this process; without a name, the only one")
                   ->expected(0, 1)
                   ->type_name("[SESSION|PID]");
    add_align_option(app, align_,
                     "How several reports share a clock: clock (that of their machine; of several "
                     "machines the wall clock), collectives (the ends of collective operations), "
                     "range:NAME or only NAME (the first NVTX range of this name is at the "
                     "same place in all), none or start (all begin at 0, to compare runs). "
                     "Default: by collectives of several machines, otherwise by clock")
        ->type_name("clock|collectives|RANGE|none");
    add_range_of_option(app, range_of_);
    app.add_option("--port", port_, "Port to listen on. Default: a free one")->type_name("PORT");
    app.add_option("--allow-host", allowed_hosts_,
                   "Answer under this host name too, if the browser's address bar shows another "
                   "one than the URL that prof printed. Can be repeated")
        ->allow_extra_args(false)
        ->type_name("HOST[:PORT]");
    app.add_option(
           "--sources", source_folders_,
           "Show the text of source files below this folder in the pages of kernels with PC "
           "samples. Files elsewhere are not read, whatever a report names. Can be repeated")
        ->allow_extra_args(false)
        ->type_name("FOLDER");
    app.add_flag("--no-browser", no_browser_, "Print the URL only");
    define_file_options(app);
    app.footer(
        "Examples:\n"
        "  prof view report1.db\n"
        "  prof view --no-browser --port 8080 report1.db\n"
        "  prof view --session training                  (what is recorded so far)\n"
        "  prof view rank0.db rank1.db                   (two processes of one job)\n"
        "  prof view run/                                (all ranks of a job)\n"
        "  prof view --sources=src report1.db            (source text of kernels)\n"
        "  prof view --align=start before.db after.db\n"
        "  prof view --align=range:step before.db after.db\n"
        "  prof view --html report1.html report1.db      (a file to pass on)\n"
        "  prof view --html step.html --filter-time=1.5s/2s report1.db\n"
        "  prof view --png step.png --filter-time=1.5s/2s report1.db");
  }

  std::vector<std::string> words_of(const std::string& name) const override {
    return name == "--align" ? align_words() : std::vector<std::string>{};
  }

  int run(const std::vector<std::string>&) override {
    if (reports_.empty() && session_->count() == 0)
      throw Failure("no report given (see prof view --help)", kBadUsage);
    check_usage();
    if (!png_.empty()) {
      write_png();
      return 0;
    }
    if (reports_.size() == 1 && is_report_folder(reports_.front()) && html_.empty() &&
        align_.empty()) {
      const view::RunAnswers answers(run_input());
      serve(view::RunSite(answers), [] {});
    }
    // Contains the report of a live recording.
    std::optional<base::PrivateFolder> folder;
    if (session_->count() > 0) report_so_far(folder.emplace(make_live_folder()).path());
    const timeline::Span span = file_span();
    const view::Answers answers(open_sources());
    if (!html_.empty()) {
      answers.sources().timeline->load();
      write_html(answers, span);
      return 0;
    }
    serve(
        view::ReportSite(answers), [&] { answers.sources().timeline->load(); },
        [&] { folder.reset(); });
  }

 private:
  // Answers requests until a signal comes, and ends the process. Calls `begin` when the address is
  // known, and `end` afterwards.
  [[noreturn]] void serve(
      const view::Site& site, const std::function<void()>& begin,
      const std::function<void()>& end = [] {}) const {
    const std::string token = take(view::make_token());
    const auto server = take(view::Server::listen({port_, token, allowed_hosts_}, site));
    begin();
    {
      const auto redirect =
          invite(fmt::format("http://127.0.0.1:{}/{}/", server->port(), token), server->port());
      server->run();
    }
    end();
    // The process ends without waiting for threads, which can be in the middle of long queries that
    // nobody needs any more.
    std::fflush(nullptr);
    std::_Exit(0);
  }

  view::SourceFolders source_folders() const {
    return take(view::SourceFolders::make(source_folders_));
  }

  view::RunInput run_input() const {
    view::RunInput input{name_of_job(reports_), {}, {}, range_of_, source_folders()};
    FolderFiles files = files_of_folder(reports_.front());
    if (files.reports.empty())
      throw Failure(reports_.front() + " has no report in it (a file that ends in .db or .sqlite)");
    input.reports = std::move(files.reports);
    for (const std::string& file : files.recordings)
      input.left_out.push_back(file + " is a recording that has not ended");
    return input;
  }

  void define_file_options(CLI::App& app) {
    app.add_option(
           "--html", html_,
           "Write the page with the data of the reports to one file, which needs no server, "
           "and end")
        ->type_name("FILE");
    app.add_option(
           "--png", png_,
           "Write a picture of how busy GPUs and threads are to a PNG file, print what its lanes "
           "are, and end")
        ->type_name("FILE");
    app.add_option("--filter-time", filter_time_,
                   "With --html and --png: only events that overlap this time (in ns, or with a "
                   "unit: ns, us, ms, s)")
        ->type_name("[START]/[END]");
    add_bool(app, "-f,--force-overwrite", overwrite_,
             "With --html and --png: replace an existing file");
  }

  void check_usage() const {
    if (!reports_.empty() && session_->count() > 0)
      throw Failure("--session and a report exclude one another", kBadUsage);
    const bool writes = !html_.empty() || !png_.empty();
    if (!writes && (!filter_time_.empty() || overwrite_))
      throw Failure("--filter-time and --force-overwrite need --html or --png", kBadUsage);
    if (!html_.empty() && !png_.empty())
      throw Failure("--html and --png exclude one another", kBadUsage);
    if (!png_.empty() && (reports_.size() != 1 || is_report_folder(reports_.front())))
      throw Failure("--png draws one report", kBadUsage);
    if (writes &&
        (port_ != 0 || !allowed_hosts_.empty() || no_browser_ || !source_folders_.empty()))
      throw Failure(
          "--html and --png need no server: --port, --allow-host, --no-browser and --sources "
          "contradict it",
          kBadUsage);
    if (writes) check_new(html_.empty() ? png_ : html_, overwrite_);
  }

  void report_so_far(const std::string& folder) {
    const LiveRecording recording = find_live_recording(recording_);
    reports_ = {folder + "/so-far.db"};
    write_report_so_far(recording, reports_.front());
  }

  timeline::Span file_span() const {
    if (filter_time_.empty()) return {};
    const auto filter = events::parse_time_filter(filter_time_);
    if (!filter) throw Failure(filter.error().message, kBadUsage);
    return {filter->start, filter->end};
  }

  void write_html(const view::Answers& answers, timeline::Span span) const {
    constexpr std::uint64_t kManyEvents = 1'000'000;
    view::PageFileContents contents;
    write_export({html_, overwrite_, false}, [&](const formats::Output& output) -> base::Status {
      const auto written = view::write_page_file(answers, span, output);
      if (!written) return tl::make_unexpected(written.error());
      contents = *written;
      return {};
    });
    if (contents.events > kManyEvents)
      print_message(
          "prof: {} has {} events, which makes it large and slow to open. With --filter-time it "
          "has "
          "less.\n",
          html_, contents.events);
    if (contents.with_details < contents.events)
      print_message("prof: {} has the details of the {} longest of {} events.\n", html_,
                    contents.with_details, contents.events);
    print_message("prof: {}: {}\n", html_, view::kFileNotice);
  }

  // Draws the lanes with the most time, and prints what they are.
  void write_png() const {
    constexpr std::size_t kBins = 1'000;
    constexpr std::size_t kLanes = 4;  // of a kind
    const auto reader = open_report(find_report_file(reports_.front()), false);
    check(query::make_named_views(reader));
    mcp::Span span = take(mcp::whole_span(reader));
    const timeline::Span wanted = file_span();
    span = {std::max(span.start, wanted.start), std::min(span.end, wanted.end)};
    if (span.start >= span.end) throw Failure("the report has no event in this time");
    const std::vector<mcp::Lane> lanes = take(mcp::lanes_of(reader, span, kBins, kLanes));
    const std::string png = take(mcp::png_of(lanes));
    close_report(reader);
    write_export({png_, overwrite_}, [&](const formats::Output& output) { return output(png); });
    for (std::size_t i = 0; i < lanes.size(); ++i)
      fmt::print("{}: {}, {}: {} events\n", i + 1, lanes[i].place, lanes[i].kind, lanes[i].events);
  }

  view::Sources open_sources() {
    view::Sources sources;
    std::vector<timeline::OpenReport> reports;
    for (const std::string& name : find_reports(reports_).paths) {
      const std::string path = find_report_file(name);
      open_report(path, false);  // only for its warnings
      sources.reports.push_back(take(view::ServedReport::open(path)));
      reports.push_back({path});
    }
    const ranks::AlignedReports aligned = align(reports);
    for (std::size_t i = 0; i < reports.size(); ++i) reports[i].clock = aligned.clocks[i];
    timeline::Options options;
    sources.source_folders = source_folders();
    options.utc_start = aligned.utc_start;
    options.message = aligned.not_aligned;
    options.range_of = sources.range_of = range_of_;
    options.paths = timeline::Options::Paths::kOfReports;
    sources.timeline = take(timeline::Timeline::open(reports, options));
    return sources;
  }

  // As --align says. Another word than those is the name of a range.
  ranks::AlignedReports align(const std::vector<timeline::OpenReport>& reports) const {
    std::vector<std::string> paths;
    for (const timeline::OpenReport& each : reports) paths.push_back(each.path);
    std::string how = align_ == "start" ? "none" : align_;
    const auto words = align_words();
    const bool is_name = !how.empty() && !how.starts_with("range:") &&
                         std::find(words.begin(), words.end(), how) == words.end();
    if (is_name) how = "range:" + how;
    ranks::AlignedReports aligned = align_reports(paths, how);
    if (!align_.empty()) print_alignment(aligned);
    return aligned;
  }

  // Prints the URL and opens the browser. The file that the browser opens is kept until the end:
  // nobody knows when the browser has read it.
  std::unique_ptr<RedirectFile> invite(const std::string& url, std::uint16_t port) const {
    fmt::print("{}\n", url);
    std::unique_ptr<RedirectFile> redirect;
    if (!no_browser_ && has_display()) {
      redirect = take(RedirectFile::make(url));
      if (!start_browser(redirect->path()))
        print_message(
            "prof: no browser found: neither BROWSER nor xdg-open nor sensible-browser can be "
            "started. Open the URL above yourself.\n");
    } else if (!no_browser_) {
      fmt::print(
          "There is no display here. Run this on the machine with your browser, and open the URL "
          "there:\n  {}\n",
          tunnel_command(port));
    }
    fmt::print("Ctrl+C ends prof view.\n");
    std::fflush(stdout);
    return redirect;
  }

  std::vector<std::string> reports_;
  events::RangeOf range_of_ = events::RangeOf::kBoth;
  CLI::Option* session_ = nullptr;
  std::string recording_;
  std::string align_;
  std::uint16_t port_ = 0;
  std::vector<std::string> allowed_hosts_;
  std::vector<std::string> source_folders_;
  bool no_browser_ = false;
  std::string html_;
  std::string png_;
  std::string filter_time_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_view() { return std::make_unique<View>(); }

}  // namespace prof::cli
