// The reports that a client of prof mcp may read, and what is hidden from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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
  struct ListedPage {
    std::vector<Listed> reports;
    std::optional<std::size_t> next = {};  // the file at which the next page begins
  };
  // Returns those of `files` files that can be opened as reports, from the file number `first` on.
  ListedPage list(std::size_t first, std::size_t files) const;

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
