// The processed profile format of https://profiler.firefox.com, version 60. Later versions of the
// viewer upgrade it. All threads share its tables, which are stored by column.
// https://github.com/firefox-devtools/profiler/blob/main/docs-developer/processed-profile-format.md
#include <fmt/format.h>

#include <unordered_map>

#include "common/base/text/json.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/formats/sample_formats.hpp"

namespace prof::formats {

namespace {

using events::CodeKind;
using Sample = SampleProfile::Sample;

constexpr double kNanosecondsPerMillisecond = 1e6;

// The categories in the order of CodeKind.
constexpr const char* kCategories =
    R"([{"name":"User","color":"yellow","subcategories":["Other"]},)"
    R"({"name":"Kernel","color":"orange","subcategories":["Other"]},)"
    R"({"name":"Python","color":"blue","subcategories":["Other"]},)"
    R"({"name":"Unresolved","color":"purple","subcategories":["Other"]},)"
    R"({"name":"Other","color":"grey","subcategories":["Other"]}])";

std::string milliseconds(std::int64_t nanoseconds) {
  return fmt::format("{}", static_cast<double>(nanoseconds) / kNanosecondsPerMillisecond);
}

class FirefoxWriter {
 public:
  FirefoxWriter(const SampleProfile& profile, const Output& output)
      : profile_(profile), code_(profile.code()), writer_(output) {}

  base::Status run(const report::ReportReader& reader) {
    number_modules();
    write_meta(reader);
    writer_ << R"(,"libs":[)";
    for (std::size_t i = 0; i < libraries_.size(); ++i) write_library(libraries_[i], i == 0);
    writer_ << "],\"pages\":[],\"counters\":[],\"shared\":{\n";
    write_stacks();
    write_frames();
    write_functions();
    write_resources();
    write_strings();
    writer_ << "},\"threads\":[";
    write_threads();
    writer_ << "]}\n";
    return writer_.finish();
  }

 private:
  // Numbers the libraries and source files of the functions.
  void number_modules() {
    const auto number = [](std::vector<std::string>& list, const std::string& module) {
      for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i] == module) return static_cast<int>(i);
      list.push_back(module);
      return static_cast<int>(list.size() - 1);
    };
    for (std::uint32_t i = 0; i < code_.functions(); ++i) {
      const events::Function& function = code_.function(i);
      const bool python = function.kind == CodeKind::kPython;
      const bool none = function.module.empty();
      const std::string& source = python ? function.module : function.file;
      source_of_.push_back(source.empty() ? -1 : number(sources_, source));
      library_of_.push_back(python || none ? -1 : number(libraries_, function.module));
    }
  }

  void write_meta(const report::ReportReader& reader) {
    const std::int64_t interval = profile_.interval().value_or(1'000'000);
    writer_ << fmt::format(
        R"({{"meta":{{"version":27,"preprocessedProfileVersion":60,"product":{},"processType":0,)"
        R"("interval":{},"startTime":{},"stackwalk":1,"debug":false,"symbolicated":true,)"
        R"("usesOnlyOneStackType":true,"sourceCodeIsNotOnSearchfox":true,"markerSchema":[],)"
        R"("extensions":{{"length":0,"baseURL":[],"id":[],"name":[]}},"categories":{}}})",
        base::quoted_json(events::file_name(reader.path())), milliseconds(interval),
        milliseconds(events::session_start(reader)), kCategories);
  }
  void write_library(const std::string& path, bool first) {
    const std::string name = base::quoted_json(events::file_name(path));
    writer_ << fmt::format(
        R"({}{{"arch":"","name":{},"path":{},"debugName":{},"debugPath":{},"breakpadId":"",)"
        R"("codeId":null}})",
        first ? "" : ",", name, base::quoted_json(path), name, base::quoted_json(path));
  }

  template <class Value>
  void column(const char* name, std::size_t length, Value value) {
    writer_ << ",\"" << name << "\":[";
    for (std::size_t i = 0; i < length; ++i)
      writer_ << (i == 0 ? "" : ",") << value(static_cast<std::uint32_t>(i));
    writer_ << "]";
  }
  void constant(const char* name, std::size_t length, const char* value) {
    column(name, length, [&](std::uint32_t) { return value; });
  }
  void begin(const char* table, std::size_t length) {
    writer_ << fmt::format("\"{}\":{{\"length\":{}", table, length);
  }
  void end() { writer_ << "},\n"; }

  void write_stacks() {
    const events::CallTree& tree = profile_.tree();
    begin("stackTable", tree.size());
    column("frame", tree.size(), [&](std::uint32_t i) { return std::to_string(tree.frame(i)); });
    column("prefix", tree.size(), [&](std::uint32_t i) {
      const auto parent = tree.parent(i);
      return parent == events::CallTree::kNone ? "null" : std::to_string(parent);
    });
    end();
  }

