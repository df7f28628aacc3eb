#include "common/code/cubin/line_program.hpp"

#include <algorithm>
#include <limits>

#include "common/code/cubin/byte_reader.hpp"

namespace prof::cubin {
namespace {

// No real cubin has more rows or files. A damaged one must not take all memory.
constexpr std::size_t kMaxRows = std::size_t{1} << 25;
constexpr std::size_t kMaxFiles = std::size_t{1} << 20;

constexpr std::uint8_t kCopy = 1, kAdvancePc = 2, kAdvanceLine = 3, kSetFile = 4, kConstAddPc = 8,
                       kFixedAdvancePc = 9;
constexpr std::uint8_t kEndSequence = 1, kSetAddress = 2, kDefineFile = 3, kInlinedCall = 0x90;
constexpr std::size_t kStandardOpcodes = 10;

}  // namespace

// Runs the programs of a section one after the other.
class LineDecoder {
 public:
  LineDecoder(LineProgram& result, std::span<const std::byte> section,
              std::span<const LineAddress> addresses)
      : result_(result), section_(section), addresses_(addresses) {}

  void run() {
    for (std::size_t at = 0; at < section_.size();) {
      ByteReader length(section_.subspan(at));
      const auto size = length.fixed<std::uint32_t>();
      // Larger numbers announce 64-bit DWARF, which the compilers of CUDA do not write.
      if (!length.is_good() || size > section_.size() - at - sizeof size) return;
      program(at + sizeof size, size);
      at += sizeof size + size;
    }
  }

 private:
  void program(std::size_t start, std::size_t size) {
    ByteReader reader(section_.subspan(start, size));
    const auto version = reader.fixed<std::uint16_t>();
    const auto header_size = reader.fixed<std::uint32_t>();
    if (!reader.is_good() || version < 2 || version > 4 || header_size > reader.left()) return;
    const std::size_t program_at = reader.at() + header_size;
    min_instruction_ = reader.fixed<std::uint8_t>();
    if (version >= 4) reader.fixed<std::uint8_t>();  // operations in an instruction
    reader.fixed<std::uint8_t>();                    // rows are statements
    const int line_base = reader.fixed<std::uint8_t>();
    line_base_ = line_base < 128 ? line_base : line_base - 256;
    line_range_ = reader.fixed<std::uint8_t>();
    opcode_base_ = reader.fixed<std::uint8_t>();
    operands_.assign(opcode_base_, 0);
    for (std::size_t i = 1; i < opcode_base_; ++i) operands_[i] = reader.fixed<std::uint8_t>();
    if (!reader.is_good() || line_range_ == 0 || opcode_base_ == 0) return;
    read_files(reader);
    reader.seek(program_at);
    begin_sequence();
    while (reader.left() > 0 && reader.is_good() && step(reader, start)) {
    }
  }

  void read_files(ByteReader& reader) {
    folders_.assign(1, {});  // number 0: the working directory, which is not recorded
    for (std::string_view each; !(each = reader.text()).empty();) folders_.push_back(each);
    first_file_ = result_.files_.size();
    result_.files_.emplace_back();  // number 0 does not exist
    for (std::string_view each; !(each = reader.text()).empty();) add_file(each, reader);
  }

  void add_file(std::string_view name, ByteReader& reader) {
    const std::uint64_t folder = reader.unsigned_leb();
    reader.unsigned_leb();  // time of the last change
    reader.unsigned_leb();  // size
    if (result_.files_.size() >= kMaxFiles) return;
    result_.files_.push_back(
        {folder < folders_.size() ? folders_[folder] : std::string_view(), name});
  }

  void begin_sequence() {
    offset_ = 0;
    section_number_ = 0;
    line_ = 1;
    file_ = 1;
    caller_ = function_ = 0;
    sequence_ = run_ = result_.rows_.size();
  }

  bool advance(std::uint64_t operations) {
    constexpr std::uint64_t kFarthest = std::uint64_t{1} << 40;
    if (operations > kFarthest || offset_ > kFarthest) return false;
    offset_ += operations * min_instruction_;
    return true;
  }

  bool emit() {
    if (result_.rows_.size() >= kMaxRows) return false;
    const std::uint64_t file = first_file_ + file_;
    LineRow row{offset_, 0, line_, 0, function_};
    if (file_ != 0 && file < result_.files_.size()) row.file = static_cast<std::uint32_t>(file);
    // The call site is the number of a row of this sequence, from 1 on.
    if (caller_ != 0 && caller_ <= result_.rows_.size() - sequence_)
      row.caller = static_cast<std::uint32_t>(sequence_ + caller_);
    result_.rows_.push_back(row);
    return true;
  }

  void end_run(std::uint64_t end) {
    if (section_number_ != 0 && run_ < result_.rows_.size())
      result_.add_run(section_number_,
                      {result_.rows_[run_].offset, end, run_, result_.rows_.size()});
    run_ = result_.rows_.size();
  }

