#include "cli/output/source_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "cli/output/progress.hpp"
#include "exporters/analysis/source/line_search.hpp"

namespace prof::cli {

namespace {

constexpr std::size_t kNamedFiles = 3;

void print_unknown(const source::FoundLines& found) {
  if (found.unknown.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(found.unknown.size(), kNamedFiles); ++i)
    names += fmt::format("{}{} ({})", i == 0 ? "" : ", ", found.unknown[i].path,
                         found.unknown[i].reason);
  if (found.unknown.size() > kNamedFiles)
    names += fmt::format(" and {} more", found.unknown.size() - kNamedFiles);
  print_message(
      "prof: {} of {} files have no source lines: {}. Build with -g, or install the packages with "
      "debug information (-dbgsym, -debuginfo) of the build that was recorded.\n",
      found.unknown.size(), found.files, names);
}

}  // namespace

void add_lines_option(CLI::App& app, bool& lines) {
  app.add_flag("--lines", lines,
               "Show source lines and inlined functions of native code, from debug information");
}

std::shared_ptr<const events::CodeLines> find_source_lines(const report::ReportReader& reader,
                                                           bool quiet) {
  if (!reader.has_table(events::kCodePlaceTable)) {
    if (!quiet)
      print_message(
          "prof: {} has no table {}, so functions have no source lines. It has no native call "
          "chains, or nsys or an older prof wrote it.\n",
          reader.path(), events::kCodePlaceTable);
    return nullptr;
  }
  ProgressLine line("looking up source lines");
  source::FoundLines found =
      take(source::find_lines(reader, [&line](double fraction) { line.update(fraction); }));
  if (!quiet) print_unknown(found);
  return std::make_shared<const events::CodeLines>(std::move(found.lines));
}

}  // namespace prof::cli
