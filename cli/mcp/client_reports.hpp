// The reports that a client of prof mcp may read, and what is hidden from it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "exporters/mcp/redaction.hpp"
#include "exporters/mcp/roots.hpp"

namespace prof::cli {

// What --redact names.
struct Hidden {
  bool homes = true;
  bool paths = false;
  bool hosts = false;
  bool arguments = false;  // of the profiled program
};

class ClientReports {
 public:
  ClientReports(mcp::Roots roots, const Hidden& hidden)
      : roots_(std::move(roots)), hidden_(hidden) {}

  struct Listed {
    std::string id;    // as in prof facts
    std::string path;  // redacted
    std::uintmax_t bytes;
  };
  // Returns the files that can be opened as reports.
  std::vector<Listed> list() const;

  // Returns the real path of the report with this path, redacted path or id. Throws Failure.
  std::string file(const std::string& name) const;

  // Returns what hides the choice in answers about these reports. A report that cannot be read has
  // nothing to hide.
  mcp::Redaction redaction(const std::vector<std::string>& files) const;

 private:
  mcp::Roots roots_;
  Hidden hidden_;
};

}  // namespace prof::cli
