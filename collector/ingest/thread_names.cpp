#include "collector/ingest/thread_names.hpp"

#include <cstring>
#include <string_view>

namespace prof::ingest {

void ThreadNames::add(std::uint32_t serial, std::uint32_t tid, const wire::ThreadRecord& record) {
  Name& name = names_[{serial, tid}];
  name.kernel_name = std::string(record.name, strnlen(record.name, sizeof record.name));
  name.priority = record.priority;
}

void ThreadNames::add(std::uint32_t serial, const wire::ThreadNameRecord& record) {
  Name& name = names_[{serial, record.header.aux}];
  const bool from_nvtx = record.header.flags == wire::kThreadNameFromNvtx;
  if (name.from_nvtx && !from_nvtx) return;  // a name from NVTX has precedence
  name.given = record.name;
  name.from_nvtx = from_nvtx;
}

void ThreadNames::write(const ProcessTable& processes, const StringTable& strings,
                        report::ReportWriter& writer, NamedTasks& named) const {
  // The last name comes first: a thread that has called exec has only one row, with its latest
  // name.
  for (auto each = names_.rbegin(); each != names_.rend(); ++each) {
    const auto& [key, name] = *each;
    const std::int64_t id = processes.global_tid_of(key.first, key.second);
    if (!named.threads.insert(id).second) continue;
    const std::string_view text =
        name.given != 0 ? strings.text(name.given) : std::string_view(name.kernel_name);
    writer.add("ThreadNames",
               {static_cast<std::int64_t>(writer.string_id(text)), name.priority, id});
  }
}

}  // namespace prof::ingest
