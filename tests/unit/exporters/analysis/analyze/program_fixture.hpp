// A made-up report of a program on CPUs, and its diagnosis. Times are in milliseconds.
#pragma once

#include <string>
#include <vector>

#include "exporters/analysis/analyze/program/cpu_rules.hpp"
#include "exporters/analysis/analyze/report_diagnosis.hpp"
#include "tests/unit/exporters/analysis/analyze/plain_finding.hpp"
#include "tests/unit/exporters/sample_fixture.hpp"

namespace prof::test {

class ProgramFixture : public SampleFixture {
 protected:
  static constexpr int kRuns = 0;
  static constexpr int kEnds = 5;
  static constexpr int kPreempted = 6;
  static constexpr int kWaits = 7;

  void in(std::int64_t ms, std::int64_t tid) { add_switch(ms * kMs, true, kRuns, tid); }
  void out(std::int64_t ms, std::int64_t tid, int state = kWaits) {
    add_switch(ms * kMs, false, state, tid);
  }
  // The thread runs from the first time to the second one, and waits then.
  void runs(std::int64_t from, std::int64_t to, std::int64_t tid) {
    in(from, tid);
    out(to, tid);
  }
  void call(std::int64_t from, std::int64_t to, const std::string& name, std::int64_t tid = 9) {
    add_os_call(from * kMs, to * kMs, name, 0, 0, tid);
  }
  // One sample each ms, from `from` + 1 to `to`.
  void samples(std::int64_t from, std::int64_t to, const std::vector<TestFrame>& frames,
               std::int64_t tid = 9) {
    std::string rows;
    for (std::int64_t ms = from + 1; ms <= to; ++ms) {
      const std::string id = std::to_string(++ids_);
      rows +=
          "INSERT INTO COMPOSITE_EVENTS (id, start, cpu, threadState, globalTid, "
          "cpuCycles) VALUES (" +
          id + "," + std::to_string(ms * kMs) + ",0,1," + std::to_string(global_id(9, tid)) +
          ",1);";
      for (std::size_t depth = 0; depth < frames.size(); ++depth)
        rows += "INSERT INTO SAMPLING_CALLCHAINS VALUES (" + id + "," + text(frames[depth].symbol) +
                "," + text(frames[depth].module) + "," + frames[depth].rest + "," +
                std::to_string(depth) + ",NULL);";
    }
    sql("BEGIN;" + rows + "COMMIT;");
    if (!has_interval_) set_interval(std::to_string(kMs));
    has_interval_ = true;
  }
  void python_samples(std::int64_t from, std::int64_t to, const std::vector<TestFrame>& frames,
                      std::int64_t tid = 9) {
    if (!has_python_)
      sql("INSERT INTO META_DATA_CAPTURE VALUES ('PYTHON_SAMPLING_OPTIONS:FREQUENCY','1000')");
    has_python_ = true;
    std::vector<std::int64_t> times;
    for (std::int64_t ms = from + 1; ms <= to; ++ms) times.push_back(ms * kMs);
    add_python("PROF_PYTHON_SAMPLES", times, frames, tid);
  }
  void ends(std::int64_t ms) {
    sql("INSERT INTO ANALYSIS_DETAILS VALUES (0," + std::to_string(ms * kMs) + ",0," +
        std::to_string(ms * kMs) + ")");
  }

  analyze::Diagnosis diagnosis() const {
    const auto file = reader();
    auto result = analyze::diagnose_report(file, {}, [] { return nullptr; });
    if (!result) ADD_FAILURE() << result.error().message;
    return plain(*std::move(result));
  }
  // "rule 60", with the share in percent.
  static std::vector<std::string> shares(const analyze::Diagnosis& diagnosis) {
    std::vector<std::string> result;
    for (const analyze::Finding& each : diagnosis.findings)
      result.push_back(each.rule + (" " + std::to_string(100 * each.at_stake / diagnosis.span)));
    return result;
  }
  analyze::CpuFacts facts() {
    file_ = std::make_unique<report::ReportReader>(reader());
    auto result = analyze::read_cpu_facts(*file_);
    if (!result) ADD_FAILURE() << result.error().message;
    return *std::move(result);
  }

 private:
  std::unique_ptr<report::ReportReader> file_;
  int ids_ = 10'000;
  bool has_interval_ = false;
  bool has_python_ = false;
};

}  // namespace prof::test
