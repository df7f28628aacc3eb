// Writes the format https://www.speedscope.app/file-format-schema.json.
#include <fmt/format.h>

#include "common/base/text/json.hpp"
#include "exporters/formats/sample_formats.hpp"

namespace prof::formats {

namespace {

using Node = SampleProfile::Node;
using Sample = SampleProfile::Sample;

void write_frames(const SampleProfile& profile, Writer& writer) {
  for (std::uint32_t i = 0; i < profile.code().size(); ++i) {
    const events::Function& function = profile.code().function_of(i);
    const std::int64_t line = profile.code().frame(i).line;
    const std::string file = events::location(function, 0);
    writer << (i == 0 ? "\n" : ",\n") << R"({"name":)" << base::quoted_json(function.name);
    if (!file.empty()) writer << R"(,"file":)" << base::quoted_json(file);
    if (line > 0) writer << R"(,"line":)" << std::to_string(line);
    writer << "}";
  }
}

// Writes the frames of a path, outermost first.
void write_path(const SampleProfile& profile, Node node, std::vector<std::uint32_t>& path,
                Writer& writer) {
  path.clear();
  for (; node != events::CallTree::kNone; node = profile.tree().parent(node))
    path.push_back(profile.tree().frame(node));
  writer << "[";
  for (std::size_t i = path.size(); i-- > 0;)
    writer << std::to_string(path[i]) << (i == 0 ? "" : ",");
  writer << "]";
}

// Merges consecutive samples with the same path.
std::vector<Sample> merged(std::span<const Sample> samples) {
  std::vector<Sample> result;
  for (const Sample& sample : samples)
    if (!result.empty() && result.back().path == sample.path)
      result.back().value = events::sum(result.back().value, sample.value);
    else
      result.push_back(sample);
  return result;
}

void write_thread(const SampleProfile& profile, const ProfiledThread& thread,
                  std::span<const Sample> all, Writer& writer) {
  const std::vector<Sample> samples = merged(all);
  std::int64_t end = 0;
  for (const Sample& sample : samples) end = events::sum(end, sample.value);
  const std::string name =
      fmt::format("{} ({}): {} ({})", thread.process_name, thread.pid, thread.name, thread.tid);
  const char* unit = profile.unit() == SampleUnit::kNanoseconds ? "nanoseconds" : "none";
  writer << fmt::format(
      R"({{"type":"sampled","name":{},"unit":"{}","startValue":0,"endValue":{},"samples":[)",
      base::quoted_json(name), unit, end);
  std::vector<std::uint32_t> path;
  for (const Sample& sample : samples) {
    writer << (&sample == samples.data() ? "\n" : ",\n");
    write_path(profile, sample.path, path, writer);
  }
  writer << R"(],"weights":[)";
  for (const Sample& sample : samples)
    writer << (&sample == samples.data() ? "" : ",") << std::to_string(sample.value);
  writer << "]}";
}

}  // namespace

base::Status write_speedscope(const SampleProfile& profile, const report::ReportReader& reader,
                              const Output& output) {
  Writer writer(output);
  writer << R"({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"prof",)"
         << R"("name":)" << base::quoted_json(events::file_name(reader.path()))
         << R"(,"activeProfileIndex":0,"shared":{"frames":[)";
  write_frames(profile, writer);
  writer << "]},\"profiles\":[";
  std::span<const Sample> rest = profile.samples();
  for (std::uint32_t i = 0; i < profile.threads().size(); ++i) {
    std::size_t count = 0;
    while (count < rest.size() && rest[count].thread == i) ++count;
    writer << (i == 0 ? "\n" : ",\n");
    write_thread(profile, profile.threads()[i], rest.first(count), writer);
    rest = rest.subspan(count);
  }
  writer << "]}\n";
  return writer.finish();
}

}  // namespace prof::formats
