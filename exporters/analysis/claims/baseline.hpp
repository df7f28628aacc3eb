// The numbers of a report that prof diff can compare later, in a file of some kB.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"
#include "exporters/analysis/claims/claim.hpp"
#include "exporters/analysis/facts/facts.hpp"
#include "exporters/analysis/recording/recording.hpp"

namespace prof::claims {

// Times are in ns.
struct Baseline {
  struct Sums {
    std::string name;
    std::int64_t count = 0;
    std::int64_t total = 0;
    std::int64_t min = 0;
    std::int64_t median = 0;
    std::int64_t max = 0;
    std::int64_t bytes = 0;  // of copies
  };
  struct Kind {
    Sums all;                   // without a name
    std::vector<Sums> names;    // those with the most time
    std::int64_t left_out = 0;  // the number of other names
  };
  struct Rule {
    std::int64_t value = 0;
    std::optional<std::int64_t> gain = {};
  };

  std::string report;  // the id of the report
  std::int64_t time = 0;
  std::optional<std::int64_t> duration = {};  // of the session
  std::vector<std::int64_t> iterations = {};  // lengths, see iteration_lengths()
  std::optional<std::int64_t> gpu_memory_peak = {};
  std::map<std::string, Rule> rules = {};  // the findings
  std::set<std::string> cannot = {};       // rules, and topics of calls, without events
  std::map<std::string, Kind> kinds = {};  // of events that the report has, "kernel"
  recording::Recording recording = {};
};

// The named views of the report (exporters/analysis/query) have to be made before.
base::Result<Baseline> baseline_of(const report::ReportReader& reader,
                                   const facts::FactSheet& sheet);

// The findings of a report, and those that it cannot have.
base::Status add_findings(const report::ReportReader& reader, const facts::FactSheet& sheet,
                          Baseline& baseline);

// Returns one JSON object, and reads it.
std::string baseline_json(const Baseline& baseline);
base::Result<Baseline> parse_baseline(std::string_view text);

// Returns the number that the report had. Empty: it had none, or the file does not have it: the
// median of several names, or a number of names that were left out.
std::optional<double> number_in(const Baseline& baseline, const Quantity& quantity);

}  // namespace prof::claims
