// Answers about reports that a test made.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/timeline/timeline.hpp"

namespace prof::test {

class ServedReports {
 public:
  using Json = nlohmann::json;
  using Words = std::map<std::string, std::string, std::less<>>;

  // Loads the timeline completely.
  explicit ServedReports(const std::vector<std::string>& paths) {
    view::Sources sources;
    std::vector<timeline::OpenReport> open;
    for (const std::string& path : paths) {
      auto report = view::ServedReport::open(path);
      if (!report) throw std::runtime_error(report.error().message);
      sources.reports.push_back(std::move(*report));
      open.push_back({path});
    }
    auto timeline = timeline::Timeline::open(open);
    if (!timeline) throw std::runtime_error(timeline.error().message);
    sources.timeline = std::move(*timeline);
    sources.timeline->load();
    sources.timeline->wait();
    answers_ = std::make_unique<view::Answers>(std::move(sources));
  }

  // Fails the test if the answer is a fault or not JSON in UTF-8.
  Json get(const std::string& name, const Words& words = {}) const {
    const auto answer = ask(name, words);
    if (!answer) {
      ADD_FAILURE() << answer.error().status << ": " << answer.error().text;
      return {};
    }
    return Json::parse(answer->body);
  }
  // The status of a fault; 0 if there is an answer.
  int fault(const std::string& name, const Words& words = {}) const {
    const auto answer = ask(name, words);
    return answer ? 0 : answer.error().status;
  }

  // The first row of this kind.
  Json row(const std::string& kind) const {
    const Json all = get("rows");
    for (const Json& row : all["rows"])
      if (row["kind"] == kind) return row;
    ADD_FAILURE() << "no row " << kind;
    return {};
  }
  std::string row_id(const std::string& kind) const { return row(kind)["id"].dump(); }
  // api/event of a table's row.
  Json event(const std::string& kind, int rowid) const {
    return get("event", {{"row", row_id(kind)}, {"source", "0"}, {"id", std::to_string(rowid)}});
  }

 private:
  view::Outcome<view::Answer> ask(const std::string& name, const Words& words) const {
    return answers_->get(*view::Answers::find(name), view::Parameters(words));
  }

  std::unique_ptr<view::Answers> answers_;
};

}  // namespace prof::test
