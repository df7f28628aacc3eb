// Holds the samples of a report with their call paths. They are read once, so that a request for a
// span only adds numbers. A call with a call chain is a sample, too: its value is its duration.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/events/call_chains/code_lines.hpp"
#include "exporters/analysis/events/call_chains/samples.hpp"
#include "exporters/analysis/events/event_filter.hpp"
#include "exporters/viewer/answers/outcome.hpp"

namespace prof::formats {
class SampleProfile;
}

namespace prof::view {

class SampleTree {
 public:
  // Reads all samples of the report. With source lines, inlined functions are frames. Reader and
  // lines are not needed afterwards.
  static base::Result<std::shared_ptr<const SampleTree>> read(const report::ReportReader& reader,
                                                              events::SampleKind kind,
                                                              const events::CodeLines* lines);

  // Adds the tree of the samples that the filter selects, in the form of api/flame. With
  // `with_samples` the samples are added, too.
  void add(Json& json, const events::EventFilter& filter, bool with_samples) const;

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Function {
    std::string name;
    std::string place;
    const char* kind;
  };
  struct Node {
    std::uint32_t parent;  // smaller than the node's own number; kNone: an outermost frame
    std::uint32_t function;
  };
  struct Sample {
    std::int64_t start;  // ns
    std::int64_t value;  // in unit_
    std::uint32_t node;
    std::uint32_t thread;
  };
  struct Amounts {
    std::int64_t samples = 0;
    std::int64_t value = 0;
    std::vector<std::int64_t> self;   // by node
    std::vector<std::int64_t> total;  // by node
  };

  void take_nodes(const formats::SampleProfile& profile);
  void take_samples(const formats::SampleProfile& profile);
  std::int64_t value_within(const Sample& sample, const events::EventFilter& filter) const;
  Amounts amounts(const events::EventFilter& filter) const;
  // Returns the numbers of the nodes in the answer.
  std::vector<std::uint32_t> add_nodes(Json& json, const Amounts& amounts) const;
  void add_samples(Json& json, const events::EventFilter& filter,
                   const std::vector<std::uint32_t>& numbers) const;

  const char* unit_ = "samples";
  bool of_calls_ = false;
  std::vector<std::int64_t> threads_;  // globalTid
  std::vector<Function> functions_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> merged_;  // used while reading: the node of each node of the profile
  std::vector<Sample> samples_;        // sorted by thread and start
};

}  // namespace prof::view
