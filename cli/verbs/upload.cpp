// prof upload: copies reports to an object store. The Python package does it, so that prof has
// neither the libraries nor the credentials of object stores.
#include <string>
#include <vector>

#include "cli/export/python_package.hpp"
#include "cli/messages/failure.hpp"
#include "cli/verbs/verbs.hpp"

namespace prof::cli {

namespace {

class Upload final : public Verb {
 public:
  const char* name() const override { return "upload"; }
  const char* summary() const override { return "Copy reports to an object store"; }

  void define(CLI::App& app) override {
    app.add_option("reports", words_,
                   "Reports or other files, and folders with all that is in them; then the URL of "
                   "the folder that they go to")
        ->type_name("FILE|FOLDER… URL");
    app.add_flag("--delete", delete_, "Remove each file when its copy has been checked");
    app.add_option("--retries", retries_, "How often a file is tried again when its copy fails")
        ->check(CLI::Range(0, 1000))
        ->type_name("N")
        ->capture_default_str();
    app.add_flag("-q,--quiet", quiet_, "Print only errors");
    app.footer(
        "URLs are those of pyarrow.fs: s3://BUCKET/FOLDER, gs://…, abfss://…, hdfs://…, file://….\n"
        "It needs python3 with pyarrow.\n"
        "Examples:\n"
        "  prof upload report1.db s3://bucket/jobs/4711\n"
        "  prof upload --delete run/ gs://bucket/jobs\n"
        "  prof profile --after-report-ready='prof upload --delete \"$PROF_REPORT_PATH\" "
        "s3://bucket/run' ./app");
  }

  int run(const std::vector<std::string>&) override {
    if (words_.size() < 2)
      throw Failure("no file or no URL given: prof upload FILE… URL", kBadUsage);
    std::vector<std::string> words = {"--retries=" + std::to_string(retries_)};
    if (delete_) words.emplace_back("--delete");
    if (quiet_) words.emplace_back("--quiet");
    words.emplace_back("--");
    words.insert(words.end(), words_.begin(), words_.end());
    become_package("prof upload", "prof_report.upload", words);
  }

 private:
  std::vector<std::string> words_;
  bool delete_ = false;
  bool quiet_ = false;
  int retries_ = 5;
};

}  // namespace

std::unique_ptr<Verb> make_upload() { return std::make_unique<Upload>(); }

}  // namespace prof::cli
