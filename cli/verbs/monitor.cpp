// prof monitor: shows what GPUs and the machine are doing now.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <thread>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/monitor/live_terminal.hpp"
#include "cli/monitor/sampler.hpp"
#include "cli/monitor/screen.hpp"
#include "cli/monitor/snapshot_text.hpp"
#include "cli/options/option_kinds.hpp"
#include "cli/output/terminal.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

enum class MonitorFormat : std::uint8_t { kText, kCsv, kJson };

constexpr double kMinInterval = 0.05;
constexpr double kLongest = 1e6;
constexpr std::array kOrders = {ProcessOrder::kGpu, ProcessOrder::kMemory,
                                ProcessOrder::kUtilization, ProcessOrder::kPid,
                                ProcessOrder::kName};

// True if block characters can be shown, which need UTF-8.
bool has_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = value;
    return locale.find("UTF-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::vector<std::string> heading_of(double interval, bool paused) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  const std::time_t now = std::time(nullptr);
  char time[16] = {};
  std::strftime(time, sizeof time, "%H:%M:%S", std::localtime(&now));
  std::vector<std::string> parts = {"prof monitor", host, time,
                                    fmt::format("every {} s", interval)};
  if (paused) parts.emplace_back("PAUSED");
  for (const char* keys : {"q: quit", "p: pause", "s: order of processes"})
    parts.emplace_back(keys);
  return parts;
}

class Monitor final : public Verb {
 public:
  const char* name() const override { return "monitor"; }
  const char* summary() const override { return "Show what GPUs and the machine do now"; }

  void define(CLI::App& app) override {
    app.add_option("-i,--interval", interval_, "Time between two samples, s")
        ->check(CLI::Range(kMinInterval, kLongest))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("-n,--count", count_, "End after that number of samples")
        ->check(CLI::PositiveNumber)
        ->type_name("COUNT");
    app.add_option("-d,--duration", duration_, "End after that time, s")
        ->check(CLI::Range(kMinInterval, kLongest))
        ->type_name("SECONDS");
    add_choice(app, "--format", format_,
               {{"text", MonitorFormat::kText},
                {"csv", MonitorFormat::kCsv},
                {"json", MonitorFormat::kJson}},
               "text: a screen, or blocks of lines without a terminal; csv: a line for each value; "
               "json: an object on a line for each sample")
        ->type_name("text|csv|json");
    add_choice(app, "--sort", order_,
               {{"gpu", ProcessOrder::kGpu},
                {"memory", ProcessOrder::kMemory},
                {"utilization", ProcessOrder::kUtilization},
                {"pid", ProcessOrder::kPid},
                {"name", ProcessOrder::kName}},
               "Order of the processes")
        ->type_name("gpu|memory|utilization|pid|name");
    app.add_option("-g,--gpu-devices", gpus_,
                   "all, cuda-visible or numbers of GPUs, separated by commas")
        ->type_name("GPUS")
        ->capture_default_str();
    app.footer(
        "Keys: q quits, p pauses, s changes the order of the processes.\n"
        "Examples:\n  prof monitor\n  prof monitor -i 0.1 -d 60 --format csv > load.csv\n"
        "  prof monitor -n 1 --format json | jq '.devices[] | select(.domain == \"NVML\")'");
  }

