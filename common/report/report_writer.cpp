#include "common/report/report_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "common/base/held/held_file.hpp"
#include "common/base/temporary_file.hpp"
#include "common/base/utf8.hpp"
#include "common/report/schema.hpp"
#include "common/report/stack_words.hpp"

namespace prof::report {

using base::fail;
using base::fail_errno;
using base::Status;

namespace {

// Fast settings for a file that no other process knows: no journal, no locks and no syncs
// (docs/decisions/0004-report-writing.md).
constexpr char kSetup[] =
    "PRAGMA journal_mode = OFF;"
    "PRAGMA synchronous = OFF;"
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA temp_store = MEMORY;"
    "PRAGMA cache_size = -32768;"
    "BEGIN";

// flock locks the file instead. On NFS, SQLite's own locks would conflict with that lock.
constexpr char kNoLocks[] = "unix-none";

// The first rows of StringIds in all reports of nsys.
constexpr std::string_view kFixedStrings[] = {kUnknownCode, kKernelCode, kMaxDepth, kBrokenChain,
                                              "[Called from Java]"};

Status write_all(int fd, std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t written = write(fd, rest.data(), rest.size());
    if (written < 0) return fail_errno("cannot create a file there", errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

int open_database(const char* path, const char* vfs, sqlite3** handle) {
  // With this setting SQLite takes no lock for each piece of memory to count it.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return sqlite3_open_v2(path, handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs);
}

}  // namespace

base::Result<std::unique_ptr<ReportWriter>> ReportWriter::create(
    const std::string& path, bool overwrite, std::pmr::memory_resource* memory) {
  std::unique_ptr<ReportWriter> writer(
      new ReportWriter(path, base::temporary_name(path), overwrite, memory));
  Status opened = writer->create_file();
  if (opened) opened = writer->open_file();
  if (opened) opened = writer->set_up();
  if (!opened) return fail("cannot write " + path + ": " + opened.error().message);
  return writer;
}

base::Result<std::unique_ptr<ReportWriter>> ReportWriter::create_in_memory() {
  std::unique_ptr<ReportWriter> writer(
      new ReportWriter("", "", false, std::pmr::get_default_resource()));
  writer->in_memory_ = true;
  Status opened = writer->open_memory();
  if (opened) opened = writer->set_up();
  if (!opened) return tl::make_unexpected(opened.error());
  return writer;
}

void ReportWriter::set_output(const std::string& path, bool overwrite) {
  path_ = path;
  temporary_ = base::temporary_name(path);
  overwrite_ = overwrite;
}

ReportWriter::~ReportWriter() {
  statements_.clear();
  database_.reset();
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Status ReportWriter::create_file() {
  unlink(temporary_.c_str());
  // SQLite does not create the file: it would follow a symbolic link, and it retries in other ways,
  // so that it does not report the first error.
  lock_ = base::create_held_file(temporary_);
  if (!lock_) return fail_errno("cannot create a file there", errno);
  return {};
}

Status ReportWriter::open_file() {
  if (Status filled = write_all(lock_.get(), empty_report()); !filled) return filled;
  sqlite3* handle = nullptr;
  const int status = open_database(sqlite_name(temporary_).c_str(), kNoLocks, &handle);
  database_.reset(handle);
  if (status == SQLITE_OK) return {};
  const int error = sqlite3_system_errno(handle);
  return error != 0 ? Status(fail_errno("cannot create a file there", error))
                    : Status(fail(sqlite3_errmsg(handle)));
}

Status ReportWriter::open_memory() {
  sqlite3* handle = nullptr;
  int status = open_database(":memory:", nullptr, &handle);
  database_.reset(handle);
  if (status != SQLITE_OK) return fail(sqlite3_errmsg(handle));
  const std::string_view empty = small_report();
  auto* memory = static_cast<unsigned char*>(sqlite3_malloc64(empty.size()));
  if (memory == nullptr) return fail_errno("no memory for a report", ENOMEM);
  std::memcpy(memory, empty.data(), empty.size());
  const auto bytes = static_cast<sqlite3_int64>(empty.size());
  status = sqlite3_deserialize(handle, "main", memory, bytes, bytes,
                               SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  return status == SQLITE_OK ? Status() : Status(fail(sqlite3_errmsg(handle)));
}

Status ReportWriter::set_up() {
  if (Status set_up = execute(database_.get(), kSetup); !set_up) return set_up;
  if (Status registered = register_row_source(database_.get(), &batch_); !registered)
    return registered;
  for (const std::string_view text : kFixedStrings) string_id(text);
  return {};
}

void ReportWriter::check(const Status& status) {
  if (!status && status_) status_ = status;
}

bool ReportWriter::ensure_table(std::string_view table) {
  if (!status_) return false;
  if (is_in_all_reports(table) || tables_.contains(table)) return true;
  if (const auto unused = std::find(unused_.begin(), unused_.end(), table);
      unused != unused_.end()) {
    unused_.erase(unused);
  } else {
    const std::string_view sql = table_sql(table);
    check(sql.empty() ? Status(fail("no schema for table " + std::string(table)))
                      : execute(database_.get(), std::string(sql)));
  }
  tables_.emplace(table);
  return status_.has_value();
}

void ReportWriter::create_view() {
  if (tables_.contains("PROF_SAMPLE_CHAINS") && ensure_table("COMPOSITE_EVENTS"))
    check(execute(database_.get(), std::string(sample_call_chain_view())));
}

void ReportWriter::drop_unused_tables() {
  for (const std::string_view table : unused_)
    if (status_) check(execute(database_.get(), "DROP TABLE " + std::string(table)));
}

void ReportWriter::add(const char* table, std::initializer_list<Value> values) {
  if (!ensure_table(table)) return;
  std::string sql = std::string("INSERT INTO ") + table + " VALUES(";
  for (std::size_t i = 0; i < values.size(); ++i) sql += i == 0 ? "?" : ",?";
  sql += ')';
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    auto prepared = Statement::prepare(database_.get(), sql);
    if (!prepared) return check(tl::make_unexpected(prepared.error()));
    found = statements_.emplace(sql, std::move(*prepared)).first;
  }
  Statement& insert = found->second;
  int parameter = 0;
  for (const Value& value : values) {
    ++parameter;
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      insert.bind(parameter, *integer);
    else if (const auto* text = std::get_if<std::string_view>(&value))
      base::is_utf8(*text) ? insert.bind(parameter, *text)
                           : insert.bind(parameter, base::escaped_to_utf8(*text));
    else
      insert.bind_null(parameter);
  }
  check(insert.run());
}

std::int32_t ReportWriter::string_id(std::string_view text) {
  if (const auto known = string_ids_.find(text); known != string_ids_.end()) return known->second;
  if (!base::is_utf8(text)) return string_id(base::escaped_to_utf8(text));
  const auto id = static_cast<std::int32_t>(string_ids_.size());
  // The key of the map does not move, so the row can refer to it until it is flushed.
  add(StringRow{id, string_ids_.emplace(text, id).first->first});
  return id;
}

void ReportWriter::insert_batch(const char* table) {
  if (!ensure_table(table)) return;
  const std::string sql = insert_from_rows(table, batch_.columns.size());
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    auto prepared = Statement::prepare(database_.get(), sql);
    if (!prepared) return check(tl::make_unexpected(prepared.error()));
    found = statements_.emplace(sql, std::move(*prepared)).first;
  }
  check(found->second.run());
  rows_ += batch_.count;
  if (on_batch_) on_batch_(rows_);
}

void ReportWriter::add_weight_column(const char* table) {
  if (!ensure_table(table) || !weighted_.emplace(table).second) return;
  check(
      execute(database_.get(), std::string("ALTER TABLE ") + table + " ADD COLUMN weight INTEGER"));
}

void ReportWriter::flush() {
  std::apply([this](auto&... rows) { (flush_batch(rows), ...); }, batches_);
}

Status ReportWriter::finish() {
  flush();
  create_view();
  drop_unused_tables();
  if (status_) check(execute(database_.get(), "COMMIT"));
  statements_.clear();
  if (status_ && in_memory_) check(write_memory());
  database_.reset();
  if (status_) check(rename_into_place());
  if (!status_) return fail("cannot write " + path_ + ": " + status_.error().message);
  temporary_.clear();
  return {};
}

Status ReportWriter::write_memory() {
  if (Status created = create_file(); !created) return created;
  sqlite3_int64 bytes = 0;
  const unsigned char* memory =
      sqlite3_serialize(database_.get(), "main", &bytes, SQLITE_SERIALIZE_NOCOPY);
  if (memory == nullptr) return fail("SQLite gives no memory");
  return write_all(lock_.get(),
                   {reinterpret_cast<const char*>(memory), static_cast<std::size_t>(bytes)});
}

Status ReportWriter::rename_into_place() {
  int error = 0;
  if (!overwrite_)
    error = base::rename_new(temporary_, path_);
  else if (rename(temporary_.c_str(), path_.c_str()) != 0)
    error = errno;
  if (error == EEXIST)
    return fail("the file appeared while the program ran; use -f true to replace it");
  if (error != 0) return fail_errno("cannot rename the finished file", error);
  return {};
}

}  // namespace prof::report
