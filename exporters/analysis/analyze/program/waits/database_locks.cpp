#include "exporters/analysis/analyze/program/waits/database_locks.hpp"

#include <fmt/format.h>

#include <string>

#include "exporters/analysis/events/event_tables.hpp"
#include "exporters/analysis/events/rows.hpp"

namespace prof::analyze {

namespace {

// A function that is active while a process waits for a lock. The first one that a chain has
// counts.
struct WaitFunction {
  const char* name;
  const char* text;
};
constexpr WaitFunction kWaitFunctions[] = {
    {"LWLockAcquire", "PostgreSQL's lightweight locks (LWLockAcquire)"},
    {"XactLockTableWait",
     "row locks of PostgreSQL (XactLockTableWait): another transaction changed the row and has not "
     "ended; pg_blocking_pids() names its process"},
    {"ProcSleep",
     "locks of PostgreSQL (ProcSleep); pg_blocking_pids() names the process that has it"},
};

}  // namespace

base::Result<DatabaseLocks> read_database_locks(const report::ReportReader& reader) {
  DatabaseLocks found;
  if (!reader.has_table(events::kOsrtCallChainTable)) return found;
  std::string functions;
  std::string rank;
  for (int i = 0; const WaitFunction& each : kWaitFunctions) {
    functions += fmt::format("{}'{}'", functions.empty() ? "" : ",", each.name);
    rank += fmt::format(" WHEN '{}' THEN {}", each.name, i++);
  }
  // Most reports have none of these names, so their call chains are not read.
  bool has_any = false;
  const base::Status looked = events::for_each_row(
      reader, fmt::format("SELECT 1 FROM StringIds WHERE value IN ({}) LIMIT 1", functions),
      [&](const report::Statement&) { has_any = true; });
  if (!looked) return tl::make_unexpected(looked.error());
  if (!has_any) return found;
  const base::Status read = events::for_each_row(
      reader,
      fmt::format("SELECT c.id, min(CASE s.value{} END) FROM {} c "
                  "JOIN StringIds s ON s.id = c.symbol JOIN StringIds m ON m.id = c.module "
                  "WHERE c.symbol IN (SELECT id FROM StringIds WHERE value IN ({})) "
                  "AND m.value LIKE '%/postgres' GROUP BY c.id",
                  rank, events::kOsrtCallChainTable, functions),
      [&](const report::Statement& row) {
        found.emplace(row.integer(0), kWaitFunctions[row.integer(1)].text);
      });
  if (!read) return tl::make_unexpected(read.error());
  return found;
}

}  // namespace prof::analyze
