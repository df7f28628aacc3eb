// Keeps the results of reading the reports that take long to make, so that they are made once.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "exporters/viewer/answers/answers.hpp"
#include "exporters/viewer/answers/report/sample_tree.hpp"
#include "exporters/viewer/answers/summary/summary_job.hpp"

namespace prof::view {

// May be used by several threads.
class AnswerCache {
 public:
  explicit AnswerCache(std::size_t reports) : samples_(reports), summaries_(reports) {}

  using Samples = std::shared_ptr<const SampleTree>;
  // Returns the samples. The first caller reads them; other callers wait. They are read once more
  // when the summary has found the source lines, because these have the inlined functions.
  Outcome<Samples> samples(const Sources& sources, std::size_t report, events::SampleKind kind);
  // Returns the summary job. The first call starts it.
  const SummaryJob& summary(const Sources& sources, std::size_t report);

 private:
  struct SamplesOfKind {
    std::mutex mutex;
    Samples samples;
    std::shared_ptr<const events::CodeLines> lines;  // the lines that `samples` were read with
  };
  std::vector<std::array<SamplesOfKind, 4>> samples_;  // by report and SampleKind
  std::mutex mutex_;                                   // protects summaries_
  std::vector<std::unique_ptr<SummaryJob>> summaries_;
};

}  // namespace prof::view
