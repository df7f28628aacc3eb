#include "cli/export/export_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "common/base/held/held_file.hpp"
#include "common/base/temporary_file.hpp"
#include "exporters/formats/gzip.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

using WriteDocument = std::function<base::Status(const formats::Output&)>;

struct CloseOutput {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using OutputFile = std::unique_ptr<std::FILE, CloseOutput>;

base::Status cannot_write(const std::string& name) {
  return base::fail("cannot write " + name + ": " + std::strerror(errno));
}

OutputFile open_file(const std::string& path, const char* mode, const std::string& name) {
  OutputFile file(std::fopen(path.c_str(), mode));
  if (!file) check(cannot_write(name));
  return file;
}

void write_to(std::FILE* file, const std::string& name, bool pack, const WriteDocument& write) {
  const formats::Output plain = [&](std::string_view text) -> base::Status {
    if (std::fwrite(text.data(), 1, text.size(), file) != text.size()) return cannot_write(name);
    return {};
  };
  if (pack) {
    formats::Gzip gzip(plain, formats::Gzip::kFast);
    check(write([&](std::string_view text) { return gzip.write(text); }));
    check(gzip.finish());
  } else {
    check(write(plain));
  }
  if (std::fflush(file) != 0) check(cannot_write(name));
}

// Renames the complete file to its final name.
void publish(const std::string& temporary, const ExportFile& to) {
  if (to.overwrite && std::rename(temporary.c_str(), to.path.c_str()) != 0)
    check(cannot_write(to.path));
  if (to.overwrite) return;
  errno = base::rename_new(temporary, to.path);
  if (errno == EEXIST) check_new(to.path, false);
  if (errno != 0) check(cannot_write(to.path));
}

void write_new_file(const ExportFile& to, const WriteDocument& write) {
  write_export_to(to, [&](const std::string& temporary) -> base::Status {
    OutputFile file = open_file(temporary, "w", to.path);
    write_to(file.get(), to.path, to.pack, write);
    if (std::fclose(file.release()) != 0) return cannot_write(to.path);
    return {};
  });
}

// The former content stays, also after a failure.
void append_to_file(const ExportFile& to, const WriteDocument& write) {
  OutputFile file = open_file(to.path, "a", to.path);
  std::fseek(file.get(), 0, SEEK_END);
  const long size = std::ftell(file.get());
  try {
    write_to(file.get(), to.path, to.pack, write);
  } catch (const Failure&) {
    file.reset();
    if (truncate(to.path.c_str(), size) != 0) print_message("prof: {} has half of it\n", to.path);
    throw;
  }
}

bool is_pipe_or_device(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

}  // namespace

void check_new(const std::string& path, bool overwrite) {
  std::error_code error;
  if (path == kStdout || is_pipe_or_device(path)) return;
  if (fs::is_directory(path, error)) throw Failure(path + " is a folder; give a file with -o");
  if (!overwrite && fs::exists(path, error))
    throw Failure(path + " exists; use -f true to replace it");
}

void write_export(const ExportFile& file, const WriteDocument& write) {
  if (file.path == kStdout) return write_to(stdout, "standard output", file.pack, write);
  check_new(file.path, file.overwrite || file.append);
  if (is_pipe_or_device(file.path))
    return write_to(open_file(file.path, "w", file.path).get(), file.path, file.pack, write);
  if (file.append && fs::exists(file.path)) return append_to_file(file, write);
  write_new_file(file, write);
}

void write_export_to(const ExportFile& file,
                     const std::function<base::Status(const std::string&)>& write) {
  const std::string temporary = base::temporary_name(file.path);
  std::remove(temporary.c_str());
  // The file has mode 0600, as reports have.
  const base::UniqueFd held = base::create_held_file(temporary);
  if (!held) check(cannot_write(file.path));
  try {
    check(write(temporary));
    publish(temporary, file);
  } catch (const Failure&) {
    std::remove(temporary.c_str());
    throw;
  }
}

void report_closed_pipes() { std::signal(SIGPIPE, SIG_IGN); }

}  // namespace prof::cli
