#include "common/code/unwind/unwinder.hpp"

#include <optional>
#include <span>

namespace prof::unwind {
namespace {

// Walks up one stack, from the innermost frame to the outermost.
class Walk {
 public:
  Walk(const UnwindOptions& options, const ModuleMap& map, std::uint64_t time,
       const Registers& registers, const StackSlice& stack)
      : options_(options), map_(map), time_(time), stack_(stack), registers_(registers) {}

  Stop run(std::vector<Frame>& frames) {
    while (frames.size() < options_.max_frames) {
      frames.push_back({registers_[kProgramCounter], method_, is_exact_});
      if (const auto stop = step()) return *stop;
    }
    return Stop::kDepth;
  }

 private:
  // Goes to the caller's frame. Returns the reason if there is none.
  std::optional<Stop> step() {
    const std::uint64_t address = registers_[kProgramCounter] - (is_exact_ ? 0 : 1);
    const Mapping* mapping = find(address);
    if (mapping == nullptr) return step_over_bad_call();
    if (options_.policy == Policy::kFramePointer) return step_by_frame_pointer();
    if (!mapping->module) return step_in_jit_code(address);
    if (CfiTable* table = mapping->module->frames()) {
      const auto linked = mapping->module->address_of(address - mapping->start + mapping->offset);
      const FrameRules* rules = linked ? table->find(*linked) : nullptr;
      if (rules != nullptr && rules->is_usable) return step_by_rules(*table, *rules);
    }
    if (!kHasSignalFrameInfo && !is_exact_ && mapping->module->path() == "[vdso]")
      return step_over_signal();
    return step_without_frame_info();
  }

  // The frame of a signal has the registers in the order of their numbers.
  std::optional<Stop> step_over_signal() {
    if (!registers_.has(kStackPointer)) return Stop::kUnknownRegister;
    const std::uint64_t first = registers_[kStackPointer] + kRegistersInSignalFrame;
    Registers interrupted;
    for (unsigned i = 0; i < kRegisterCount; ++i) {
      std::uint64_t value = 0;
      if (!stack_.read(first + 8 * i, value)) return why_unreadable(first + 8 * i);
      interrupted.set(i, value);
    }
    return go_to(interrupted, interrupted[kProgramCounter], UnwindMethod::kEhFrame, true);
  }

  std::optional<Stop> step_without_frame_info() {
    if (options_.policy == Policy::kFrameInfo) return Stop::kNoFrame;
    return step_by_frame_pointer();
  }

  std::optional<Stop> step_in_jit_code(std::uint64_t address) {
    if (const auto known = map_.jit().rules(address, time_))
      return step_by_rules(known->table, known->rules);
    const StraightFrame* frame = map_.jit().straight_frame(registers_[kProgramCounter]);
    return frame != nullptr ? step_by_instructions(*frame) : step_without_frame_info();
  }

  std::optional<Stop> step_by_instructions(const StraightFrame& frame) {
    const auto address_of = [&](const SavedAt& saved) {
      return registers_[saved.base] + static_cast<std::uint64_t>(saved.offset);
    };
    const std::uint64_t end = address_of(frame.return_address);
    std::uint64_t return_address = 0;
    if (!registers_.has(frame.return_address.base)) return Stop::kUnknownRegister;
    if (!stack_.read(end, return_address)) return why_unreadable(end);
    Registers caller = registers_;
    caller.known &= kCalleeSaved;
    for (const auto& [index, saved] : std::span(frame.restored, frame.restored_count)) {
      std::uint64_t value = 0;
      caller.forget(index);
      if (stack_.read(address_of(saved), value)) caller.set(index, value);
    }
    caller.set(kStackPointer, end + 8);
    return go_to(caller, return_address, UnwindMethod::kUnknown, false);
  }

  const Mapping* find(std::uint64_t address) {
    if (last_ == nullptr || !last_->holds(address, time_)) last_ = map_.find(address, time_);
    return last_;
  }

