// Writes lines of the form: process (pid);thread (tid);outermost;…;innermost value
#include <fmt/format.h>

#include "exporters/formats/sample_formats.hpp"

namespace prof::formats {

namespace {

// Returns the text without semicolons and line ends, because in this format a semicolon ends a
// frame, and the end of the line ends the path.
std::string without_separators(std::string text) {
  for (char& c : text)
    if (c == ';')
      c = ':';
    else if (static_cast<unsigned char>(c) < 0x20)
      c = ' ';
  return text;
}

}  // namespace

base::Status write_collapsed(const SampleProfile& profile, const report::ReportReader&,
                             const Output& output) {
  const events::CallTree& tree = profile.tree();
  std::vector<std::string> labels;  // by frame
  for (std::uint32_t i = 0; i < profile.code().size(); ++i)
    labels.push_back(without_separators(profile.label(i)));
  std::vector<std::string> threads;
  for (const ProfiledThread& thread : profile.threads())
    threads.push_back(without_separators(fmt::format("{} ({})", thread.process_name, thread.pid)) +
                      ';' + without_separators(fmt::format("{} ({})", thread.name, thread.tid)));
  Writer writer(output);
  std::vector<SampleProfile::Node> path;
  for (SampleProfile::Node node = 0; node < tree.size(); ++node) {
    if (tree.self(node).samples == 0) continue;
    path.clear();
    for (auto at = node; at != events::CallTree::kNone; at = tree.parent(at)) path.push_back(at);
    writer << threads[tree.root(node)];
    for (std::size_t i = path.size(); i-- > 0;) writer << ";" << labels[tree.frame(path[i])];
    // Tools for this format expect the number of samples as value if a clock took the samples.
    const std::int64_t value = profile.interval() ? tree.self(node).weight : profile.value_of(node);
    writer << " " << std::to_string(value) << "\n";
  }
  return writer.finish();
}

}  // namespace prof::formats
