#include "collector/python/interpreter_search.hpp"

#include <elf.h>

#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "common/base/proc_file.hpp"
#include "common/base/proc_ids.hpp"
#include "common/code/symbols/elf_image.hpp"
#include "common/code/unwind/mapped_file.hpp"

namespace prof::python {

namespace {

// Addresses of symbols, as linked, by name.
using Addresses = std::map<std::string, std::uint64_t, std::less<>>;

constexpr const char* kWanted[] = {"_PyRuntime", "PyCode_Type", "Py_Version", "PyFrame_GetBack",
                                   "PyIter_Send"};

Addresses wanted_symbols(const symbols::ElfImage& image) {
  Addresses found;
  const symbols::Section table = image.section(".dynsym");
  const symbols::Section strings = image.section(".dynstr");
  const auto* text = reinterpret_cast<const char*>(strings.bytes.data());
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, &table.bytes[at], sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings.bytes.size()) continue;
    const std::string_view name(
        text + symbol.st_name,
        strnlen(text + symbol.st_name, strings.bytes.size() - symbol.st_name));
    for (const char* each : kWanted)
      if (name == each) found.emplace(name, symbol.st_value);
  }
  return found;
}

// Returns the version of Python. Before 3.11 Python does not export it as data, so it is derived
// from the symbols that exist.
std::uint16_t version_of(pid_t pid, const Addresses& symbols, std::uint64_t bias) {
  if (const auto version = symbols.find("Py_Version"); version != symbols.end()) {
    std::uint64_t hexadecimal = 0;
    RemoteMemory memory(pid);
    return memory.read(version->second + bias, hexadecimal)
               ? static_cast<std::uint16_t>(hexadecimal >> 16)
               : 0;
  }
  if (!symbols.contains("PyFrame_GetBack")) return 0;  // Python 3.8 or older
  return python_frames::python_version(3, symbols.contains("PyIter_Send") ? 10 : 9);
}

std::optional<InterpreterAddress> look_into(pid_t pid, const unwind::MapEvent& mapping,
                                            const std::string& path) {
  const auto image = symbols::ElfImage::open(path);
  if (!image) return {};
  const auto linked = image->address_of(mapping.offset);
  const Addresses symbols = wanted_symbols(*image);
  const auto runtime = symbols.find("_PyRuntime");
  const auto code_type = symbols.find("PyCode_Type");
  if (!linked || runtime == symbols.end() || code_type == symbols.end()) return {};
  const std::uint64_t bias = mapping.start - *linked;
  const std::uint16_t version = version_of(pid, symbols, bias);
  if (version == 0) return {};
  return InterpreterAddress{runtime->second + bias, code_type->second + bias, version};
}

std::optional<InterpreterAddress> look_for(pid_t pid, const std::vector<unwind::MapEvent>& maps,
                                           const std::string& root, const std::string& program) {
  std::set<std::string> seen;
  for (const unwind::MapEvent& each : maps) {
    const bool is_program = each.path == program;
    if (!each.executable || (!is_program && each.path.find("/libpython3") == std::string::npos) ||
        !seen.insert(each.path).second)
      continue;
    // The link to the program works even if the file was removed.
    const std::string path =
        is_program
            ? base::proc_path(base::living_thread(pid), "exe")
            : unwind::find_mapped_file(pid, each, unwind::path_of_file(each, root), root).path;
    if (auto found = look_into(pid, each, path)) return found;
  }
  return {};
}

}  // namespace

std::optional<InterpreterAddress> find_interpreter(pid_t pid,
                                                   const std::vector<unwind::MapEvent>& maps,
                                                   const std::string& root) {
  return look_for(pid, maps, root,
                  base::read_link(base::proc_path(base::living_thread(pid), "exe")));
}

std::optional<InterpreterAddress> find_libpython(pid_t pid,
                                                 const std::vector<unwind::MapEvent>& maps) {
  return look_for(pid, maps, "", "");
}

}  // namespace prof::python
