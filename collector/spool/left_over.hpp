// Recordings whose prof was killed before it could make the report.
#pragma once

#include <optional>
#include <string>

#include "common/base/unique_fd.hpp"

namespace prof::spool {

struct LeftOver {
  base::UniqueFd file;  // with a shared lock: no prof writes it, and none removes it
  bool has_content;     // worth a report
  bool is_large;        // reading all of it can take long
};

// Is the file a recording of this user that no prof writes any more? Reads as little as possible.
std::optional<LeftOver> find_left_over(const std::string& path);

// Removes it, unless another prof is using it at this moment.
void remove_left_over(const LeftOver& left, const std::string& path);

// Are the usual name of the recording's report, and that of its first numbered report, free?
bool has_free_name(const std::string& path);

// The command that makes the reports of a recording, for messages. If the usual name is taken, or
// that of the first numbered report, it has another name. `is_usable`: use the usual one.
std::string recovery_command(const std::string& path, bool is_usable = false);

}  // namespace prof::spool
