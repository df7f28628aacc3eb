// Makes the answers to requests of the page of a job, without HTTP. docs/viewer-protocol.md has
// them. Several threads may ask at the same time.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/run/open_reports.hpp"
#include "exporters/viewer/run/run_model.hpp"

namespace prof::view {

struct RunHandler {
  std::string_view name;  // "heat" of api/heat
  Queue queue;
  Outcome<Answer> (*handle)(const RunModel& model, const Parameters& parameters);
};

Outcome<Answer> answer_heat(const RunModel& model, const Parameters& parameters);
Outcome<Answer> answer_path(const RunModel& model, const Parameters& parameters);
Outcome<Answer> answer_place(const RunModel& model, const Parameters& parameters);
Outcome<Answer> answer_run(const RunModel& model, const Parameters& parameters);
Outcome<Answer> answer_similar(const RunModel& model, const Parameters& parameters);
Outcome<Answer> answer_steps(const RunModel& model, const Parameters& parameters);
Outcome<Answer> answer_verdict(const RunModel& model, const Parameters& parameters);
Outcome<Answer> answer_waits(const RunModel& model, const Parameters& parameters);

class RunAnswers {
 public:
  explicit RunAnswers(RunInput input)
      : reports_(input.range_of, input.source_folders), model_(std::move(input)) {}

  // Returns the handler, or null if there is none of that name.
  static const RunHandler* find(std::string_view name);
  // Makes the answer. It never throws: an exception of a handler becomes a fault.
  Outcome<Answer> get(const RunHandler& handler, const Parameters& parameters) const;
  // Makes an answer about one report, by its number.
  Outcome<Answer> get(std::size_t report, const Handler& handler,
                      const Parameters& parameters) const;

  const RunModel& model() const { return model_; }

 private:
  mutable OpenReports reports_;
  RunModel model_;
};

}  // namespace prof::view
