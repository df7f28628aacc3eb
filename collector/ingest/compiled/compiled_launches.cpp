#include "collector/ingest/compiled/compiled_launches.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/ingest/compiled/compiled_file.hpp"
#include "common/base/unique_fd.hpp"

namespace prof::ingest {

namespace {

constexpr std::size_t kMaxFile = 32 << 20;
constexpr std::size_t kMaxFiles = 256 << 20;  // bytes of all files together

// The program says the name, so the file can be anything: a link, a pipe, a device.
std::optional<std::string> read_regular_file(const std::string& path) {
  const base::UniqueFd file(
      ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::size_t>(status.st_size) > kMaxFile)
    return std::nullopt;
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t bytes = ::read(file.get(), text.data() + size, text.size() - size);
    if (bytes <= 0) break;
    size += static_cast<std::size_t>(bytes);
  }
  text.resize(size);
  return text;
}

report::Value number_or_null(const std::optional<std::int64_t>& number) {
  return number ? report::Value(*number) : report::Value(nullptr);
}

void write_row(std::int64_t global_pid, std::int64_t file, const CompiledLaunch& launch,
               report::ReportWriter& writer) {
  const auto text_or_null = [&](const std::string& text) {
    return text.empty() ? report::Value(nullptr)
                        : report::Value(std::int64_t{writer.string_id(text)});
  };
  const report::Value definition =
      launch.definition == 0 ? report::Value(nullptr) : report::Value(launch.definition);
  writer.add("PROF_COMPILED_LAUNCHES",
             {global_pid, file, launch.line, definition, text_or_null(launch.kernel),
              text_or_null(launch.operators), text_or_null(launch.graph),
              text_or_null(launch.inputs), text_or_null(launch.outputs),
              number_or_null(launch.bytes_read), number_or_null(launch.bytes_written),
              number_or_null(launch.elements), number_or_null(launch.is_backward)});
}

}  // namespace

void CompiledLaunches::write(const ProcessTable& processes, const StringTable& strings,
                             report::ReportWriter& writer) const {
  std::map<std::string_view, std::vector<CompiledLaunch>> files;
  std::size_t left = kMaxFiles;
  for (const auto& [serial, file] : functions_) {
    const std::string_view path = strings.text(file);
    if (!is_compiled_file(path)) continue;
    const auto [known, is_new] = files.try_emplace(path);
    if (is_new && left > 0) {
      const std::string text = read_regular_file(std::string(path)).value_or("");
      left -= std::min(left, text.size());
      known->second = parse_compiled_file(text);
    }
    for (const CompiledLaunch& launch : known->second)
      write_row(processes.global_pid_of(serial), writer.string_id(path), launch, writer);
  }
}

}  // namespace prof::ingest
