// A made-up report of threads that run and wait, and the finding of one rule.
#pragma once

#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "tests/unit/exporters/sample_fixture.hpp"

namespace prof::test {

using analyze::Finding;

class WaitFindings : public SampleFixture {
 protected:
  static constexpr std::int64_t kMs = 1'000'000;

  // The finding of a rule, or one with an empty name.
  Finding find(analyze::CpuRule* rule) {
    const auto file = reader();
    auto facts = analyze::read_cpu_facts(file);
    if (!facts) {
      ADD_FAILURE() << facts.error().message;
      return {};
    }
    return rule(*facts).value_or(Finding{});
  }
  // Where a Python thread was seen waiting at these times, innermost frame first.
  void python_waits(const std::vector<std::int64_t>& times, const std::vector<TestFrame>& frames,
                    std::int64_t tid = 9) {
    if (chains_ == 0) {
      sql(std::string(report::table_sql("PROF_PYTHON_WAITS")));
      sql(std::string(report::table_sql("PROF_PYTHON_CALLCHAINS")));
    }
    const std::string chain = std::to_string(++chains_);
    for (std::size_t depth = 0; depth < frames.size(); ++depth)
      sql("INSERT INTO PROF_PYTHON_CALLCHAINS VALUES (" + chain + "," + text(frames[depth].symbol) +
          "," + text(frames[depth].module) + ",0," + std::to_string(depth) + "," +
          frames[depth].line + ")");
    for (const std::int64_t time : times)
      sql("INSERT INTO PROF_PYTHON_WAITS VALUES (" + std::to_string(time) + "," +
          std::to_string(global_id(9, tid)) + "," + chain + ")");
  }
  void run(std::int64_t start, std::int64_t tid = 9) { add_switch(start, true, 0, tid); }
  void wait(std::int64_t start, std::int64_t tid = 9) { add_switch(start, false, 7, tid); }
  void end(std::int64_t start, std::int64_t tid = 9) { add_switch(start, false, 5, tid); }

 private:
  int chains_ = 0;
};

}  // namespace prof::test
