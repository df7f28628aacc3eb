// Writes the format https://github.com/google/pprof/blob/main/proto/profile.proto.
#include <algorithm>
#include <map>
#include <span>
#include <vector>

#include "exporters/analysis/events/rows.hpp"
#include "exporters/formats/gzip.hpp"
#include "exporters/formats/protobuf.hpp"
#include "exporters/formats/sample_formats.hpp"

namespace prof::formats {

namespace {

using events::CodeKind;
using Node = SampleProfile::Node;

// Field numbers of the messages.
namespace profile_field {
enum { kSampleType = 1, kSample, kMapping, kLocation, kFunction, kString, kTimeNanos = 9 };
enum { kDurationNanos = 10, kPeriodType, kPeriod, kDefaultType = 14 };
}  // namespace profile_field
namespace value_type {
enum { kType = 1, kUnit };
}
namespace sample_field {
enum { kLocations = 1, kValues, kLabel };
}
namespace label_field {
enum { kKey = 1, kText, kNumber };
}
namespace mapping_field {
enum { kId = 1, kFile = 5, kHasFunctions = 7, kHasFiles, kHasLines, kHasInlined };
}
namespace location_field {
enum { kId = 1, kMapping, kAddress, kLine };
}
namespace line_field {
enum { kFunction = 1, kLine };
}
namespace function_field {
enum { kId = 1, kName, kFile = 4 };
}

class PprofWriter {
 public:
  PprofWriter(const SampleProfile& profile, const Output& output)
      : profile_(profile),
        gzip_(output),
        packed_([this](std::string_view bytes) { return gzip_.write(bytes); }),
        writer_(packed_) {
    text("");  // string 0 must be empty
  }

  base::Status run(const report::ReportReader& reader) {
    write_types();
    write_times(reader);
    write_main_mapping();
    write_functions();
    write_locations();
    write_samples();
    for (const std::string& text : texts_) put(message_.bytes(profile_field::kString, text));
    if (base::Status written = writer_.finish(); !written) return written;
    return gzip_.finish();
  }

 private:
  // The location of a node, and the node of the next location further out.
  struct Step {
    std::size_t location = 0;
    Node next = events::CallTree::kNone;
  };

  void put(Message& message) {
    writer_ << message.text();
    message.clear();
  }
  void put(int field, const Message& value) { put(message_.message(field, value)); }