  // A call through a null or bad pointer has only stored its return address.
  std::optional<Stop> step_over_bad_call() {
    std::uint64_t return_address = registers_[kReturnAddress];
    const std::uint64_t stack = registers_[kStackPointer];
    if (!is_exact_ || !registers_.has(kStackPointer) || !registers_.has(kReturnAddress) ||
        (kCallsPush && !stack_.read(stack, return_address)))
      return Stop::kBadReturnAddress;
    Registers caller = registers_;
    if (kCallsPush)
      caller.set(kStackPointer, stack + 8);
    else
      caller.forget(kReturnAddress);
    return go_to(caller, return_address, UnwindMethod::kUnknown, false);
  }

  std::optional<Stop> step_by_frame_pointer() {
    const std::uint64_t frame = registers_[kFramePointer];
    if (!registers_.has(kFramePointer)) return Stop::kUnknownRegister;
    // By the ABI, the code that starts a thread sets the frame pointer to 0. The innermost function
    // may use it freely.
    if (frame == 0) return is_exact_ ? Stop::kNoFrame : Stop::kComplete;
    if (registers_.has(kStackPointer) && frame < registers_[kStackPointer]) return Stop::kNoFrame;
    std::uint64_t return_address = 0, outer = 0;
    if ((frame & 7) != 0) return Stop::kNoFrame;
    if (!stack_.read(frame, outer) || !stack_.read(frame + 8, return_address)) {
      const Stop why = why_unreadable(frame + 8);
      return why == Stop::kOutsideStack && !is_on_other_stack_ ? Stop::kNoFrame : why;
    }
    Registers caller;  // other saved registers are unknown
    caller.set(kFramePointer, outer);
    caller.set(kStackPointer, frame + 16);  // this address or a higher one
    return go_to(caller, plain_address(return_address), UnwindMethod::kFramePointer, false);
  }

  std::optional<Stop> step_by_rules(const CfiTable& table, const FrameRules& rules) {
    if (rules.is_outermost) return Stop::kComplete;
    std::uint64_t cfa = 0;
    if (rules.cfa_length > 0) {
      const auto value =
          evaluate(table.operations(rules.cfa_value, rules.cfa_length), registers_, stack_, 0);
      if (!value) return Stop::kExpression;
      cfa = *value;
    } else {
      if (!registers_.has(rules.cfa_register)) return Stop::kUnknownRegister;
      cfa = registers_.values[rules.cfa_register] +
            static_cast<std::uint64_t>(std::int64_t{rules.cfa_value});
    }
    Registers caller = registers_;
    caller.known &= kCalleeSaved;
    caller.set(kStackPointer, cfa);
    missing_ = 0;
    for (const RegisterRule& each : table.registers(rules)) recover(table, each, cfa, caller);
    if (!caller.has(kReturnAddress)) return why_unreadable(missing_ != 0 ? missing_ : cfa);
    if (!rules.is_signal_frame && is_below(caller)) return Stop::kNoProgress;
    const std::uint64_t return_address = plain_address(caller[kReturnAddress]);
    if (!kCallsPush && !rules.is_signal_frame) caller.forget(kReturnAddress);
    return go_to(caller, return_address,
                 rules.is_debug_frame ? UnwindMethod::kDebugFrame : UnwindMethod::kEhFrame,
                 rules.is_signal_frame);
  }

  void recover(const CfiTable& table, const RegisterRule& rule, std::uint64_t cfa,
               Registers& caller) {
    const std::uint64_t near_cfa = cfa + static_cast<std::uint64_t>(std::int64_t{rule.value});
    switch (rule.place) {
      case RuleKind::kAtCfa:
        return recover_from_memory(rule.index, near_cfa, caller);
      case RuleKind::kUnknown:
        break;
      case RuleKind::kSame:
        if (registers_.has(rule.index))
          return caller.set(rule.index, registers_.values[rule.index]);
        break;
      case RuleKind::kCfaPlus:
        return caller.set(rule.index, near_cfa);
      case RuleKind::kRegister:
        if (registers_.has(static_cast<unsigned>(rule.value)))
          return caller.set(rule.index, registers_.values[rule.value]);
        break;
      case RuleKind::kAtExpression:
      case RuleKind::kExpressionValue: {
        const auto value =
            evaluate(table.operations(rule.value, rule.length), registers_, stack_, cfa);
        if (!value) break;
        if (rule.place == RuleKind::kExpressionValue) return caller.set(rule.index, *value);
        return recover_from_memory(rule.index, *value, caller);
      }
    }
    caller.forget(rule.index);
  }

