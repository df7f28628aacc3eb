// prof export: a report in another format.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/failure.hpp"
#include "cli/verbs.hpp"
#include "exporters/formats/json_export.hpp"

namespace prof::cli {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class Export final : public Verb {
 public:
  const char* name() const override { return "export"; }
  const char* summary() const override { return "Convert a report to another format"; }

  void define(CLI::App& app) override {
    app.add_option("report", report_, "Report: of prof, or SQLite as nsys exports it")
        ->type_name("FILE");
    app.add_flag("--json", json_, "One JSON document (the same as --type=json)");
    app.add_option("-t,--type", type_, "json")->type_name("TYPE");
    app.add_option("-o,--output", output_, "File to write; - is stdout")
        ->type_name("FILE")
        ->capture_default_str();
    app.add_option("--tables", tables_, "Only these tables")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NAME,…");
    add_bool(app, "-f,--force-overwrite", overwrite_, "Replace an existing file");
    app.footer(
        "Examples:\n"
        "  prof export --json report1.db | jq '.tables.NVTX_EVENTS[].text'\n"
        "  prof export --json -o report1.json report1.db\n"
        "  prof export --json --tables OSRT_API,ThreadNames report1.db");
  }

  int run(const std::vector<std::string>&) override {
    if (report_.empty()) throw Failure("no report given (see prof export --help)", kBadUsage);
    if (!json_ && type_.empty()) throw Failure("no format given; known: --json", kBadUsage);
    if (!type_.empty() && type_ != "json")
      throw Failure("unknown type " + type_ + " (known: json)", kBadUsage);
    const auto reader = take(report::ReportReader::open(report_));
    output_ == "-" ? write(reader, stdout, "standard output") : write_file(reader);
    return 0;
  }

 private:
  void write(const report::ReportReader& reader, std::FILE* file, const std::string& name) {
    const auto failed = [&] { return base::fail("cannot write " + name + ": " + strerror(errno)); };
    check(formats::export_json(reader, tables_, [&](std::string_view text) -> base::Status {
      if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) return failed();
      return {};
    }));
    if (std::fflush(file) != 0) check(failed());
  }

  // Into a temporary file, so that what is there is complete or not there at all.
  void write_file(const report::ReportReader& reader) {
    if (!overwrite_ && std::filesystem::exists(output_))
      throw Failure(output_ + " exists; use -f true to replace it");
    const std::string temporary = output_ + ".tmp" + std::to_string(getpid());
    std::unique_ptr<std::FILE, CloseFile> file(std::fopen(temporary.c_str(), "w"));
    if (!file) throw Failure("cannot write " + output_ + ": " + std::strerror(errno));
    try {
      write(reader, file.get(), output_);
      if (std::rename(temporary.c_str(), output_.c_str()) != 0)
        throw Failure("cannot write " + output_ + ": " + std::strerror(errno));
    } catch (const Failure&) {
      std::remove(temporary.c_str());
      throw;
    }
  }

  std::string report_;
  bool json_ = false;
  std::string type_;
  std::string output_ = "-";
  std::vector<std::string> tables_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_export() { return std::make_unique<Export>(); }

}  // namespace prof::cli
