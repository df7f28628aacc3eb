#include "collector/report/report_reader.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

namespace prof::report {

using base::fail;
using base::fail_errno;
using base::Status;

namespace {

constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
constexpr std::string_view kSpoolMagic = "profspl1";  // collector/ingest/spool.hpp
constexpr int kBusyMilliseconds = 2000;

std::uint32_t big_endian(const char* at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value = (value << 8) | static_cast<unsigned char>(at[i]);
  return value;
}

// What the file is instead of an SQLite database.
std::string explain_foreign(const std::string& path, std::string_view head) {
  if (head.starts_with(kSpoolMagic))
    return path + " is an unfinished recording; turn it into a report with: prof recover " + path;
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep"))
    return path + " is in nsys's private format; export it first with: nsys export --type sqlite " +
           path;
  return path + " is not a report: not an SQLite database";
}

// Compares the page count in the header with the file's size.
Status check_whole(const std::string& path, std::string_view head, std::uint64_t size) {
  const std::uint32_t stored = big_endian(head.data() + 16, 2);
  const std::uint64_t page = stored == 1 ? 65536 : stored;
  const std::uint64_t expected = page * big_endian(head.data() + 28, 4);
  // The count is only valid if the change counters agree (SQLite file format, 1.3.7).
  const bool count_valid = std::memcmp(head.data() + 24, head.data() + 92, 4) == 0;
  if (count_valid && size < expected)
    return fail(path + " is truncated: " + std::to_string(size) + " of " +
                std::to_string(expected) + " bytes; copy it again or record it again");
  return {};
}

Status check_file(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return fail_errno("cannot open report " + path, errno);
  if (S_ISDIR(info.st_mode)) return fail(path + " is a directory, not a report");
  if (info.st_size == 0) return fail(path + " is empty, not a report");
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail_errno("cannot open report " + path, errno);
  std::array<char, 100> head{};
  file.read(head.data(), head.size());
  const std::string_view view(head.data(), static_cast<std::size_t>(file.gcount()));
  if (!view.starts_with(kSqliteMagic)) return fail(explain_foreign(path, view));
  if (view.size() < head.size())
    return fail(path + " is truncated; copy it again or record it again");
  return check_whole(path, view, static_cast<std::uint64_t>(info.st_size));
}

std::string explain_sqlite(const std::string& path, sqlite3* database) {
  switch (sqlite3_errcode(database)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return path + " is locked by another program; try again when it is done";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return path + " is damaged (" + sqlite3_errmsg(database) + "); record it again";
    default:
      return "cannot read " + path + ": " + sqlite3_errmsg(database);
  }
}

}  // namespace

base::Result<ReportReader> ReportReader::open(const std::string& path) {
  if (Status file = check_file(path); !file) return tl::make_unexpected(file.error());
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(handle);
  if (status != SQLITE_OK) return fail(explain_sqlite(path, handle));
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // Spares copying each page; of large reports only the beginning counts as memory of ours.
  (void)execute(handle, "PRAGMA mmap_size = 268435456");
  // The first real read: finds locks and a damaged schema.
  auto probe = Statement::prepare(handle, "SELECT count(*) FROM sqlite_master");
  if (!probe || !probe->step()) return fail(explain_sqlite(path, handle));
  probe->reset();
  ReportReader reader(path, std::move(database));
  if (!reader.has_table("StringIds"))
    return fail(path + " is an SQLite database but not a report: it has no StringIds table");
  return reader;
}

bool ReportReader::has_table(std::string_view table) const {
  auto query = prepare("SELECT 1 FROM sqlite_master WHERE type IN ('table','view') AND name = ?");
  if (!query) return false;
  query->bind(1, table);
  const auto row = query->step();
  return row && *row;
}

bool ReportReader::has_column(std::string_view table, std::string_view column) const {
  auto query = prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  if (!query) return false;
  query->bind(1, table).bind(2, column);
  const auto row = query->step();
  return row && *row;
}

std::vector<std::string> ReportReader::tables() const {
  std::vector<std::string> names;
  auto query = prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' "
      "ORDER BY rowid");
  while (query) {
    const auto row = query->step();
    if (!row || !*row) break;
    names.emplace_back(query->text(0));
  }
  return names;
}

}  // namespace prof::report
