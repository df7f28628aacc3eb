#include "common/report/joined_runs.hpp"

#include <fmt/format.h>

#include "common/report/schema.hpp"
#include "common/report/statement.hpp"

namespace prof::report {

namespace {

// The selected launches of a report. Processes are compared in the order of their first launches.
constexpr char kPlaces[] = R"(
CREATE TEMP VIEW places_{0} AS
SELECT p.*, s.value AS name,
       dense_rank() OVER (ORDER BY first) AS process,
       row_number() OVER (PARTITION BY globalPid ORDER BY p.id) AS place
FROM (SELECT *, min(id) OVER (PARTITION BY globalPid) AS first FROM {0}.PROF_KERNEL_PROFILES) AS p
JOIN {0}.StringIds AS s ON s.id = p.nameId)";

constexpr char kPairs[] = R"(
CREATE TEMP TABLE pairs AS
SELECT a.id AS id, b.id AS other
FROM places_main AS a JOIN places_other AS b USING (process, place, name, gridX, gridY, gridZ,
                                                    blockX, blockY, blockZ, deviceId, streamId)
WHERE a.status = 'ok' AND b.status = 'ok' AND a.passes > {0})";

constexpr char kPasses[] = R"(
INSERT INTO main.PROF_KERNEL_PASSES (profileId, pass, correlationId, invocation)
SELECT pairs.id, o.pass, o.correlationId, o.invocation
FROM pairs JOIN other.PROF_KERNEL_PASSES AS o ON o.profileId = pairs.other)";

constexpr char kMetrics[] = R"(
INSERT INTO main.PROF_KERNEL_METRICS (profileId, metricId, value)
SELECT pairs.id, n.metricId, o.value
FROM pairs JOIN other.PROF_KERNEL_METRICS AS o ON o.profileId = pairs.other
           JOIN other.PROF_METRIC_NAMES AS m ON m.metricId = o.metricId
           JOIN main.PROF_METRIC_NAMES AS n ON n.name = m.name AND n.chip = m.chip)";

constexpr char kLonely[] =
    "SELECT COUNT(*) FROM main.PROF_KERNEL_PROFILES WHERE status = 'ok' AND passes > {} "
    "AND id NOT IN (SELECT id FROM pairs)";

constexpr char kMissing[] = R"(
WITH made AS (SELECT profileId, COUNT(*) AS number FROM PROF_KERNEL_PASSES GROUP BY profileId)
UPDATE PROF_KERNEL_PROFILES
SET reason = made.number || ' of ' || passes || ' passes were made: a run of the program failed, or '
             || 'had another launch in this place',
    status = CASE WHEN id IN (SELECT profileId FROM PROF_KERNEL_METRICS) THEN status
                  ELSE 'failed' END
FROM made WHERE made.profileId = id AND made.number < passes)";

base::Result<bool> has_table(sqlite3* database, const char* schema, const char* table) {
  auto found = Statement::prepare(
      database, fmt::format("SELECT 1 FROM {}.sqlite_master WHERE name = '{}'", schema, table));
  if (!found) return tl::make_unexpected(found.error());
  return found->step();
}

base::Result<std::int64_t> number(sqlite3* database, const std::string& sql) {
  auto statement = Statement::prepare(database, sql);
  if (!statement) return tl::make_unexpected(statement.error());
  const auto row = statement->step();
  if (!row) return tl::make_unexpected(row.error());
  return *row ? statement->integer(0) : 0;
}

// A report whose launches have no values yet lacks the table.
base::Status make_metric_table(sqlite3* database) {
  constexpr const char* kTable = "PROF_KERNEL_METRICS";
  const auto is_there = has_table(database, "main", kTable);
  if (!is_there) return tl::make_unexpected(is_there.error());
  return *is_there ? base::Status() : execute(database, std::string(table_sql(kTable)));
}

base::Status attach(sqlite3* database, const std::string& path) {
  auto statement = Statement::prepare(database, "ATTACH ? AS other");
  if (!statement) return tl::make_unexpected(statement.error());
  return statement->bind(1, sqlite_name(path)).run();
}

// Fills the table `pairs` and copies what belongs to them.
base::Status copy_pairs(sqlite3* database, std::int64_t pass) {
  std::string sql = fmt::format(kPlaces, "main") + ";" + fmt::format(kPlaces, "other") + ";" +
                    fmt::format(kPairs, pass) + ";" + kPasses;
  const auto has_values = has_table(database, "other", "PROF_KERNEL_METRICS");
  if (!has_values) return tl::make_unexpected(has_values.error());
  if (!*has_values) return execute(database, sql);
  if (base::Status made = make_metric_table(database); !made) return made;
  return execute(database, sql + ";" + kMetrics);
}

}  // namespace

base::Result<std::int64_t> join_run(const std::string& report, const std::string& other,
                                    std::int64_t pass) {
  const auto database = open_for_change(report);
  if (!database) return tl::make_unexpected(database.error());
  if (base::Status attached = attach(database->get(), other); !attached)
    return tl::make_unexpected(attached.error());
  const auto has_passes = has_table(database->get(), "other", "PROF_KERNEL_PASSES");
  if (!has_passes) return tl::make_unexpected(has_passes.error());
  const std::string begin = *has_passes ? "BEGIN" : "BEGIN; CREATE TEMP TABLE pairs (id, other)";
  if (base::Status begun = execute(database->get(), begin); !begun)
    return tl::make_unexpected(begun.error());
  if (*has_passes)
    if (base::Status copied = copy_pairs(database->get(), pass); !copied)
      return tl::make_unexpected(copied.error());
  const auto lonely = number(database->get(), fmt::format(kLonely, pass));
  if (base::Status ended = execute(database->get(), "COMMIT"); !ended)
    return tl::make_unexpected(ended.error());
  return lonely;
}

base::Result<std::int64_t> note_missing_runs(const std::string& report) {
  const auto database = open_for_change(report);
  if (!database) return tl::make_unexpected(database.error());
  if (base::Status made = make_metric_table(database->get()); !made)
    return tl::make_unexpected(made.error());
  if (base::Status noted = execute(database->get(), kMissing); !noted)
    return tl::make_unexpected(noted.error());
  return sqlite3_changes(database->get());
}

}  // namespace prof::report
