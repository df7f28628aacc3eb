#include "common/code/unwind/cfi_source.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>

#include "common/base/machine.hpp"

namespace prof::unwind {
namespace {

using symbols::Bytes;
using symbols::Section;

// .eh_frame_hdr starts with version 1 and, in the form that linkers write, the distance to
// .eh_frame.
constexpr std::byte kPcRelative4{DW_EH_PE_pcrel | DW_EH_PE_sdata4};

void find_by_segment(const symbols::ElfImage& image, FrameSections& sections) {
  sections.header = image.frame_header_segment();
  const Bytes& bytes = sections.header.bytes;
  if (bytes.size() < 8 || bytes[0] != std::byte{1} || bytes[1] != kPcRelative4) return;
  std::int32_t distance = 0;
  std::memcpy(&distance, &bytes[4], sizeof distance);
  const std::uint64_t address =
      sections.header.address + 4 + static_cast<std::uint64_t>(std::int64_t{distance});
  sections.eh_frame = image.bytes_at(address, std::numeric_limits<std::uint64_t>::max());
}

// Builds an ELF file in memory with only the given sections.
class TinyElf {
 public:
  explicit TinyElf(const FrameSections& sections) {
    image_.reserve(sections.size() + 1024);  // avoids reallocations of megabytes
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = base::kElfMachine;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    append(std::as_bytes(std::span(&header, 1)));
    add(".eh_frame_hdr", sections.header, SHF_ALLOC);
    add(".eh_frame", sections.eh_frame, SHF_ALLOC);
    add(".debug_frame", sections.debug_frame, 0);
    const Section no_content;
    add(".shstrtab", no_content, 0);
    headers_.back().sh_type = SHT_STRTAB;
    headers_.back().sh_size = names_.size();
    append(std::as_bytes(std::span(names_)));
    image_.resize((image_.size() + 7) & ~std::size_t{7});
    header.e_shoff = image_.size();
    header.e_shnum = static_cast<Elf64_Half>(headers_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers_.size() - 1);
    append(std::as_bytes(std::span(headers_)));
    std::memcpy(image_.data(), &header, sizeof header);
  }
  Bytes take() { return std::move(image_); }

 private:
  void append(std::span<const std::byte> bytes) {
    image_.insert(image_.end(), bytes.begin(), bytes.end());
  }
  void add(std::string_view name, const Section& section, std::uint64_t flags) {
    if (!section.is_there() && name != ".shstrtab") return;
    image_.resize((image_.size() + 7) & ~std::size_t{7});
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names_.size());
    header.sh_type = SHT_PROGBITS;
    header.sh_flags = flags;
    header.sh_addr = section.address;
    header.sh_offset = image_.size();
    header.sh_size = section.bytes.size();
    header.sh_addralign = 1;
    headers_.push_back(header);
    names_.append(name).push_back('\0');
    append(section.bytes);
  }

  Bytes image_;
  std::string names_ = std::string(1, '\0');
  std::vector<Elf64_Shdr> headers_ = std::vector<Elf64_Shdr>(1);
};

bool fits(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

// Converts a branch from a byte distance to the index of an operation. Returns false if there is
// none.
bool resolve_branch(const Dwarf_Op* ops, std::size_t count, const Dwarf_Op& branch,
                    std::int64_t& target) {
  const std::uint64_t offset =
      branch.offset + 3 +
      static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(branch.number)});
  for (std::size_t i = 0; i < count; ++i)
    if (ops[i].offset == offset && ops[i].atom != DW_OP_call_frame_cfa) {
      target = static_cast<std::int64_t>(i);
      return true;
    }
  return false;
}

// Appends an expression to the row's operations. Returns false if it could not be evaluated.
bool add_expression(FrameRow& row, const Dwarf_Op* ops, std::size_t count, std::int32_t& first,
                    std::uint8_t& length) {
  if (count == 0 || count > kMaxOperations) return false;
  first = static_cast<std::int32_t>(row.operations.size());
  length = static_cast<std::uint8_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    Operation operation{ops[i].atom, static_cast<std::int64_t>(ops[i].number),
                        static_cast<std::int64_t>(ops[i].number2)};
    if ((ops[i].atom == DW_OP_bra || ops[i].atom == DW_OP_skip) &&
        !resolve_branch(ops, count, ops[i], operation.first))
      return false;
    row.operations.push_back(operation);
  }
  return true;
}

bool add_cfa(FrameRow& row, Dwarf_Frame* frame) {
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame, &ops, &count) != 0 || ops == nullptr || count == 0) return false;
  if (count == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < kRegisterCount &&
      fits(static_cast<std::int64_t>(ops[0].number2))) {
    row.rules.cfa_register = static_cast<std::uint8_t>(ops[0].number);
    row.rules.cfa_value = static_cast<std::int32_t>(ops[0].number2);
    return true;
  }
  return add_expression(row, ops, count, row.rules.cfa_value, row.rules.cfa_length);
}

