#include "cli/output/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/failure.hpp"

namespace prof::cli {

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Failure cannot_write(const std::string& path) {
  return Failure("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace

void check_may_write(const std::string& path, bool overwrite) {
  if (!overwrite && std::filesystem::exists(path))
    throw Failure(path + " exists; use -f true to replace it");
}

void write_output_file(const std::string& path,
                       const std::function<base::Status(const formats::Output&)>& make) {
  const std::string temporary = path + ".tmp" + std::to_string(getpid());
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(temporary.c_str(), "w"));
  if (!file) throw cannot_write(path);
  try {
    check(make([&](std::string_view text) -> base::Status {
      if (std::fwrite(text.data(), 1, text.size(), file.get()) == text.size()) return {};
      return base::fail(cannot_write(path).what());
    }));
    if (std::fflush(file.get()) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0)
      throw cannot_write(path);
  } catch (const Failure&) {
    std::remove(temporary.c_str());
    throw;
  }
}

}  // namespace prof::cli
