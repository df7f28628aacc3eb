#include "cli/output/table_output.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "cli/messages/failure.hpp"
#include "cli/messages/message.hpp"
#include "exporters/analysis/tables/row_selection.hpp"

namespace prof::cli {

namespace fs = std::filesystem;

namespace {

using Make = std::function<void(const tables::Write&)>;

// Returns BASE_NAME_ARGUMENTS.EXTENSION.
std::string file_name(const TableOutput& output, std::string name) {
  name += output.suffix;
  std::replace(name.begin(), name.end(), ':', '_');
  std::replace(name.begin(), name.end(), '/', '-');
  const std::string base =
      output.target == "." ? fs::path(output.report).replace_extension().string() : output.target;
  return fmt::format("{}_{}.{}", base, name, tables::extension(output.format));
}

void write_file(const TableOutput& output, const std::string& name, const Make& make) {
  const std::string path = file_name(output, name);
  if (!output.overwrite && fs::exists(path))
    throw Failure(path + " exists; use --force-overwrite true to replace it");
  std::ofstream file(path);
  make([&](std::string_view text) { file << text; });
  if (!file.flush()) throw Failure("cannot write " + path + ": " + std::strerror(errno));
  if (!output.quiet) print_message("prof: wrote {}\n", path);
}

void write_command(const std::string& command, const Make& make) {
  std::FILE* pipe = popen(command.c_str(), "w");
  if (pipe == nullptr) throw Failure("cannot run " + command + ": " + std::strerror(errno));
  // A command that has read enough may close the pipe, which must not end prof.
  const auto previous = std::signal(SIGPIPE, SIG_IGN);
  make([&](std::string_view text) { std::fwrite(text.data(), 1, text.size(), pipe); });
  const int status = pclose(pipe);
  std::signal(SIGPIPE, previous);
  if (status != 0)
    throw Failure(fmt::format("{} failed with status {}", command,
                              WIFEXITED(status) ? WEXITSTATUS(status) : status));
}

}  // namespace

tables::TableFormat table_format(const std::string& name) {
  const auto format = tables::table_format(name);
  if (!format)
    throw Failure("unknown format " + name + " (known: " + tables::table_format_names() + ")",
                  kBadUsage);
  return *format;
}

void put(const TableOutput& output, const std::string& name, const Make& make) {
  if (output.target.starts_with('@')) return write_command(output.target.substr(1), make);
  if (output.target != "-") return write_file(output, name, make);
  make([](std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
      throw Failure(std::string("cannot write the statistics: ") + std::strerror(errno));
  });
}

void put_table(const TableOutput& output, tables::Table table, std::string_view title,
               const std::string& name, std::string_view note) {
  const std::size_t more = tables::limit_rows(table, output.most_rows);
  tables::convert_times(table, output.time_unit);
  put(output, name, [&](const tables::Write& write) {
    if (output.terminal)
      return tables::write_for_terminal(table, *output.terminal, title, name, more, write);
    tables::write_table(table, output.format, title, name, note, write);
    if (more > 0 && tables::has_heading(output.format)) write(tables::more_rows_line(more) + '\n');
  });
}

void put(const TableOutput& output, const std::string& name, const std::string& text) {
  put(output, name, [&](const tables::Write& write) { write(text); });
}

}  // namespace prof::cli