  bool step(ByteReader& reader, std::size_t start) {
    const auto opcode = reader.fixed<std::uint8_t>();
    if (opcode >= opcode_base_) {
      const unsigned adjusted = opcode - opcode_base_;
      move_line(line_base_ + static_cast<int>(adjusted % line_range_));
      return advance(adjusted / line_range_) && emit();
    }
    switch (opcode) {
      case 0:
        return extended(reader, start);
      case kCopy:
        return emit();
      case kAdvancePc:
        return advance(reader.unsigned_leb());
      case kAdvanceLine:
        move_line(reader.signed_leb());
        return true;
      case kSetFile:
        file_ = reader.unsigned_leb();
        if (file_ > kMaxFiles) file_ = 0;
        return true;
      case kConstAddPc:
        return advance((255U - opcode_base_) / line_range_);
      case kFixedAdvancePc:
        // The header of NVIDIA's compilers says that this opcode has one operand, as the standard.
        return advance(reader.fixed<std::uint16_t>());
      default:
        for (unsigned left = operands_[opcode]; left > 0; --left) reader.unsigned_leb();
        return true;
    }
  }

  /// A line that no file can have becomes 0, "unknown".
  void move_line(std::int64_t lines) {
    constexpr std::int64_t kMaxLine = std::numeric_limits<std::int32_t>::max();
    const bool is_near = -kMaxLine <= lines && lines <= kMaxLine;
    const std::int64_t line = is_near ? line_ + lines : 0;
    line_ = line < 0 || line > kMaxLine ? 0 : static_cast<std::uint32_t>(line);
  }

  bool extended(ByteReader& reader, std::size_t start) {
    const std::uint64_t size = reader.unsigned_leb();
    if (size == 0 || size > reader.left()) return false;
    const std::size_t next = reader.at() + size;
    switch (reader.fixed<std::uint8_t>()) {
      case kEndSequence:
        end_run(offset_);
        begin_sequence();
        break;
      case kSetAddress:
        end_run(std::numeric_limits<std::uint64_t>::max());
        set_address(reader, start + reader.at());
        break;
      case kDefineFile: {
        const std::string_view name = reader.text();
        add_file(name, reader);
        break;
      }
      case kInlinedCall:
        inlined_call(reader);
        break;
      default:
        break;
    }
    reader.seek(next);
    return reader.is_good();
  }

  void set_address(ByteReader& reader, std::size_t place) {
    const auto found = std::ranges::lower_bound(addresses_, place, {}, &LineAddress::place);
    section_number_ = 0;
    offset_ = 0;
    if (found == addresses_.end() || found->place != place) return;
    section_number_ = found->section;
    offset_ = found->offset + (found->adds_stored ? reader.fixed<std::uint64_t>() : 0);
  }

  void inlined_call(ByteReader& reader) {
    const std::uint64_t row = reader.unsigned_leb();
    const std::uint64_t name = reader.unsigned_leb();
    caller_ = row < kMaxRows ? static_cast<std::uint32_t>(row) : 0;
    function_ =
        name < std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(name) : 0;
  }

  LineProgram& result_;
  std::span<const std::byte> section_;
  std::span<const LineAddress> addresses_;

  // Of the program's header.
  unsigned min_instruction_ = 1;
  int line_base_ = 0;
  unsigned line_range_ = 1, opcode_base_ = kStandardOpcodes;
  std::vector<std::uint8_t> operands_;
  std::vector<std::string_view> folders_;
  std::size_t first_file_ = 0;

  // The registers of the program.
  std::uint64_t offset_ = 0;
  std::uint32_t section_number_ = 0;  // 0: unknown
  std::uint64_t file_ = 1;
  std::uint32_t line_ = 1, caller_ = 0, function_ = 0;
  std::size_t sequence_ = 0, run_ = 0;  // their first rows
};

void LineProgram::decode(std::span<const std::byte> debug_line,
                         std::span<const LineAddress> addresses) {
  LineDecoder(*this, debug_line, addresses).run();
  for (auto& [section, runs] : runs_) std::ranges::stable_sort(runs, {}, &Run::start);
}

void LineProgram::add_run(std::uint32_t section, const Run& run) {
  if (run.start < run.end) runs_[section].push_back(run);
}

const LineRow* LineProgram::find(std::uint32_t section, std::uint64_t offset) const {
  const auto runs = runs_.find(section);
  if (runs == runs_.end()) return nullptr;
  const auto run = std::ranges::upper_bound(runs->second, offset, {}, &Run::start);
  if (run == runs->second.begin() || offset >= std::prev(run)->end) return nullptr;
  const std::span rows(rows_.data() + std::prev(run)->first,
                       std::prev(run)->last - std::prev(run)->first);
  return &*std::prev(std::ranges::upper_bound(rows, offset, {}, &LineRow::offset));
}

const LineRow* LineProgram::caller_of(const LineRow& row) const {
  return row.caller != 0 ? &rows_[row.caller - 1] : nullptr;
}

std::string LineProgram::file(std::uint32_t number) const {
  if (number == 0 || number >= files_.size()) return {};
  const File& file = files_[number];
  if (file.folder.empty() || file.name.starts_with('/')) return std::string(file.name);
  std::string path(file.folder);
  path += '/';
  return path += file.name;
}

}  // namespace prof::cubin
