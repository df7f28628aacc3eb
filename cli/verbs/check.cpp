// prof check: verifies claims against a report.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "cli/messages/failure.hpp"
#include "cli/output/findings/fact_sheet.hpp"
#include "cli/output/report_access.hpp"
#include "cli/output/table_output.hpp"
#include "cli/verbs/verbs.hpp"
#include "exporters/analysis/claims/check_answer.hpp"
#include "exporters/analysis/claims/check_claims.hpp"

namespace prof::cli {

namespace {

constexpr int kContradicted = 3;
constexpr int kNotMeasurable = 4;

class CheckVerb final : public Verb {
 public:
  const char* name() const override { return "check"; }
  const char* summary() const override { return "Verify claims against a report"; }

  void define(CLI::App& app) override {
    app.add_option("FILE", report_, "A report of prof, or an SQLite file that nsys exported")
        ->type_name("FILE");
    app.add_option("CLAIM", claims_,
                   "What the report should say, as in the examples; or a file with a text whose "
                   "numbers are verified")
        ->type_name("CLAIM…");
    app.add_option("-f,--format", format_, "Format")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    app.footer(
        "Exit status: 0 if all claims are supported, 3 if one is contradicted, 4 if none is "
        "contradicted but one is not measurable.\n"
        "Examples:\n"
        "  prof check report1.db 'launch_bound.share > 0.5'\n"
        "  prof check report1.db 'cause = data_loading' \"range('step').median < 20ms\"\n"
        "  prof check report1.db \"count(kernel('nchwToNhwc*')) = 7906\"\n"
        "  prof check report1.db \"kernel('*gemm*').total between 1ms and 2ms\" -f json\n"
        "  prof check report1.db \"first(range('load')) before first(kernel)\"\n"
        "  prof check report1.db answer.md          (the numbers in a text)");
  }

  int run(const std::vector<std::string>&) override {
    if (report_.empty() || claims_.empty())
      throw Failure(
          "prof check needs a report and claims: prof check REPORT 'CLAIM' (see prof "
          "check --help)",
          kBadUsage);
    std::vector<Request> requests;
    for (const std::string& each : claims_) requests.push_back(request_of(each));
    const facts::FactSheet sheet = read_fact_sheet({report_});
    const auto reader = open_report_with_views(find_report_file(report_));
    std::vector<claims::Checked> checked;
    for (const Request& each : requests) {
      if (each.claim) {
        checked.push_back(take(claims::check_claim(reader, sheet, *each.claim)));
        continue;
      }
      std::vector<claims::Checked> numbers = take(claims::check_answer(reader, sheet, each.text));
      std::ranges::move(numbers, std::back_inserter(checked));
    }
    close_report(reader);
    put({}, "check",
        format_ == "json" ? claims::checked_json(checked) : claims::checked_text(checked));
    return status_of(checked);
  }

 private:
  // A claim, or the text of a file.
  struct Request {
    std::optional<claims::Claim> claim;
    std::string text;
  };

  static Request request_of(const std::string& argument) {
    std::error_code error;
    if (std::filesystem::is_regular_file(argument, error)) return {{}, text_of(argument)};
    auto claim = claims::parse_claim(argument);
    if (!claim) throw Failure(fmt::format("{}: {}", argument, claim.error().message), kBadUsage);
    return {*std::move(claim), {}};
  }

  static std::string text_of(const std::string& path) {
    constexpr std::size_t kMaxBytes = 100'000;
    std::ifstream file(path, std::ios::binary);
    std::string text(kMaxBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (file.bad() || (text.empty() && !file.eof())) throw Failure(path + ": cannot be read");
    if (text.size() > kMaxBytes)
      throw Failure(fmt::format("{}: a text has at most {} bytes", path, kMaxBytes));
    return text;
  }

  // Numbers of a text that are not measurable are only listed.
  static int status_of(const std::vector<claims::Checked>& checked) {
    const auto has = [&](claims::Judgement judgement) {
      return std::ranges::any_of(checked, [&](const auto& each) {
        return each.judgement == judgement &&
               (each.line == 0 || judgement == claims::Judgement::kContradicted);
      });
    };
    if (has(claims::Judgement::kContradicted)) return kContradicted;
    return has(claims::Judgement::kNotMeasurable) ? kNotMeasurable : 0;
  }

  std::string report_;
  std::vector<std::string> claims_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Verb> make_check() { return std::make_unique<CheckVerb>(); }

}  // namespace prof::cli
