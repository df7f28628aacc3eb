// prof top: shows where a recorded program spends its time.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/messages/failure.hpp"
#include "cli/monitor/live_terminal.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/terminal.hpp"
#include "cli/top/top_output.hpp"
#include "cli/verbs/verbs.hpp"
#include "collector/spool/spool_path.hpp"

namespace prof::cli {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kMinTopTime = 0.1;
constexpr double kLongestTopTime = 1e6;
constexpr char kEscape = '\x1b';

const Choices<TopKind> kKindWords = {
    {"kernels", TopKind::kKernels}, {"api", TopKind::kApi},       {"ranges", TopKind::kRanges},
    {"os", TopKind::kOs},           {"python", TopKind::kPython}, {"threads", TopKind::kThreads}};
const Choices<TopOrder> kOrderWords = {{"time", TopOrder::kTime},       {"count", TopOrder::kCount},
                                       {"p50", TopOrder::kP50},         {"p99", TopOrder::kP99},
                                       {"longest", TopOrder::kLongest}, {"name", TopOrder::kName}};

class Top final : public Verb {
 public:
  const char* name() const override { return "top"; }
  const char* summary() const override {
    return "Show what a program that is being recorded spends its time with";
  }

  void define(CLI::App& app) override {
    app.add_option("recording", word_,
                   "A session, or a process that is recorded. Default: the only one")
        ->type_name("SESSION|PID");
    app.add_option("-i,--interval", interval_, "Time between two snapshots, s")
        ->check(CLI::Range(kMinTopTime, kLongestTopTime))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("-w,--window", window_, "Time that a snapshot covers, s")
        ->check(CLI::Range(kMinTopTime, kLongestTopTime))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("-n,--count", count_, "End after that number of snapshots")
        ->check(CLI::PositiveNumber)
        ->type_name("COUNT");
    shows_one_ = add_choice(app, "--show", kind_, kKindWords, "Only this table, with all rows")
                     ->type_name("kernels|api|ranges|os|python|threads");
    add_choice(app, "--sort", view_.order, kOrderWords, "Order of the rows")
        ->type_name("time|count|p50|p99|longest|name");
    app.add_option("--filter", view_.filter, "Only rows whose name contains this")
        ->type_name("TEXT");
    app.add_flag("--json", is_json_, "Print a JSON object on a line for each snapshot");
    app.footer(
        "Keys: q quits, p pauses, s changes the order, / begins a filter, k a r o y t show one\n"
        "table, Escape all. The program goes on when prof top ends.\n"
        "Examples:\n  prof top\n  prof top training --show ranges --sort p99\n"
        "  prof top -n 1 --json | jq '.kernels[0]'");
  }

  int run(const std::vector<std::string>&) override {
    const LiveRecording recording = find_live_recording(word_);
    if (shows_one_->count() > 0) view_.kind = kind_;
    title_ = recording.session.empty() ? spool::report_path(recording.name).value_or(recording.name)
                                       : recording.session;
    // The program and its recording have priority.
    setpriority(PRIO_PROCESS, 0, kLowPriority);
    TopSource source(recording, window_);
    source.take();  // CPU times of threads count from here
    const bool is_screen = !is_json_ && is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO);
    return is_screen ? run_screen(source) : run_lines(source);
  }

 private:
  static constexpr int kLowPriority = 10;

  // Takes a snapshot, and sets when the next one is due: later than chosen if this one took long,
  // so that prof uses at most a fifth of a CPU.
  TopSnapshot take(TopSource& source, Clock::time_point& due) const {
    constexpr int kRests = 4;
    const Clock::time_point begin = Clock::now();
    TopSnapshot snapshot = source.take();
    const Clock::time_point end = Clock::now();
    due = std::max(begin + interval(), end + kRests * (end - begin));
    return snapshot;
  }

  Clock::duration interval() const {
    return std::chrono::duration_cast<Clock::duration>(Seconds(interval_));
  }

