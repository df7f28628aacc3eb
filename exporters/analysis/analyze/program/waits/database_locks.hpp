// Finds waits for the locks of a database server. These are not locks of the system: the server's
// processes keep them in shared memory and wait by other means, so only call chains show them.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "common/base/result.hpp"
#include "common/report/report_reader.hpp"

namespace prof::analyze {

// What the calls of a chain wait for, as a text, by the chain's id.
using DatabaseLocks = std::unordered_map<std::int64_t, const char*>;

// Reads the call chains of waits for locks of PostgreSQL, whose program has the names of its
// functions.
base::Result<DatabaseLocks> read_database_locks(const report::ReportReader& reader);

}  // namespace prof::analyze
