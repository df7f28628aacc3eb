// Builds a report from records given in a test and opens it.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "collector/ingest/report_builder.hpp"
#include "common/report/report_reader.hpp"
#include "tests/unit/record_bytes.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::ingest {

class ReportFixture : public ::testing::Test {
 protected:
  // One tick is one ns, time 0 is tick 0.
  ReportFixture() {
    spool_.clocks = {{0, 0, 1'700'000'000'000'000'000}, {1'000'000, 1'000'000, 0}};
    note(spool::SessionNote{.version = "test"});
    add_process(16, 0, 100);
  }

  template <class Note>
  void note(const Note& note) {
    spool_.notes.add(note);
  }

  void add_process(std::uint32_t serial, std::uint32_t parent, int pid) {
    note(spool::ProcessNote{.serial = serial,
                            .parent_serial = parent,
                            .pid = pid,
                            .own_pid = pid,
                            .time = 50,
                            .name = "/bin/app"});
  }

  // Records of a thread; `claimed` orders the pieces.
  void add_thread(std::uint32_t serial, std::uint32_t tid, const test::RecordBytes& records,
                  std::uint64_t claimed = 1, std::uint32_t offset = 0) {
    const auto bytes = kept_.emplace_back(records).bytes();
    spool_.pieces.push_back({{serial, tid, claimed, offset, 0}, bytes});
    spool_.record_bytes += bytes.size();
  }

  BuildSummary build() {
    const std::string path = directory_.file("r.db");
    auto writer = *report::ReportWriter::create(path, true);
    auto summary = build_report(spool_, *writer, path, {});
    EXPECT_TRUE(summary);
    EXPECT_TRUE(writer->finish());
    reader_ = std::make_unique<report::ReportReader>(*report::ReportReader::open(path));
    return *summary;
  }

  // Rows of a query, columns joined by '|'; NULL is "-".
  std::vector<std::string> rows(const std::string& sql) {
    auto query = reader_->prepare(sql);
    if (!query) return {query.error().message};
    std::vector<std::string> result;
    while (*query->step()) {
      std::string line;
      for (int i = 0; i < query->columns(); ++i) {
        line += i == 0 ? "" : "|";
        line += query->is_null(i) ? "-" : std::string(query->text(i));
      }
      result.push_back(line);
    }
    return result;
  }

  using Rows = std::vector<std::string>;

  test::TemporaryDirectory directory_;
  spool::Spool spool_;
  std::deque<test::RecordBytes> kept_;  // what the spool refers to
  std::unique_ptr<report::ReportReader> reader_;
};

}  // namespace prof::ingest
