// Names of output files, in nsys's notation.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "common/base/held/reserved_name.hpp"

namespace prof::cli {

// The name of a report. If the name has a free number (%n), no other prof chooses that number while
// this object exists: until the recording or the report has been created.
class OutputName {
 public:
  explicit OutputName(std::string path, std::optional<base::ReservedName> reserved = {})
      : path_(std::move(path)), reserved_(std::move(reserved)) {}

  const std::string& path() const { return path_; }
  std::string absolute() const;
  // Returns the reservation. The name is then reserved as long as the result is kept.
  std::optional<base::ReservedName> take_reserved() { return std::move(reserved_); }

 private:
  std::string path_;
  std::optional<base::ReservedName> reserved_;
};

// Expands %q{VAR} (environment variable), %h (host name), %n (the first number from 1 that makes an
// unused name) and %% (a percent sign). Leaves %p for the pid, which is not known yet. A name
// without extension gets ".db". Throws Failure for anything else after a percent sign.
OutputName expand_output_name(const std::string& pattern);

// True if the path ends like the reports of nsys, which are not SQLite files.
bool has_ending_of_nsys(const std::string& path);

}  // namespace prof::cli
