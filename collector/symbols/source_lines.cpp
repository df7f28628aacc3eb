#include "collector/symbols/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "collector/base/unique_fd.hpp"
#include "collector/symbols/debug_files.hpp"
#include "collector/symbols/demangle_function.hpp"

namespace prof::symbols {
namespace {

// Deeper inlining than this is of a broken file.
constexpr int kMostScopes = 1000;

std::string function_of(Dwarf_Die* scope) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    const char* text = dwarf_formstring(dwarf_attr_integrate(scope, name, &attribute));
    if (text != nullptr) return demangle_function(text);
  }
  return {};
}

std::string text_or_empty(const char* text) { return text != nullptr ? text : std::string(); }

int number_of(Dwarf_Die* scope, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr(scope, name, &attribute), &value) != 0 || value > 1U << 30)
    return 0;
  return static_cast<int>(value);
}

// Where the inlined function was called, into the frame of its caller.
void take_call_site(Dwarf_Die* scope, Dwarf_Die* unit, SourceFrame& caller) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto index = static_cast<std::size_t>(number_of(scope, DW_AT_call_file));
  caller.line = number_of(scope, DW_AT_call_line);
  if (dwarf_getsrcfiles(unit, &files, &count) == 0 && index < count)
    caller.file = text_or_empty(dwarf_filesrc(files, index, nullptr, nullptr));
}

struct Scopes {
  Dwarf_Die* dies = nullptr;
  int count = 0;
  Scopes() = default;
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  ~Scopes() { std::free(dies); }
};

}  // namespace

struct SourceLines::Parsed {
  struct Range {
    std::uint64_t start = 0, end = 0;
    Dwarf_Off unit = 0;
  };
  ElfImage image;  // whose offsets we are asked for
  base::UniqueFd file;
  Dwarf* dwarf = nullptr;
  std::vector<Range> units;  // sorted; clang writes no .debug_aranges

  explicit Parsed(ElfImage of) : image(std::move(of)) {}
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;
  ~Parsed() {
    if (dwarf != nullptr) dwarf_end(dwarf);
  }

  void read_units() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      Dwarf_Addr base = 0, start = 0, end = 0;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;)
        if (start < end) units.push_back({start, end, dwarf_dieoffset(&die)});
    }
    std::sort(units.begin(), units.end(),
              [](const Range& a, const Range& b) { return a.start < b.start; });
  }

  bool find_unit(std::uint64_t address, Dwarf_Die& unit) const {
    const auto above =
        std::upper_bound(units.begin(), units.end(), address,
                         [](std::uint64_t at, const Range& each) { return at < each.start; });
    if (above == units.begin() || address >= std::prev(above)->end) return false;
    return dwarf_offdie(dwarf, std::prev(above)->unit, &unit) != nullptr;
  }
};

SourceLines::SourceLines(std::unique_ptr<Parsed> parsed) : parsed_(std::move(parsed)) {}
SourceLines::SourceLines(SourceLines&&) noexcept = default;
SourceLines& SourceLines::operator=(SourceLines&&) noexcept = default;
SourceLines::~SourceLines() = default;

base::Result<SourceLines> SourceLines::open(const std::string& path,
                                            const std::vector<std::string>& debug_folders) {
  auto image = ElfImage::open(path);
  if (!image) return base::fail(image.error().message);
  const auto debug = open_debug_file(*image, path, debug_folders);
  auto parsed = std::make_unique<Parsed>(std::move(*image));
  parsed->file = debug ? debug->duplicate_file() : parsed->image.duplicate_file();
  parsed->dwarf = dwarf_begin(parsed->file.get(), DWARF_C_READ);
  if (parsed->dwarf == nullptr) return base::fail(path + ": no debug information");
  parsed->read_units();
  return SourceLines(std::move(parsed));
}

std::vector<SourceFrame> SourceLines::at(std::uint64_t file_offset) const {
  const auto address = parsed_->image.address_of(file_offset);
  Dwarf_Die unit;
  if (!address || !parsed_->find_unit(*address, unit)) return {};
  SourceFrame frame;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit, *address)) {
    frame.file = text_or_empty(dwarf_linesrc(line, nullptr, nullptr));
    dwarf_lineno(line, &frame.line);
  }
  // The first list goes on with where an inlined function was defined, the second with where it is.
  Scopes found, scopes;
  found.count = dwarf_getscopes(&unit, *address, &found.dies);
  if (found.count > 0) scopes.count = dwarf_getscopes_die(&found.dies[0], &scopes.dies);
  std::vector<SourceFrame> frames;
  for (int i = 0; i < std::min(scopes.count, kMostScopes); ++i) {
    Dwarf_Die* scope = &scopes.dies[i];
    const int tag = dwarf_tag(scope);
    if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine) continue;
    frame.function = function_of(scope);
    frame.is_inlined = tag == DW_TAG_inlined_subroutine;
    frames.push_back(frame);
    if (!frame.is_inlined) return frames;
    frame = {};
    take_call_site(scope, &unit, frame);
  }
  if (frames.empty() && frame.line != 0) frames.push_back(frame);
  return frames;
}

}  // namespace prof::symbols
