#include "common/code/symbols/source_lines.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/base/unique_fd.hpp"
#include "common/code/demangle/demangle_function.hpp"
#include "common/code/symbols/debug_files.hpp"

namespace prof::symbols {
namespace {

// Only a damaged file has deeper scopes.
constexpr std::size_t kMaxScopes = 1000;

std::string function_of(Dwarf_Die* scope) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name}) {
    const char* text = dwarf_formstring(dwarf_attr_integrate(scope, name, &attribute));
    if (text != nullptr) return demangle::demangle_function(text);
  }
  return {};
}

// Compilers write file names in the form of the command line, relative to their working directory.
std::string file_of(Dwarf_Die* unit, const char* name) {
  if (name == nullptr || name[0] == '/') return name != nullptr ? name : std::string();
  Dwarf_Attribute attribute;
  const char* folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  return folder != nullptr ? std::string(folder) + '/' + name : name;
}

int number_of(Dwarf_Die* scope, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr(scope, name, &attribute), &value) != 0 || value > 1U << 30)
    return 0;
  return static_cast<int>(value);
}

// Copies the place where an inlined function was called to the frame of its caller.
void take_call_site(Dwarf_Die* scope, Dwarf_Die* unit, SourceFrame& caller) {
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  const auto index = static_cast<std::size_t>(number_of(scope, DW_AT_call_file));
  caller.line = number_of(scope, DW_AT_call_line);
  if (dwarf_getsrcfiles(unit, &files, &count) == 0 && index < count)
    caller.file = file_of(unit, dwarf_filesrc(files, index, nullptr, nullptr));
}

struct Range {
  std::uint64_t start = 0, end = 0;
  Dwarf_Die die;
};
using Ranges = std::vector<Range>;

void add_ranges(Dwarf_Die* die, Ranges& ranges) {
  Dwarf_Addr base = 0, start = 0, end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
    if (start < end) ranges.push_back({start, end, *die});
}

void sort(Ranges& ranges) { std::ranges::stable_sort(ranges, {}, &Range::start); }

bool find(const Ranges& ranges, std::uint64_t address, Dwarf_Die& die) {
  const auto above = std::ranges::upper_bound(ranges, address, {}, &Range::start);
  if (above == ranges.begin() || address >= std::prev(above)->end) return false;
  die = std::prev(above)->die;
  return true;
}

// Returns the unit that has the functions. With -gsplit-dwarf it is in a separate file.
Dwarf_Die functions_of(Dwarf_Die unit) {
  Dwarf_Die split;
  std::uint8_t type = 0;
  if (dwarf_cu_info(unit.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      type == DW_UT_skeleton && split.addr != nullptr)
    return split;
  return unit;
}

// Calls `visit(child)` for each child until `visit` returns true.
template <class Visit>
bool any_child(Dwarf_Die* parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return false;
  for (Dwarf_Off before = 0;
       dwarf_dieoffset(&child) > before;) {  // offsets grow, so a cycle ends the loop
    before = dwarf_dieoffset(&child);
    Dwarf_Die next;
    const bool is_last = dwarf_siblingof(&child, &next) != 0;
    if (visit(&child)) return true;
    if (is_last) return false;
    child = next;
  }
  return false;
}

bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_subprogram:  // may contain classes and, in some languages, functions
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
      return true;
    default:
      return false;
  }
}

void add_functions(Dwarf_Die* parent, Ranges& functions, std::size_t depth = 0) {
  if (depth == kMaxScopes) return;
  any_child(parent, [&](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    if (tag == DW_TAG_subprogram) add_ranges(child, functions);
    if (may_hold_functions(tag)) add_functions(child, functions, depth + 1);
    return false;
  });
}

// Returns the blocks and inlined functions at the address, innermost first, and the function last.
std::vector<Dwarf_Die> scopes_at(Dwarf_Die function, std::uint64_t address) {
  std::vector<Dwarf_Die> scopes{function};
  const auto enters = [&](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) return false;
    if (dwarf_haspc(child, address) != 1) return false;
    scopes.push_back(*child);
    return true;
  };
  for (Dwarf_Die at = function; scopes.size() < kMaxScopes && any_child(&at, enters);)
    at = scopes.back();
  std::ranges::reverse(scopes);
  return scopes;
}

}  // namespace

struct SourceLines::Parsed {
  ElfImage image;  // queries have offsets in this file
  base::UniqueFd file;
  Dwarf* dwarf = nullptr;
  Ranges units;  // sorted; clang writes no .debug_aranges
  // The sorted functions of each unit that was queried, because walking a unit for each address is
  // slow.
  std::unordered_map<Dwarf_Off, Ranges> functions;

  explicit Parsed(ElfImage of) : image(std::move(of)) {}
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;
  ~Parsed() {
    if (dwarf != nullptr) dwarf_end(dwarf);
  }

  void read_units() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
      add_ranges(&die, units);
    sort(units);
  }

  // Finds the function at an address, and the unit to which the function's file numbers refer.
  bool find_function(std::uint64_t address, Dwarf_Die& unit, Dwarf_Die& function) {
    const auto [known, is_new] = functions.try_emplace(dwarf_dieoffset(&unit));
    unit = functions_of(unit);
    if (is_new) {
      add_functions(&unit, known->second);
      sort(known->second);
    }
    return find(known->second, address, function);
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
  if (!address || !find(parsed_->units, *address, unit)) return {};
  SourceFrame frame;
  if (Dwarf_Line* line = dwarf_getsrc_die(&unit, *address)) {
    frame.file = file_of(&unit, dwarf_linesrc(line, nullptr, nullptr));
    dwarf_lineno(line, &frame.line);
  }
  std::vector<SourceFrame> frames;
  Dwarf_Die function;
  if (parsed_->find_function(*address, unit, function)) {
    for (Dwarf_Die& scope : scopes_at(function, *address)) {
      const int tag = dwarf_tag(&scope);
      if (tag == DW_TAG_lexical_block) continue;
      frame.function = function_of(&scope);
      frame.is_inlined = tag == DW_TAG_inlined_subroutine;
      frames.push_back(std::exchange(frame, {}));
      if (tag == DW_TAG_inlined_subroutine) take_call_site(&scope, &unit, frame);
    }
  }
  if (frames.empty() && frame.line != 0) frames.push_back(frame);
  return frames;
}

}  // namespace prof::symbols
