#include "common/report/report_reader.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>

#include "common/report/schema.hpp"

namespace prof::report {

using base::fail;
using base::fail_errno;
using base::Status;

namespace {

constexpr std::string_view kSqliteMagic{"SQLite format 3\0", 16};
constexpr std::string_view kSpoolMagic = "profspl1";  // collector/spool/spool.hpp
constexpr int kBusyMilliseconds = 2000;

std::uint32_t big_endian(const char* at, int bytes) {
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value = (value << 8) | static_cast<unsigned char>(at[i]);
  return value;
}

// Returns what the file is if it is not an SQLite database.
std::string explain_foreign(const std::string& path, std::string_view head) {
  if (head.starts_with(kSpoolMagic))
    return path + " is an unfinished recording; turn it into a report with: prof recover " + path;
  if (path.ends_with(".nsys-rep") || path.ends_with(".qdrep"))
    return path + " is in nsys's private format; export it first with: nsys export --type sqlite " +
           path;
  if (path.ends_with(".ncu-rep"))
    return path + " is a file of Nsight Compute; make a report of it with: prof kernel --import " +
           path;
  return path + " is not a report: not an SQLite database";
}

// Compares the number of pages in the header with the file's size.
Status check_whole(const std::string& path, std::string_view head, std::uint64_t size) {
  const std::uint32_t stored = big_endian(head.data() + 16, 2);
  const std::uint64_t page = stored == 1 ? 65536 : stored;
  const std::uint64_t expected = page * big_endian(head.data() + 28, 4);
  // The number is only valid if the change counters are equal (SQLite file format, 1.3.7).
  const bool count_valid = std::memcmp(head.data() + 24, head.data() + 92, 4) == 0;
  if (count_valid && size < expected)
    return fail(path + " is truncated: " + std::to_string(size) + " of " +
                std::to_string(expected) + " bytes; copy it again or record it again");
  return {};
}

// A report's file, before SQLite opens it.
struct File {
  struct stat info {};
  bool is_wal = false;     // in write-ahead-log mode
  bool has_pages = false;  // the write-ahead log beside it has pages
};

std::uint64_t size_of(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

base::Result<File> check_file(const std::string& path) {
  File file;
  if (stat(path.c_str(), &file.info) != 0) return fail_errno("cannot open report " + path, errno);
  if (S_ISDIR(file.info.st_mode)) return fail(path + " is a directory, not a report");
  // Opening a pipe would wait for a writer.
  if (!S_ISREG(file.info.st_mode)) return fail(path + " is not a regular file, so not a report");
  if (file.info.st_size == 0) return fail(path + " is empty, not a report");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return fail_errno("cannot open report " + path, errno);
  std::array<char, 100> head{};
  stream.read(head.data(), head.size());
  const std::string_view view(head.data(), static_cast<std::size_t>(stream.gcount()));
  if (!view.starts_with(kSqliteMagic)) return fail(explain_foreign(path, view));
  if (view.size() < head.size())
    return fail(path + " is truncated; copy it again or record it again");
  if (Status whole = check_whole(path, view, static_cast<std::uint64_t>(file.info.st_size)); !whole)
    return tl::make_unexpected(whole.error());
  file.is_wal = view[18] == 2 || view[19] == 2;
  file.has_pages = file.is_wal && size_of(path + "-wal") > 0;
  return file;
}

// Returns SQLite's name for a file that it opens without locks and without files beside it.
std::string immutable_name(const std::string& path) {
  std::string name = path.starts_with('/') ? "file://" : "file:";
  for (const char c : sqlite_name(path)) {
    constexpr std::string_view kSpecial = "%?#";
    if (kSpecial.find(c) == std::string_view::npos)
      name += c;
    else
      name += c == '%' ? "%25" : c == '?' ? "%3f" : "%23";
  }
  return name + "?immutable=1";
}

std::string explain_sqlite(const std::string& path, sqlite3* database) {
  const std::string message = sqlite3_errmsg(database);
  switch (sqlite3_errcode(database)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return path + " is locked by another program; try again when it is done";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_IOERR:
      return path + " is damaged (" + message + "); copy it again or record it again";
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      // Only a writer can complete what another writer left unfinished.
      return path + " was not closed by the program that wrote it (" + message +
             "); copy it with the files beside it (" + path +
             "-wal or -journal) to a folder of yours and run there: sqlite3 COPY .tables";
    case SQLITE_ERROR:
      if (message.starts_with("no such column") || message.starts_with("no such table") ||
          message.starts_with("access to view"))
        return path + " is not as prof and nsys write reports (" + message +
               "); export it again, or ask for what does not need that";
      [[fallthrough]];
    default:
      return "cannot read " + path + ": " + message;
  }
}

// True if a report has no other view than the one that ReportWriter creates.
bool has_known_views(sqlite3* database) {
  auto others = Statement::prepare(
      database, "SELECT count(*) FROM sqlite_master WHERE type = 'view' AND sql IS NOT ?");
  if (!others) return false;
  others->bind(1, sample_call_chain_view());
  return others->step().value_or(false) && others->integer(0) == 0;
}

bool is_same(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

base::Result<ReportReader> ReportReader::open(const std::string& path) {
  const auto file = check_file(path);
  if (!file) return tl::make_unexpected(file.error());
  // In write-ahead-log mode SQLite would create files beside the report, or fail if it cannot.
  const bool immutable = file->is_wal && !file->has_pages;
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(
      (immutable ? immutable_name(path) : sqlite_name(path)).c_str(), &handle,
      SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | (immutable ? SQLITE_OPEN_URI : 0), nullptr);
  Database database(handle);
  if (status != SQLITE_OK) return fail(explain_sqlite(path, handle));
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  // The first read detects locks and a damaged schema. From here on the reader sees this state.
  const Status begun = execute(handle, "PRAGMA temp_store = MEMORY; BEGIN");
  auto probe = Statement::prepare(handle, "SELECT count(*) FROM sqlite_master");
  if (!begun || !probe || !probe->step()) return fail(explain_sqlite(path, handle));
  probe->reset();
  // A view in place of a table could have endlessly many rows. (The temporary views of
  // exporters/analysis/events are not affected.)
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, has_known_views(handle) ? 1 : 0, nullptr);
  ReportReader reader(path, std::move(database), file->info, file->has_pages);
  if (!reader.has_table("StringIds"))
    return fail(path + " is an SQLite database but not a report: it has no StringIds table");
  return reader;
}

base::Result<Statement> ReportReader::prepare(std::string_view sql) const {
  auto statement = Statement::prepare(database_.get(), sql);
  if (!statement) return tl::make_unexpected(last_error());
  return statement;
}

base::Error ReportReader::last_error() const { return {explain_sqlite(path_, database())}; }

void ReportReader::note(const base::Error& error) const {
  if (!notes_->error) notes_->error = error;
}

void ReportReader::note_faulty(std::string_view table, std::int64_t events) const {
  std::int64_t& most = notes_->faulty[std::string(table)];
  most = std::max(most, events);
}

void ReportReader::note_too_deep(std::string_view table, std::int64_t frames) const {
  std::int64_t& most = notes_->too_deep[std::string(table)];
  most = std::max(most, frames);
}

Status ReportReader::finish() const {
  if (notes_->error) return tl::make_unexpected(*notes_->error);
  struct stat now {};
  if (may_change_ || (stat(path_.c_str(), &now) == 0 && is_same(file_, now))) return {};
  return fail(path_ + " changed while it was read, so what was printed may be wrong; run again");
}

std::optional<std::int64_t> ReportReader::schema_version() const {
  if (!has_table("META_DATA_EXPORT")) return std::nullopt;
  auto query =
      prepare("SELECT value FROM META_DATA_EXPORT WHERE name = 'EXPORT_SCHEMA_VERSION_MAJOR'");
  if (!query) return std::nullopt;
  const auto row = query->step();
  return row && *row ? std::optional(query->integer(0)) : std::nullopt;
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
      "SELECT name FROM sqlite_master WHERE (type = 'table' AND name NOT LIKE 'sqlite_%') "
      "OR (type = 'view' AND name = 'SAMPLING_CALLCHAINS') ORDER BY rowid");
  while (query) {
    const auto row = query->step();
    if (!row || !*row) break;
    names.emplace_back(query->text(0));
  }
  return names;
}

}  // namespace prof::report
