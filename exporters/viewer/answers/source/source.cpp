// api/source: the text of a source file of kernels, if the user allowed its folder.
#include <algorithm>

#include "exporters/analysis/events/strings.hpp"
#include "exporters/analysis/stalls/kernel_code.hpp"
#include "exporters/analysis/stalls/samples.hpp"
#include "exporters/viewer/answers/handlers.hpp"
#include "exporters/viewer/answers/report/report_scope.hpp"
#include "exporters/viewer/answers/source/source_folders.hpp"

namespace prof::view {

namespace {

// True if an instruction with samples is of this file.
base::Result<bool> is_sampled(const report::ReportReader& reader, std::string_view file) {
  const auto instructions = stalls::read_instructions(reader);
  if (!instructions) return tl::make_unexpected(instructions.error());
  stalls::KernelCode code(reader);
  events::Strings strings(reader);
  for (const stalls::Instruction& each : *instructions)
    for (const auto& frame : code.frames(each.cubin, strings.text(each.function), each.offset))
      if (frame.file == file) return true;
  return false;
}

void add_lines(Json& json, std::string_view text) {
  json.key("lines").begin_list();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    json.value(text.substr(at, end - at));
    at = end + 1;
  }
  json.end_list();
}

}  // namespace

Outcome<Answer> answer_source(const Sources& sources, const Parameters& parameters) {
  const auto scope = report_scope(sources, parameters);
  if (!scope) return tl::make_unexpected(scope.error());
  const std::string file(parameters.text("file"));
  if (file.empty()) return fault(400, "the parameter file is missing");
  const ServedReport& report = sources.reports[scope->index];
  const auto reader = report.read();
  if (!reader) return tl::make_unexpected(reader.error());
  const auto named = is_sampled(*reader, file);
  if (!named) return unreadable(named.error());
  if (!*named) return fault(404, "the report has no samples in this file");
  if (const auto sound = report.readable(*reader); !sound)
    return tl::make_unexpected(sound.error());
  Json json;
  json.begin_object().pair("file", file);
  const auto found = sources.source_folders.read(file);
  if (found) {
    json.pair("path", found->path).pair("modified", found->modified);
    add_lines(json, found->text);
  } else {
    json.pair("missing", sources.source_folders.empty()
                             ? "prof view --sources=FOLDER shows the text of source files below a "
                               "folder."
                             : "This file is not below the folders of --sources.");
  }
  return Answer{json.end_object().take()};
}

}  // namespace prof::view