// Handles the rules CFA and CFA + n, each as an address or as a value. libdw writes every rule as
// an expression: one of these, or a general one.
bool add_cfa_relative(RegisterRule& rule, const Dwarf_Op* ops, std::size_t count) {
  if (count == 0 || ops[0].atom != DW_OP_call_frame_cfa) return false;
  std::size_t at = 1;
  std::int64_t offset = 0;
  if (at < count && ops[at].atom == DW_OP_plus_uconst)
    offset = static_cast<std::int64_t>(ops[at++].number);
  rule.place = RuleKind::kAtCfa;
  if (at < count && ops[at].atom == DW_OP_stack_value) {
    rule.place = RuleKind::kCfaPlus;
    ++at;
  }
  rule.value = static_cast<std::int32_t>(offset);
  return at == count && fits(offset);
}

void add_register(FrameRow& row, Dwarf_Frame* frame, std::uint8_t index) {
  Dwarf_Op memory[3];
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  RegisterRule rule{index};
  if (dwarf_frame_register(frame, index, memory, &ops, &count) != 0) count = 0, ops = memory;
  if (count == 0) {
    // There is no rule, or only the ABI's default. libdw 0.188 has a wrong default for rbx on
    // x86-64: it looks undefined in every prologue. So "undefined" counts only for the return
    // address.
    if (index != kReturnAddress) return;
    rule.place = ops == nullptr ? RuleKind::kSame : RuleKind::kUnknown;
  } else if (count == 1 && ops[0].atom == DW_OP_regx && ops[0].number < kRegisterCount) {
    rule.place = RuleKind::kRegister;
    rule.value = static_cast<std::int32_t>(ops[0].number);
  } else if (count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom < DW_OP_reg0 + kRegisterCount) {
    rule.place = RuleKind::kRegister;
    rule.value = ops[0].atom - DW_OP_reg0;
  } else if (!add_cfa_relative(rule, ops, count)) {
    rule.place = ops[count - 1].atom == DW_OP_stack_value ? RuleKind::kExpressionValue
                                                          : RuleKind::kAtExpression;
    if (!add_expression(row, ops, count, rule.value, rule.length)) rule.place = RuleKind::kUnknown;
  }
  if (index == kStackPointer && rule.place == RuleKind::kCfaPlus && rule.value == 0)
    return;  // the same as the ABI's default
  row.registers.push_back(rule);
}

}  // namespace

FrameSections FrameSections::of(const symbols::ElfImage& image) {
  FrameSections sections;
  sections.eh_frame = image.section(".eh_frame");
  sections.header = image.section(".eh_frame_hdr");
  if (!sections.eh_frame.is_there()) find_by_segment(image, sections);
  sections.debug_frame = image.section(".debug_frame");
  return sections;
}

struct CfiSource::Parsed {
  Bytes image;
  Elf* elf = nullptr;
  Dwarf* dwarf = nullptr;
  Dwarf_CFI* eh_frame = nullptr;
  Dwarf_CFI* debug_frame = nullptr;  // owned by dwarf

  explicit Parsed(const FrameSections& sections) : image(TinyElf(sections).take()) {
    elf_version(EV_CURRENT);
    elf = elf_memory(reinterpret_cast<char*>(image.data()), image.size());
    if (elf == nullptr) return;
    if (sections.eh_frame.is_there()) eh_frame = dwarf_getcfi_elf(elf);
    if (!sections.debug_frame.is_there()) return;
    dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
    if (dwarf != nullptr) debug_frame = dwarf_getcfi(dwarf);
  }
  Parsed(const Parsed&) = delete;
  Parsed& operator=(const Parsed&) = delete;
  ~Parsed() {
    if (eh_frame != nullptr) dwarf_cfi_end(eh_frame);
    if (dwarf != nullptr) dwarf_end(dwarf);
    if (elf != nullptr) elf_end(elf);
  }
};

CfiSource::CfiSource(const FrameSections& sections) : parsed_(std::make_unique<Parsed>(sections)) {}
CfiSource::CfiSource(CfiSource&&) noexcept = default;
CfiSource& CfiSource::operator=(CfiSource&&) noexcept = default;
CfiSource::~CfiSource() = default;

std::size_t CfiSource::memory() const { return parsed_->image.size(); }

std::optional<FrameRow> CfiSource::find(std::uint64_t address) const {
  for (Dwarf_CFI* each : {parsed_->eh_frame, parsed_->debug_frame}) {
    Dwarf_Frame* found = nullptr;
    if (each == nullptr || dwarf_cfi_addrframe(each, address, &found) != 0) continue;
    const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> frame(found, &std::free);
    FrameRow row;
    Dwarf_Addr start = 0, end = 0;
    bool is_signal = false;
    if (dwarf_frame_info(found, &start, &end, &is_signal) != kReturnAddress) continue;
    if (address < start || address >= end || !add_cfa(row, found)) continue;
    row.end = end;
    for (std::uint8_t index = 0; index < kRegisterCount; ++index) add_register(row, found, index);
    row.rules.is_outermost = std::ranges::any_of(row.registers, [](const RegisterRule& rule) {
      return rule.index == kReturnAddress && rule.place == RuleKind::kUnknown;
    });
    row.rules.is_signal_frame = is_signal;
    row.rules.is_debug_frame = each == parsed_->debug_frame;
    row.rules.is_usable = true;
    return row;
  }
  return {};
}

}  // namespace prof::unwind