  int run_lines(TopSource& source) {
    Clock::time_point due = Clock::now() + interval();
    for (std::uint64_t taken = 0; count_ == 0 || taken < count_; ++taken) {
      std::this_thread::sleep_until(due);
      const TopSnapshot snapshot = take(source, due);
      std::string text;
      if (is_json_) {
        text = top_json(snapshot, view_);
      } else {
        view_.width = terminal_width(STDOUT_FILENO);
        for (const std::string& line : top_lines(snapshot, view_, {title_})) text += line + "\n";
        text += "\n";
      }
      if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
        throw Failure("cannot write the output");
      if (snapshot.has_ended) break;
    }
    return 0;
  }

  int run_screen(TopSource& source) {
    LiveTerminal terminal;
    Clock::time_point due;
    TopSnapshot snapshot = take(source, due);
    for (std::uint64_t taken = 0;;) {
      if (!is_paused_ && !snapshot.has_ended && Clock::now() >= due) {
        snapshot = take(source, due);
        if (++taken == count_) return 0;
      }
      view_.width = terminal.width();
      view_.lines = terminal.height();
      view_.color = allows_color();
      terminal.show(top_lines(snapshot, view_, heading()));
      char key = 0;
      const bool waits = is_paused_ || snapshot.has_ended;
      const auto event = terminal.wait(waits ? Clock::now() + interval() : due, key);
      if (event == LiveTerminal::Event::kKey && !take_key(key)) return 0;
      if (event == LiveTerminal::Event::kEnd)
        return terminal.signal() == 0 || terminal.signal() == SIGINT ? 0 : 128 + terminal.signal();
    }
  }

  std::vector<std::string> heading() const {
    std::vector<std::string> parts = {"prof top  " + title_, "by " + order_word()};
    if (types_filter_ || !view_.filter.empty())
      parts.push_back(fmt::format("/{}{}", view_.filter, types_filter_ ? "_" : ""));
    if (is_paused_) parts.emplace_back("PAUSED");
    for (const char* keys : {"q quit", "p pause", "s order", "/ filter", "k a r o y t Esc tables"})
      parts.emplace_back(keys);
    return parts;
  }

  const std::string& order_word() const {
    for (const auto& [word, order] : kOrderWords)
      if (order == view_.order) return word;
    return kOrderWords.front().first;
  }

  // Returns whether to continue.
  bool take_key(char key) {
    if (types_filter_) {
      constexpr char kBackspace = '\x7f', kErase = '\b';
      if (key == '\n' || key == '\r' || key == kEscape)
        types_filter_ = false;
      else if (key != kBackspace && key != kErase)
        view_.filter += key;
      else if (!view_.filter.empty())
        view_.filter.pop_back();
      return true;
    }
    switch (key) {
      case 'q':
      case 'Q':
        return false;
      case 'p':
      case ' ':
        is_paused_ = !is_paused_;
        break;
      case '/':
        view_.filter.clear();
        types_filter_ = true;
        break;
      case 's':
        next_order();
        break;
      case kEscape:
        view_.kind.reset();
        break;
      default:
        show_table(key);
    }
    return true;
  }

  void show_table(char key) {
    constexpr char kKeys[] = {'k', 'a', 'r', 'o', 'y', 't'};
    for (std::size_t i = 0; i < kTopKinds; ++i)
      if (key == kKeys[i]) view_.kind = kKindWords[i].second;
  }

  void next_order() {
    for (std::size_t i = 0; i < kOrderWords.size(); ++i)
      if (kOrderWords[i].second == view_.order) {
        view_.order = kOrderWords[(i + 1) % kOrderWords.size()].second;
        return;
      }
  }

  std::string word_;
  std::string title_;
  double interval_ = 1;
  double window_ = 5;
  std::uint64_t count_ = 0;
  CLI::Option* shows_one_ = nullptr;
  TopKind kind_ = TopKind::kKernels;
  TopView view_;
  bool is_json_ = false;
  bool is_paused_ = false;
  bool types_filter_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_top() { return std::make_unique<Top>(); }

}  // namespace prof::cli