  void write_frames() {
    const std::size_t length = code_.size();
    begin("frameTable", length);
    constant("address", length, "-1");
    column("inlineDepth", length,
           [&](std::uint32_t i) { return std::to_string(code_.frame(i).inline_depth); });
    column("category", length, [&](std::uint32_t i) {
      return std::to_string(static_cast<int>(code_.function_of(i).kind));
    });
    constant("subcategory", length, "0");
    column("func", length,
           [&](std::uint32_t i) { return std::to_string(code_.frame(i).function); });
    constant("nativeSymbol", length, "null");
    constant("innerWindowID", length, "null");
    column("line", length, [&](std::uint32_t i) {
      return code_.frame(i).line > 0 ? std::to_string(code_.frame(i).line) : "null";
    });
    constant("column", length, "null");
    end();
  }

  void write_functions() {
    const std::size_t length = code_.functions();
    begin("funcTable", length);
    column("name", length, [&](std::uint32_t i) { return string(code_.function(i).name); });
    constant("isJS", length, "false");
    constant("relevantForJS", length, "false");
    column("resource", length, [&](std::uint32_t i) { return std::to_string(library_of_[i]); });
    column("source", length, [&](std::uint32_t i) {
      return source_of_[i] < 0 ? "null" : std::to_string(source_of_[i]);
    });
    constant("lineNumber", length, "null");
    constant("columnNumber", length, "null");
    end();
  }

  // Each library is one resource with the same number.
  void write_resources() {
    const std::size_t length = libraries_.size();
    begin("resourceTable", length);
    column("lib", length, [](std::uint32_t i) { return std::to_string(i); });
    column("name", length,
           [&](std::uint32_t i) { return string(events::file_name(libraries_[i])); });
    constant("host", length, "null");
    constant("type", length, "1");
    end();
    writer_ << R"("nativeSymbols":{"length":0,"libIndex":[],"address":[],"name":[],)"
            << R"("functionSize":[]},)"
            << "\n";
    begin("sources", sources_.size());
    constant("uuid", sources_.size(), "null");
    column("filename", sources_.size(), [&](std::uint32_t i) { return string(sources_[i]); });
    end();
  }

  std::string string(std::string_view text) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(text), strings_.size());
    if (is_new) strings_.emplace_back(text);
    return std::to_string(at->second);
  }
  void write_strings() {
    writer_ << "\"stringArray\":[";
    for (std::size_t i = 0; i < strings_.size(); ++i)
      writer_ << (i == 0 ? "" : ",") << base::quoted_json(strings_[i]);
    writer_ << "]";
  }

  void write_threads() {
    std::span<const Sample> rest = profile_.samples();
    for (std::uint32_t i = 0; i < profile_.threads().size(); ++i) {
      std::size_t count = 0;
      while (count < rest.size() && rest[count].thread == i) ++count;
      writer_ << (i == 0 ? "\n" : ",\n");
      write_thread(profile_.threads()[i], rest.first(count));
      rest = rest.subspan(count);
    }
  }
  void write_thread(const ProfiledThread& thread, std::span<const Sample> samples) {
    writer_ << fmt::format(
        R"({{"name":{},"processName":{},"pid":"{}","tid":{},"isMainThread":{},)"
        R"("processType":"default","processStartupTime":0,"processShutdownTime":null,)"
        R"("registerTime":0,"unregisterTime":null,"pausedRanges":[],)"
        R"("markers":{{"length":0,"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],)"
        R"("category":[]}},)",
        base::quoted_json(thread.name), base::quoted_json(thread.process_name), thread.pid,
        thread.tid, thread.pid == thread.tid);
    const std::size_t length = samples.size();
    begin("samples", length);
    column("stack", length, [&](std::uint32_t i) { return std::to_string(samples[i].path); });
    column("time", length, [&](std::uint32_t i) { return milliseconds(samples[i].start); });
    write_weights(samples);
    writer_ << "}}";
  }
  void write_weights(std::span<const Sample> samples) {
    const bool calls = profile_.kind() == events::SampleKind::kOsrt ||
                       profile_.kind() == events::SampleKind::kCuda;
    if (calls)
      column("weight", samples.size(),
             [&](std::uint32_t i) { return milliseconds(samples[i].value); });
    else
      writer_ << ",\"weight\":null";
    writer_ << (calls ? ",\"weightType\":\"tracing-ms\"" : ",\"weightType\":\"samples\"");
  }

  const SampleProfile& profile_;
  const events::CodeFrames& code_;
  Writer writer_;
  std::vector<std::string> libraries_;
  std::vector<std::string> sources_;
  std::vector<int> library_of_;  // by function; -1: the function has no library
  std::vector<int> source_of_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace

base::Status write_firefox(const SampleProfile& profile, const report::ReportReader& reader,
                           const Output& output) {
  return FirefoxWriter(profile, output).run(reader);
}

}  // namespace prof::formats
