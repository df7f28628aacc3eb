#include "common/code/unwind/straight_code.hpp"

#include <array>
#include <cstring>
#include <vector>

namespace prof::unwind {
namespace {

// The registers by their numbers in instructions.
constexpr std::array<Register, 16> kInInstructions = {
    kRax, kRcx, kRdx, kRbx, kRsp, kRbp, kRsi, kRdi, kR8, kR9, kR10, kR11, kR12, kR13, kR14, kR15};

bool is_callee_saved(Register index) { return (kCalleeSaved >> index & 1) != 0; }

class StraightCode {
 public:
  explicit StraightCode(std::span<const std::byte> code) : left_(code) {}

  std::optional<StraightFrame> follow() {
    while (!has_returned_)
      if (!step()) return {};
    if (stack_.base == kRsp && stack_.offset < 0) return {};
    frame_.return_address = stack_;
    return frame_;
  }

 private:
  // Follows one instruction. Returns false if its effect is not known.
  bool step() {
    for (const auto& [length, bytes] : kWithoutEffect)
      if (skip(bytes, length)) return true;
    if (skip("\xc3", 1) || skip("\xf2\xc3", 2)) return has_returned_ = true;
    if (skip("\xc9", 1)) return leave();
    if (skip("\x48\x89\xe5", 3) || skip("\x48\x8b\xec", 3)) return copy_to_frame_pointer();
    if (skip("\x48\x83\xc4", 3)) return add(take_number<std::int8_t>());
    if (skip("\x48\x81\xc4", 3)) return add(take_number<std::int32_t>());
    if (skip("\x48\x83\xec", 3)) return subtract(take_number<std::int8_t>());
    if (skip("\x48\x81\xec", 3)) return subtract(take_number<std::int32_t>());
    if (skip("\xe8", 1)) return take_number<std::int32_t>().has_value();
    return call_by_register() || push_or_pop();
  }

  bool skip(const char* bytes, std::size_t length) {
    if (left_.size() < length || std::memcmp(left_.data(), bytes, length) != 0) return false;
    left_ = left_.subspan(length);
    return true;
  }
  template <class T>
  std::optional<std::int64_t> take_number() {
    T number;
    if (left_.size() < sizeof number) return {};
    std::memcpy(&number, left_.data(), sizeof number);
    left_ = left_.subspan(sizeof number);
    return number;
  }
  std::uint8_t at(std::size_t index) const {
    return index < left_.size() ? static_cast<std::uint8_t>(left_[index]) : 0;
  }

  bool add(std::optional<std::int64_t> bytes) {
    if (!bytes) return false;
    stack_.offset += *bytes;
    pushed_.clear();
    return true;
  }
  bool subtract(std::optional<std::int64_t> bytes) { return bytes && add(-*bytes); }

  // Assumes that a called function returns with the same stack pointer and callee-saved registers.
  bool call_by_register() {
    const std::size_t prefix = at(0) == 0x41 ? 1 : 0;
    if (at(prefix) != 0xff || (at(prefix + 1) & 0xf8) != 0xd0) return false;
    left_ = left_.subspan(prefix + 2);
    return true;
  }

  bool push_or_pop() {
    const std::size_t prefix = at(0) == 0x41 ? 1 : 0;
    const std::uint8_t code = at(prefix);
    const Register index = kInInstructions[(code & 7) + (prefix != 0 ? 8 : 0)];
    if ((code & 0xf0) != 0x50 || index == kRsp) return false;
    left_ = left_.subspan(prefix + 1);
    return (code & 8) != 0 ? pop(index) : push(index);
  }
  bool push(Register index) {
    stack_.offset -= 8;
    pushed_.push_back(index);
    return true;
  }
  bool pop(Register index) {
    const SavedAt from = stack_;
    stack_.offset += 8;
    if (!pushed_.empty()) {
      const Register pushed = pushed_.back();
      pushed_.pop_back();
      return pushed == index;
    }
    if (from.base == kRsp && from.offset < 0) return false;  // pushed later than the address
    if (is_callee_saved(index)) restore(index, from);
    return true;
  }
  void restore(Register index, SavedAt from) {
    if (index == kRbp) frame_pointer_is_ours_ = false;
    for (std::size_t i = 0; i < frame_.restored_count; ++i)
      if (frame_.restored[i].first == index) {
        frame_.restored[i].second = from;
        return;
      }
    frame_.restored[frame_.restored_count++] = {index, from};
  }

  bool copy_to_frame_pointer() {
    frame_pointer_ = stack_;
    frame_pointer_is_ours_ = true;
    pushed_below_frame_ = pushed_;
    return true;
  }
  bool leave() {
    stack_ = frame_pointer_is_ours_ ? frame_pointer_ : SavedAt{kRbp, 0};
    pushed_ = frame_pointer_is_ours_ ? pushed_below_frame_ : std::vector<Register>{};
    return pop(kRbp);
  }

  struct Instruction {
    std::size_t length;
    const char* bytes;
  };
  static constexpr Instruction kWithoutEffect[] = {
      {4, "\xf3\x0f\x1e\xfa"},  // endbr64
      {3, "\xc5\xf8\x77"},      // vzeroupper
      {3, "\x0f\x1f\x00"},      // nops of several lengths
      {4, "\x0f\x1f\x40\x00"}, {5, "\x0f\x1f\x44\x00\x00"}, {2, "\x66\x90"}, {1, "\x90"},
  };

  std::span<const std::byte> left_;
  StraightFrame frame_;
  SavedAt stack_{kRsp, 0};  // the stack pointer, relative to a register's current value
  std::vector<Register> pushed_;
  // The value to which an instruction has set the frame pointer.
  SavedAt frame_pointer_;
  std::vector<Register> pushed_below_frame_;
  bool frame_pointer_is_ours_ = false;
  bool has_returned_ = false;
};

}  // namespace

std::optional<StraightFrame> follow_straight_code(std::span<const std::byte> code) {
  return StraightCode(code).follow();
}

}  // namespace prof::unwind