  void recover_from_memory(std::uint8_t index, std::uint64_t address, Registers& caller) {
    std::uint64_t value = 0;
    if (stack_.read(address, value)) return caller.set(index, value);
    // Addresses below the stack pointer are not in the copy. There an epilogue has already popped
    // this register, which compilers do not describe, so the register has the caller's value.
    if (address < registers_[kStackPointer] && registers_.has(index) &&
        (index != kReturnAddress || !kCallsPush))
      return caller.set(index, registers_.values[index]);
    caller.forget(index);
    if (index == kReturnAddress) missing_ = address;
  }

  // True if the caller's frame is not above this one. A function that has pushed nothing has no
  // frame on processors where calls push nothing, but only the innermost function can be such a
  // function.
  bool is_below(const Registers& caller) const {
    if (!registers_.has(kStackPointer)) return false;
    return caller[kStackPointer] < registers_[kStackPointer] ||
           (caller[kStackPointer] == registers_[kStackPointer] && (kCallsPush || !is_exact_));
  }

  Stop why_unreadable(std::uint64_t address) const {
    const bool is_above = stack_.is_beyond(address) && address - stack_.base() < kLargestStack;
    return is_above && !is_on_other_stack_ ? Stop::kTruncated : Stop::kOutsideStack;
  }

  // Goes to the caller. If is_exact is set, the caller was interrupted at `address` and made no
  // call.
  std::optional<Stop> go_to(const Registers& caller, std::uint64_t address, UnwindMethod method,
                            bool is_exact) {
    if (!is_exact) {
      if (address == 0) return Stop::kComplete;
      if (find(address - 1) == nullptr) return Stop::kBadReturnAddress;
      if (is_below(caller)) return Stop::kNoProgress;
    }
    if (is_exact && !stack_.holds(caller[kStackPointer]) &&
        caller[kStackPointer] - registers_[kStackPointer] > kLargestSignalFrame)
      is_on_other_stack_ = true;
    registers_ = caller;
    registers_.set(kProgramCounter, address);
    method_ = method;
    is_exact_ = is_exact;
    return {};
  }

  // A frame that is further up than this belongs to another stack.
  static constexpr std::uint64_t kLargestStack = std::uint64_t{1} << 33;
  // The largest frame of a signal on the stack that it interrupted. It contains all registers.
  static constexpr std::uint64_t kLargestSignalFrame = 1U << 16;

  const UnwindOptions& options_;
  const ModuleMap& map_;
  std::uint64_t time_;
  const StackSlice& stack_;
  Registers registers_;
  UnwindMethod method_ = UnwindMethod::kUnknown;
  bool is_exact_ = true;
  bool is_on_other_stack_ = false;  // a signal handler with a separate stack was passed
  const Mapping* last_ = nullptr;
  std::uint64_t missing_ = 0;  // the unreadable address of the return address
};

}  // namespace

std::string_view describe(Stop stop) {
  switch (stop) {
    case Stop::kComplete:
      return "complete";
    case Stop::kTruncated:
      return "the stack copy ends";
    case Stop::kDepth:
      return "deeper than the limit";
    case Stop::kNoProgress:
      return "the caller's frame is not above";
    case Stop::kBadReturnAddress:
      return "the return address is not in code";
    case Stop::kOutsideStack:
      return "the frame is on another stack";
    case Stop::kNoFrame:
      return "no call frame information and no frame pointer";
    case Stop::kExpression:
      return "call frame information that cannot be evaluated";
    case Stop::kUnknownRegister:
      return "a needed register is unknown";
  }
  return "unknown";
}

void Unwinder::unwind(const ModuleMap& map, std::uint64_t time, const Registers& registers,
                      const StackSlice& stack, CallChain& chain) {
  chain.frames.clear();
  chain.stop = Walk(options_, map, time, registers, stack).run(chain.frames);
}

}  // namespace prof::unwind