  int run(const std::vector<std::string>&) override {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    const auto selection = nvml::GpuSelection::parse(gpus_, visible == nullptr ? "" : visible);
    if (!selection) throw Failure("--gpu-devices: " + selection.error().message, kBadUsage);
    MonitorSampler sampler(*selection);
    sampler.take();  // the first rates count from here
    end_ = duration_ > 0
               ? Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(duration_))
               : Clock::time_point::max();
    const bool is_screen =
        format_ == MonitorFormat::kText && is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO);
    return is_screen ? run_screen(sampler) : run_lines(sampler);
  }

 private:
  Clock::duration interval() const {
    return std::chrono::duration_cast<Clock::duration>(Seconds(interval_));
  }
  bool is_done(std::uint64_t samples) const {
    return (count_ > 0 && samples >= count_) || Clock::now() >= end_;
  }

  // Prints lines. Without a screen there is nothing to restore, so signals have their usual effect.
  int run_lines(MonitorSampler& sampler) {
    if (format_ != MonitorFormat::kText && !sampler.remark().empty())
      print_message("prof: {}\n", sampler.remark());
    if (format_ == MonitorFormat::kCsv) fmt::print("{}", csv_heading());
    Screen screen(sampler.gpus());
    Clock::time_point due = Clock::now();
    for (std::uint64_t samples = 0; !is_done(samples); ++samples) {
      due += interval();
      std::this_thread::sleep_until(std::min(due, end_));
      GpuReadings snapshot = sampler.take();
      if (format_ == MonitorFormat::kCsv)
        fmt::print("{}", csv_lines(snapshot));
      else if (format_ == MonitorFormat::kJson)
        fmt::print("{}", json_line(snapshot));
      else
        print_block(screen, std::move(snapshot), sampler.remark());
      if (std::fflush(stdout) != 0) throw Failure("cannot write the output");
    }
    return 0;
  }

  void print_block(Screen& screen, GpuReadings snapshot, const std::string& remark) const {
    screen.add(std::move(snapshot));
    const ScreenStyle style{.width = terminal_width(STDOUT_FILENO), .unicode = has_unicode()};
    const std::time_t now = std::time(nullptr);
    char time[32] = {};
    std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", std::localtime(&now));
    for (const std::string& line : screen.draw(style, order_, {time}, remark))
      fmt::print("{}\n", line);
    fmt::print("\n");
  }

  int run_screen(MonitorSampler& sampler) {
    LiveTerminal terminal;
    Screen screen(sampler.gpus());
    std::uint64_t samples = 0;
    // The first screen appears early.
    Clock::time_point due = Clock::now() + std::min<Clock::duration>(interval(), kFirstPause);
    while (true) {
      if (!paused_ && Clock::now() >= due) {
        screen.add(sampler.take());
        ++samples;
        due = Clock::now() + interval();
      }
      redraw(terminal, screen, sampler.remark());
      if (is_done(samples)) return 0;
      char key = 0;
      const auto until = std::min(paused_ ? Clock::now() + interval() : due, end_);
      const auto event = terminal.wait(until, key);
      if (event == LiveTerminal::Event::kKey && !take_key(key)) return 0;
      if (event == LiveTerminal::Event::kEnd)
        return terminal.signal() == 0 || terminal.signal() == SIGINT ? 0 : 128 + terminal.signal();
    }
  }

  void redraw(LiveTerminal& terminal, const Screen& screen, const std::string& remark) const {
    const ScreenStyle style{.width = terminal.width(),
                            .lines = terminal.height(),
                            .color = allows_color(),
                            .unicode = has_unicode()};
    terminal.show(screen.draw(style, order_, heading_of(interval_, paused_), remark));
  }

  // Returns whether to continue.
  bool take_key(char key) {
    if (key == 'q' || key == 'Q') return false;
    if (key == 'p' || key == ' ') paused_ = !paused_;
    if (key == 's') {
      const auto at = std::ranges::find(kOrders, order_);
      order_ = at + 1 == kOrders.end() ? kOrders.front() : *(at + 1);
    }
    return true;
  }

  static constexpr std::chrono::milliseconds kFirstPause{250};

  double interval_ = 1;
  double duration_ = 0;
  std::uint64_t count_ = 0;
  MonitorFormat format_ = MonitorFormat::kText;
  ProcessOrder order_ = ProcessOrder::kGpu;
  std::string gpus_ = "all";
  bool paused_ = false;
  Clock::time_point end_;
};

}  // namespace

std::unique_ptr<Verb> make_monitor() { return std::make_unique<Monitor>(); }

}  // namespace prof::cli
