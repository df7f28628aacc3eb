// Recordings whose prof was killed before it could make the report.
#pragma once

#include <optional>
#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::spool {

struct LeftOver {
  base::UniqueFd file;  // with a shared lock, so that no prof writes or removes it
  bool has_content;     // the recording is worth a report
  bool is_large;        // reading the whole recording can take long
};

// Returns the recording if the file is one of this user and no prof writes it any more. Reads as
// little as possible.
std::optional<LeftOver> find_left_over(const std::string& path);

// Removes the recording, unless another prof is using it at this moment.
void remove_left_over(const LeftOver& left, const std::string& path);

// True if the usual name of the recording's report, and that of its first numbered report, are
// free.
bool has_free_name(const std::string& path);

// Returns the command that makes the reports of a recording, for messages. If the usual name, or
// that of the first numbered report, is taken, the command uses another name. `is_usable`: use the
// usual name.
std::string recovery_command(const std::string& path, bool is_usable = false);

}  // namespace prof::spool
