// Where an export goes.
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
  bool append = false;  // to the file, if it exists
};

// Calls `write`, which writes the document. A file appears when it is complete. Pipes and devices
// are written directly. Throws Failure; then no half file is left.
void write_export(const ExportFile& file,
                  const std::function<base::Status(const formats::Output&)>& write);

// The same for a format that writes a file by itself: `write` gets the file's temporary name.
void write_export_to(const ExportFile& file,
                     const std::function<base::Status(const std::string&)>& write);

// Throws Failure if the file exists and may not be replaced.
void check_new(const std::string& path, bool overwrite);

// Turns a reader that closes the pipe into a failure to write, which is reported.
void report_closed_pipes();

}  // namespace prof::cli
