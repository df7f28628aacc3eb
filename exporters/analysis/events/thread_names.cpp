#include "exporters/analysis/events/thread_names.hpp"

#include "exporters/analysis/events/global_ids.hpp"
#include "exporters/analysis/events/rows.hpp"
#include "exporters/analysis/events/strings.hpp"

namespace prof::events {

namespace {

using Names = std::unordered_map<std::int64_t, std::string>;

const std::string& name_in(const Names& names, std::int64_t id) {
  static const std::string none;
  const auto found = names.find(id);
  return found == names.end() ? none : found->second;
}

}  // namespace

base::Result<ThreadNames> ThreadNames::read(const report::ReportReader& reader) {
  ThreadNames names;
  Strings strings(reader, "");
  base::Status read;
  if (reader.has_table("ThreadNames"))
    read = for_each_row(reader, "SELECT globalTid, nameId FROM ThreadNames",
                        [&](const report::Statement& row) {
                          names.threads_.try_emplace(row.integer(0), strings.text(row.integer(1)));
                        });
  if (read && reader.has_table("PROCESSES"))
    read = for_each_row(reader, "SELECT globalPid, name FROM PROCESSES",
                        [&](const report::Statement& row) {
                          names.processes_.try_emplace(process_of(row.integer(0)), row.text(1));
                        });
  if (!read) return tl::make_unexpected(read.error());
  return names;
}

const std::string& ThreadNames::thread(std::int64_t global_tid) const {
  return name_in(threads_, global_tid);
}

const std::string& ThreadNames::process(std::int64_t global_id) const {
  return name_in(processes_, process_of(global_id));
}

}  // namespace prof::events
