#include "cli/options/recording/recording_options.hpp"

#include "cli/messages/failure.hpp"
#include "cli/options/option_kinds.hpp"
#include "collector/prometheus/listen_address.hpp"

namespace prof::cli {

namespace {

constexpr std::uint64_t kSmallestBuffer = std::uint64_t{1} << 20;
constexpr std::uint64_t kLargestBuffer = std::uint64_t{1} << 30;

}  // namespace

void add_output(CLI::App& app, std::string& output, bool& overwrite) {
  app.add_option("-o,--output", output,
                 "Report to write. %q{VAR} is replaced by an environment variable, %h by the "
                 "host name, %p by the program's pid, %n by the first unused number, %% by %")
      ->type_name("FILE")
      ->capture_default_str();
  add_bool(app, "-f,--force-overwrite", overwrite, "Replace an existing report");
}

void add_metrics_endpoint(CLI::App& app, session::SessionOptions& options) {
  add_parsed(
      app, "--metrics-endpoint",
      [&options](const std::string& text) {
        const auto address = prometheus::parse_listen_address(text);
        if (!address) throw Failure("--metrics-endpoint " + address.error().message, kBadUsage);
        options.metrics_endpoint = *address;
      },
      "Give live metrics for Prometheus at http://ADDRESS:PORT/metrics. Without a value: "
      "127.0.0.1:9755")
      ->expected(0, 1)
      ->type_name("[[ADDRESS:]PORT]");
}

void add_buffer_size(CLI::App& app, std::uint64_t& bytes) {
  app.add_option("--buffer-size", bytes,
                 "Maximum size of the event buffer shared with the program (1M to 1G). Default: "
                 "320M, or an eighth of the free memory if that is less")
      ->type_name("SIZE")
      ->transform(CLI::AsSizeValue(false) & CLI::Range(kSmallestBuffer, kLargestBuffer));
}

void add_report_work(CLI::App& app, ReportWork& work) {
  app.add_option("--export", work.exports,
                 "Export the report when it is written: none, or types of prof export")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TYPE,…");
  add_bool(app, "--stats", work.stats, "Print the statistics after the report is written");
  add_bool(
      app, "--partial", work.partial,
      "Write what the report adds to the statistics of its job, too, into REPORT.partial: prof "
      "stats of a folder then reads this small file in place of the events");
}

}  // namespace prof::cli
