// The files that exports write.
#pragma once

#include <functional>
#include <string>

#include "common/base/result.hpp"
#include "exporters/formats/output.hpp"

namespace prof::cli {

inline constexpr const char* kStdout = "-";

struct ExportFile {
  std::string path;  // or kStdout
  bool overwrite = false;
  bool pack = false;    // with gzip
  bool append = false;  // append to the file, if it exists
};

// Calls `write`, which writes the document. A file appears when it is complete. Pipes and devices
// are written directly. Throws Failure if writing fails; no half-written file remains.
void write_export(const ExportFile& file,
                  const std::function<base::Status(const formats::Output&)>& write);

// Like write_export(), for a format that writes a file by itself: `write` gets the file's temporary
// name.
void write_export_to(const ExportFile& file,
                     const std::function<base::Status(const std::string&)>& write);

// Throws Failure if the file exists and may not be replaced.
void check_new(const std::string& path, bool overwrite);

// Makes a write to a pipe that its reader has closed fail, so that prof reports it instead of being
// killed by SIGPIPE.
void report_closed_pipes();

}  // namespace prof::cli
