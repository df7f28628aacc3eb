// A report with the samples that a test adds.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "common/report/schema.hpp"
#include "exporters/analysis/stats/catalog.hpp"
#include "tests/unit/exporters/report_fixture.hpp"

namespace prof::test {

// A frame as the recording side writes it.
struct TestFrame {
  std::string symbol;
  std::string module = "/bin/app";
  std::string rest = "0,NULL,NULL,NULL,4096,7";  // kernelMode to unwindMethod
  std::string line = "NULL";
};

inline TestFrame frame_at(const std::string& symbol, int address) {
  return {symbol, "/bin/app", "0,NULL,NULL,NULL," + std::to_string(address) + ",7"};
}
inline TestFrame kernel_frame(const std::string& symbol) {
  return {symbol, "[kernel.kallsyms]", "1,NULL,NULL,NULL,-4096,5"};
}
inline TestFrame unresolved(const std::string& address, const std::string& module) {
  return {address, module, "0,NULL,1,NULL,8192,7"};
}
inline TestFrame python_frame(const std::string& name, const std::string& file, int line) {
  return {name, file + ":" + std::to_string(line), "NULL,NULL,NULL,NULL,NULL,0",
          std::to_string(line)};
}
// A mark as in prof's reports; nsys's marks have no specialEntry.
inline TestFrame mark(const std::string& text) { return {text, text, "NULL,NULL,NULL,1,NULL,0"}; }

class SampleFixture : public ReportFixture {
 protected:
  using Lines = std::vector<std::string>;
  static constexpr std::int64_t kMs = 1'000'000;

  SampleFixture() {
    for (const char* table :
         {"COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS", "SCHED_EVENTS", "OSRT_API", "OSRT_CALLCHAINS",
          "ThreadNames", "PROCESSES", "META_DATA_CAPTURE", "ANALYSIS_DETAILS"})
      sql(std::string(report::table_sql(table)));
    sql("INSERT INTO PROCESSES VALUES (" + std::to_string(global_id(9, 0)) + ",9,'/bin/app')");
    sql("INSERT INTO ThreadNames VALUES (" + text("worker") + ",20," +
        std::to_string(global_id(9, 10)) + ")");
  }

