#include "common/code/symbols/symbolizer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <optional>
#include <utility>

#include "common/base/unique_fd.hpp"
#include "common/code/demangle/demangle_function.hpp"
#include "common/code/symbols/debug_files.hpp"
#include "common/code/symbols/symbol_table.hpp"

namespace prof::symbols {
namespace {

std::string in_hexadecimal(std::uint64_t number) {
  std::string digits;
  for (; number != 0 || digits.empty(); number >>= 4) digits += "0123456789abcdef"[number & 15];
  return {digits.rbegin(), digits.rend()};
}

// Returns prof's own vdso, because the kernel maps the same vdso into every process.
base::Result<ElfImage> own_vdso() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    if (!line.ends_with("[vdso]") ||
        std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64, &start, &end) != 2)
      continue;
    return ElfImage::copy({reinterpret_cast<const std::byte*>(start), end - start});
  }
  return base::fail("no vdso is mapped");
}

// Reads only a regular file: anybody can replace such a file, and prof must not wait for a FIFO.
std::string read_regular_file(const std::string& path) {
  constexpr std::size_t kMaximum = std::size_t{1} << 30;
  const base::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  std::string text;
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (text.size() < kMaximum) {
    const ssize_t count = read(file.get(), piece.data(), piece.size());
    if (count <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  return text;
}

FunctionName resolved(const Symbol& symbol, const std::string& path, std::uint64_t address) {
  return {demangle::demangle_function(std::string(symbol.name)), path, address - symbol.address,
          true};
}

}  // namespace

FunctionName unresolved(const std::string& path, std::uint64_t file_offset) {
  const std::string name = path.substr(path.rfind('/') + 1);
  return {name + "+0x" + in_hexadecimal(file_offset), path, file_offset, false};
}

struct Symbolizer::File {
  std::once_flag is_read;
  std::optional<ElfImage> image;  // only its segments; the file is closed
  SymbolTable table;

  void read(const std::string& path, const FileVersion& version,
            const std::vector<std::string>& debug_folders) {
    auto opened = path == "[vdso]" ? own_vdso() : ElfImage::open(path);
    if (!opened || !version.is_that_of(opened->version())) return;
    table.add(*opened);
    if (const auto debug = open_debug_file(*opened, path, debug_folders)) table.add(*debug);
    table.sort();
    opened->close();
    image = std::move(*opened);
  }

  void read_perf_map(const std::string& path) {
    table.add_perf_map(read_regular_file(path));
    table.sort();
  }
};

Symbolizer::Symbolizer(std::vector<std::string> debug_folders)
    : debug_folders_(std::move(debug_folders)) {}
Symbolizer::~Symbolizer() = default;

Symbolizer::File& Symbolizer::file_of(const std::string& path, const FileVersion& version) {
  const std::lock_guard lock(mutex_);
  auto& file = files_[{path, version}];
  if (!file) file = std::make_unique<File>();
  return *file;
}

FunctionName Symbolizer::in_file(const std::string& path, std::uint64_t file_offset,
                                 const FileVersion& version) {
  File& file = file_of(path, version);
  std::call_once(file.is_read, [&] { file.read(path, version, debug_folders_); });
  const auto address = file.image ? file.image->address_of(file_offset) : std::nullopt;
  const Symbol* symbol = address ? file.table.find(*address) : nullptr;
  return symbol != nullptr ? resolved(*symbol, path, *address) : unresolved(path, file_offset);
}

FunctionName Symbolizer::in_perf_map(const std::string& perf_map, std::uint64_t address) {
  File& file = file_of(perf_map, {});
  std::call_once(file.is_read, [&] { file.read_perf_map(perf_map); });
  const Symbol* symbol = file.table.find(address);
  return symbol != nullptr ? resolved(*symbol, perf_map, address) : unresolved(perf_map, address);
}

}  // namespace prof::symbols