  std::int64_t text(const std::string& text) {
    const auto [at, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return static_cast<std::int64_t>(at->second);
  }
  Message type(const char* name, const char* unit) {
    Message result;
    result.integer(value_type::kType, text(name)).integer(value_type::kUnit, text(unit));
    return result;
  }

  // The first type is the number of samples or calls. The second one is their time or cycles, if
  // known.
  void write_types() {
    const bool calls = profile_.kind() == events::SampleKind::kOsrt ||
                       profile_.kind() == events::SampleKind::kCuda;
    put(profile_field::kSampleType, type(calls ? "calls" : "samples", "count"));
    const char* name = calls ? "time" : "cpu";
    if (profile_.unit() == SampleUnit::kSamples) return;
    const bool times = profile_.unit() == SampleUnit::kNanoseconds;
    put(profile_field::kSampleType, times ? type(name, "nanoseconds") : type("cycles", "count"));
    put(message_.integer(profile_field::kDefaultType, text(times ? name : "cycles")));
    if (!profile_.interval()) return;
    put(profile_field::kPeriodType, type("cpu", "nanoseconds"));
    put(message_.integer(profile_field::kPeriod, *profile_.interval()));
  }

  void write_times(const report::ReportReader& reader) {
    std::int64_t first = profile_.samples().front().start;
    std::int64_t last = first;
    for (const auto& sample : profile_.samples()) {
      first = std::min(first, sample.start);
      last = std::max(last, sample.start);
    }
    put(message_.integer(profile_field::kTimeNanos,
                         events::sum(events::session_start(reader), first)));
    put(message_.integer(profile_field::kDurationNanos, last - first));
  }

  // Returns the file name of the program with the most samples.
  std::string busiest_program() const {
    std::map<std::string, std::int64_t> samples;
    const events::CallTree& tree = profile_.tree();
    for (Node node = 0; node < tree.size(); ++node)
      samples[profile_.threads()[tree.root(node)].process_name] += tree.self(node).samples;
    const auto most =
        std::ranges::max_element(samples, {}, [](const auto& each) { return each.second; });
    return most == samples.end() ? "" : most->first;
  }

  // True if the module is the program's file. In nsys's reports a program has the name that was
  // typed: python for python3.11.
  static bool is_file_of(std::string_view module, std::string_view program) {
    const std::string_view file = module.substr(module.rfind('/') + 1);
    return file.starts_with(program) &&
           file.find_first_not_of("0123456789.", program.size()) == std::string_view::npos;
  }

  // Writes the mapping of the program first, because pprof takes the first mapping for it. The file
  // with main() is the next best.
  void write_main_mapping() {
    const std::string program = busiest_program();
    const events::Function* main = nullptr;
    const events::CodeFrames& code = profile_.code();
    for (std::uint32_t i = 0; i < code.functions(); ++i) {
      const events::Function& function = code.function(i);
      if (function.kind == CodeKind::kPython) continue;
      if (is_file_of(function.module, program)) return void(mapping_of(function));
      if (main == nullptr && function.name == "main") main = &function;
    }
    if (main != nullptr) mapping_of(*main);
  }

  void write_functions() {
    const events::CodeFrames& code = profile_.code();
    for (std::uint32_t i = 0; i < code.functions(); ++i) {
      const events::Function& function = code.function(i);
      mapping_of_.push_back(mapping_of(function));
      Message message;
      // The field system_name is left out. If it is equal to the name, pprof takes the name for a
      // mangled one and shortens it, so that f<int> and f<double> become one function.
      message.integer(function_field::kId, i + 1)
          .integer(function_field::kName, text(function.name));
      if (function.kind == CodeKind::kPython)
        message.integer(function_field::kFile, text(function.module));
      else if (!function.file.empty())
        message.integer(function_field::kFile, text(function.file));
      put(profile_field::kFunction, message);
    }
  }

  // Returns the location of a node: a frame and the functions that are inlined into it.
  const Step& step(Node node) {
    Step& step = steps_[node];
    if (step.location != 0) return step;
    const events::CallTree& tree = profile_.tree();
    std::vector<std::uint32_t> lines{tree.frame(node)};
    while (profile_.code().frame(lines.back()).inline_depth > 0) {
      node = tree.parent(node);
      lines.push_back(tree.frame(node));
    }
    step.next = tree.parent(node);
    if (lines.size() == 1) {
      is_alone_[lines[0]] = true;
      step.location = lines[0] + 1;
    } else {
      const std::size_t next = profile_.code().size() + inlined_.size() + 1;
      step.location = inlined_.try_emplace(std::move(lines), next).first->second;
    }
    return step;
  }

  void write_locations() {
    const events::CallTree& tree = profile_.tree();
    steps_.resize(tree.size());
    is_alone_.resize(profile_.code().size());
    for (Node node = 0; node < tree.size(); ++node)
      if (tree.self(node).samples > 0)
        for (Node at = node; at != events::CallTree::kNone && steps_[at].location == 0;)
          at = step(at).next;
    for (std::uint32_t i = 0; i < is_alone_.size(); ++i)
      if (is_alone_[i]) write_location(i + 1, {&i, 1});
    for (const auto& [lines, id] : inlined_) write_location(id, lines);
  }

  // `frames` has the innermost frame first.
  void write_location(std::size_t id, std::span<const std::uint32_t> frames) {
    const events::Frame& outer = profile_.code().frame(frames.back());
    Message location;
    location.integer(location_field::kId, static_cast<std::int64_t>(id))
        .integer(location_field::kMapping, mapping_of_[outer.function])
        .integer(location_field::kAddress, outer.address);
    for (const std::uint32_t each : frames) {
      const events::Frame& frame = profile_.code().frame(each);
      Message line;
      line.integer(line_field::kFunction, frame.function + 1)
          .integer(line_field::kLine, frame.line);
      location.message(location_field::kLine, line);
    }
    put(profile_field::kLocation, location);
  }

  // Returns the id of the function's mapping, or 0 if it has none.
  std::int64_t mapping_of(const events::Function& function) {
    if (function.kind == CodeKind::kPython || function.module.empty()) return 0;
    const auto [at, is_new] = mappings_.try_emplace(function.module, mappings_.size() + 1);
    const auto id = static_cast<std::int64_t>(at->second);
    if (is_new) {
      Message message;
      message.integer(mapping_field::kId, id)
          .integer(mapping_field::kFile, text(function.module))
          .integer(mapping_field::kHasFunctions, 1)
          .integer(mapping_field::kHasFiles, profile_.has_source_lines() ? 1 : 0)
          .integer(mapping_field::kHasLines, 1)
          .integer(mapping_field::kHasInlined, profile_.has_source_lines() ? 1 : 0);
      put(profile_field::kMapping, message);
    }
    return id;
  }

  Message label(const char* key, const std::string& value) {
    Message result;
    result.integer(label_field::kKey, text(key)).integer(label_field::kText, text(value));
    return result;
  }
  Message label(const char* key, std::int64_t value) {
    Message result;
    result.integer(label_field::kKey, text(key)).integer(label_field::kNumber, value);
    return result;
  }

  void write_samples() {
    std::vector<Message> labels;  // by thread
    for (const ProfiledThread& thread : profile_.threads()) {
      Message& all = labels.emplace_back();
      all.message(sample_field::kLabel, label("pid", thread.pid))
          .message(sample_field::kLabel, label("tid", thread.tid))
          .message(sample_field::kLabel, label("process", thread.process_name))
          .message(sample_field::kLabel, label("thread", thread.name));
    }
    const events::CallTree& tree = profile_.tree();
    for (Node node = 0; node < tree.size(); ++node) {
      if (tree.self(node).samples == 0) continue;
      Message locations;
      for (Node at = node; at != events::CallTree::kNone; at = steps_[at].next)
        locations.element(steps_[at].location);
      Message values;
      values.element(static_cast<std::uint64_t>(tree.self(node).samples));
      if (profile_.unit() != SampleUnit::kSamples)
        values.element(static_cast<std::uint64_t>(profile_.value_of(node)));
      Message sample;
      sample.message(sample_field::kLocations, locations).message(sample_field::kValues, values);
      sample.append(labels[tree.root(node)]);
      put(profile_field::kSample, sample);
    }
  }

  const SampleProfile& profile_;
  Gzip gzip_;
  Output packed_;
  Writer writer_;
  Message message_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::size_t> numbers_;
  std::unordered_map<std::string, std::size_t> mappings_;
  std::vector<std::int64_t> mapping_of_;  // by function
  std::vector<Step> steps_;               // by node; set for nodes that begin a location
  std::vector<bool> is_alone_;            // by frame: true if the frame is a location by itself
  std::map<std::vector<std::uint32_t>, std::size_t>
      inlined_;  // locations that consist of several frames
};

}  // namespace

base::Status write_pprof(const SampleProfile& profile, const report::ReportReader& reader,
                         const Output& output) {
  return PprofWriter(profile, output).run(reader);
}

}  // namespace prof::formats