  std::string text(const std::string& value) {
    const auto [at, is_new] = texts_.try_emplace(value, std::to_string(100 + texts_.size()));
    if (is_new)
      sql("INSERT INTO StringIds VALUES (" + at->second + "," + report::quoted_text(value) + ")");
    return at->second;
  }
  // `frames`: innermost first.
  void add_chain(const std::string& table, int id, const std::vector<TestFrame>& frames) {
    std::string rows;
    for (std::size_t depth = 0; depth < frames.size(); ++depth)
      rows += "INSERT INTO " + table + " VALUES (" + std::to_string(id) + "," +
              text(frames[depth].symbol) + "," + text(frames[depth].module) + "," +
              frames[depth].rest + "," + std::to_string(depth) + "," + frames[depth].line + ");";
    sql(rows);
  }
  // When Python code of these frames, innermost first, was seen in PROF_PYTHON_SAMPLES or _WAITS.
  void add_python(const std::string& table, const std::vector<std::int64_t>& times,
                  const std::vector<TestFrame>& frames, std::int64_t tid) {
    for (const std::string& each : {std::string("PROF_PYTHON_CALLCHAINS"), table})
      if (python_tables_.insert(each).second) sql(std::string(report::table_sql(each)));
    const std::string chain = std::to_string(++python_chains_);
    std::string rows;
    for (std::size_t depth = 0; depth < frames.size(); ++depth)
      rows += "INSERT INTO PROF_PYTHON_CALLCHAINS VALUES (" + chain + "," +
              text(frames[depth].symbol) + "," + text(frames[depth].module) + ",0," +
              std::to_string(depth) + "," + frames[depth].line + ");";
    for (const std::int64_t time : times)
      rows += "INSERT INTO " + table + " VALUES (" + std::to_string(time) + "," +
              std::to_string(global_id(9, tid)) + "," + chain + ");";
    sql("BEGIN;" + rows + "COMMIT;");
  }
  void add_samples(int count, const std::vector<TestFrame>& frames, std::int64_t tid = 9,
                   std::int64_t cycles = 1) {
    for (int i = 0; i < count; ++i) {
      const int id = ++samples_;
      sql("INSERT INTO COMPOSITE_EVENTS (id, start, cpu, threadState, globalTid, "
          "cpuCycles) VALUES (" +
          std::to_string(id) + "," + std::to_string(1000 * id) + ",0,1," +
          std::to_string(global_id(9, tid)) + "," + std::to_string(cycles) + ")");
      add_chain("SAMPLING_CALLCHAINS", id, frames);
    }
  }
  // The rows of a query, with commas.
  Lines stored_rows(const std::string& query) const {
    const auto file = reader();
    auto statement = file.prepare(query);
    Lines rows;
    while (statement && statement->step().value_or(false)) {
      std::string row;
      for (int i = 0; i < statement->columns(); ++i)
        row += (i == 0 ? "" : ",") + std::string(statement->text(i));
      rows.push_back(row);
    }
    return rows;
  }
  // Stores each chain once, as in prof's reports.
  void share_chains() {
    sql(std::string(report::table_sql("PROF_SAMPLE_FRAMES")));
    sql(std::string(report::table_sql("PROF_SAMPLE_CHAINS")));
    sql(R"sql(
INSERT INTO PROF_SAMPLE_FRAMES SELECT row_number() OVER (), * FROM (SELECT DISTINCT symbol, module,
  kernelMode, thumbCode, unresolved, specialEntry, originalIP, unwindMethod, line
  FROM SAMPLING_CALLCHAINS);
CREATE TABLE numbered AS SELECT c.id AS id, json_group_array(f.id) AS frames FROM
  (SELECT * FROM SAMPLING_CALLCHAINS ORDER BY id, stackDepth) AS c JOIN PROF_SAMPLE_FRAMES AS f
  ON f.symbol = c.symbol AND f.module = c.module AND f.originalIP IS c.originalIP AND
  f.line IS c.line GROUP BY c.id;
INSERT INTO PROF_SAMPLE_CHAINS SELECT row_number() OVER (), * FROM (SELECT DISTINCT frames
  FROM numbered);
UPDATE COMPOSITE_EVENTS SET callchainId = COALESCE((SELECT c.id FROM PROF_SAMPLE_CHAINS AS c
  JOIN numbered AS n ON n.frames = c.frames WHERE n.id = COMPOSITE_EVENTS.id), 0);
DROP TABLE numbered; DROP TABLE SAMPLING_CALLCHAINS;)sql");
    sql(std::string(report::sample_call_chain_view()));
  }
  // Ten samples: shares of 50, 30 and 20 %.
  void add_shares() {
    add_samples(5, {{"hot"}, {"main"}});
    add_samples(3, {{"warm"}, {"main"}});
    add_samples(2, {{"recursive"}, {"recursive"}, {"recursive"}, {"main"}}, 10);
  }
  void set_interval(const std::string& nanoseconds) {
    sql("INSERT INTO META_DATA_CAPTURE VALUES ('LINUX_PERF_OPTIONS:SAMPLING_PERIOD','" +
        nanoseconds + "'),('LINUX_PERF_OPTIONS:CPU_IP_TRIGGER_TYPE','Software')");
  }
  // Adds source lines of code of /bin/app. All later reports use them.
  void add_lines(std::int64_t address, bool is_return_address, events::CodeLines::Frames frames) {
    if (!lines_) lines_ = std::make_shared<events::CodeLines>();
    const std::int64_t module = std::stoll(text("/bin/app"));
    lines_->set({module, address, is_return_address, 0, 0}, lines_->add(std::move(frames)));
  }
  // main (line 9) calls half (line 5). step is inlined into between, and between into half.
  void add_inlined() {
    add_lines(1000, false,
              {{"step", "/s/a.cpp", 1}, {"between", "/s/b.h", 2}, {"half", "/s/a.cpp", 5}});
    add_lines(1010, false,
              {{"step", "/s/a.cpp", 3}, {"between", "/s/b.h", 2}, {"half", "/s/a.cpp", 5}});
    add_lines(2000, true, {{"main", "/s/a.cpp", 9}});
    add_samples(6, {frame_at("half", 1000), frame_at("main", 2000)});
    add_samples(3, {frame_at("half", 1010), frame_at("main", 2000)});
    add_samples(1, {frame_at("other", 3000), frame_at("main", 2000)});
  }
  // Each thread runs on a CPU with its own number.
  void add_switch(std::int64_t start, bool in, int state, std::int64_t tid = 9) {
    add_switch_on(tid, start, in, state, tid);
  }
  void add_switch_on(std::int64_t cpu, std::int64_t start, bool in, int state, std::int64_t tid) {
    sql("INSERT INTO SCHED_EVENTS VALUES (" + std::to_string(start) + "," + std::to_string(cpu) +
        (in ? ",1," : ",0,") + std::to_string(global_id(9, tid)) + "," + std::to_string(state) +
        ",NULL)");
  }
  void add_os_call(std::int64_t start, std::int64_t end, const std::string& name, int chain = 0,
                   int level = 0, std::int64_t tid = 9) {
    sql("INSERT INTO OSRT_API VALUES (" + std::to_string(start) + "," + std::to_string(end) +
        ",27," + std::to_string(global_id(9, tid)) + "," + text(name) + ",0," +
        std::to_string(level) + "," + std::to_string(chain) + ")");
  }

  std::shared_ptr<events::CodeLines> lines_;
  bool shows_lines_ = true;  // as with the option --lines

  // The rows of a report, in CSV, without the headings.
  Lines rows(const std::string& request, const events::EventFilter& filter = {}) {
    const auto file = reader();
    EXPECT_TRUE(events::make_views(file, filter));
    const std::string name = request.substr(0, request.find(':'));
    const stats::Statistic* report = stats::find_statistic(name);
    const auto arguments = stats::parse_arguments(
        request.substr(std::min(name.size() + 1, request.size())), report->takes);
    if (!arguments) ADD_FAILURE() << arguments.error().message;
    stats::Arguments with_lines = *arguments;
    with_lines.code_lines = lines_;
    with_lines.shows_lines = shows_lines_;
    Lines all = lines(stats::run(*report, file, with_lines));
    all.erase(all.begin());
    return all;
  }

 private:
  std::map<std::string, std::string> texts_;
  int samples_ = 0;
  std::set<std::string> python_tables_;
  int python_chains_ = 0;
};

}  // namespace prof::test
