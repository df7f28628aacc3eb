// A made-up report of threads that run and wait, and the finding of one rule.
#pragma once

#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "tests/unit/exporters/analysis/analyze/plain_finding.hpp"
#include "tests/unit/exporters/sample_fixture.hpp"

namespace prof::test {

using analyze::Finding;

class WaitFindings : public SampleFixture {
 protected:
  // The finding of a rule, or one with an empty name.
  Finding find(analyze::CpuRule* rule) {
    const auto file = reader();
    auto facts = analyze::read_cpu_facts(file);
    if (!facts) {
      ADD_FAILURE() << facts.error().message;
      return {};
    }
    return plain(rule(*facts));
  }
  // Where a Python thread was seen waiting at these times, innermost frame first.
  void python_waits(const std::vector<std::int64_t>& times, const std::vector<TestFrame>& frames,
                    std::int64_t tid = 9) {
    add_python("PROF_PYTHON_WAITS", times, frames, tid);
  }
  void run(std::int64_t start, std::int64_t tid = 9) { add_switch(start, true, 0, tid); }
  void wait(std::int64_t start, std::int64_t tid = 9) { add_switch(start, false, 7, tid); }
  void end(std::int64_t start, std::int64_t tid = 9) { add_switch(start, false, 5, tid); }
};

}  // namespace prof::test
