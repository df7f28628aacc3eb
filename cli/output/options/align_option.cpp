#include "cli/output/options/align_option.hpp"

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"

namespace prof::cli {

CLI::Option* add_align_option(CLI::App& app, std::string& text, const std::string& what) {
  return app.add_option("--align", text, what)->type_name("clock|collectives|range:NAME|none");
}

std::vector<std::string> align_words() { return {"clock", "collectives", "range:", "none"}; }

ranks::ClockChoice clock_choice(const std::string& text) {
  const auto choice = ranks::parse_clock_choice(text);
  if (!choice) throw Failure("--align: " + choice.error().message, kBadUsage);
  return *choice;
}

void check_align(const std::string& text, bool has_several, bool has_reason) {
  if (text.empty()) return;
  if (!has_several) throw Failure("--align needs a folder, or several reports", kBadUsage);
  clock_choice(text);
  if (!has_reason) throw Failure("--align says what --filter-time counts on: give both", kBadUsage);
}

ranks::AlignedReports align_reports(const std::vector<std::string>& paths,
                                    const std::string& text) {
  return take(ranks::align_reports(paths, clock_choice(text)));
}

void print_alignment(const ranks::AlignedReports& aligned) {
  if (!aligned.not_aligned.empty()) print_message("prof: {}\n", aligned.not_aligned);
  for (const std::string& each : aligned.unknown_errors) print_message("prof: {}\n", each);
}

}  // namespace prof::cli
