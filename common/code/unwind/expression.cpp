#include "common/code/unwind/expression.hpp"

#include <dwarf.h>

namespace prof::unwind {
namespace {

constexpr std::size_t kStackDepth = 32;
constexpr int kMaxSteps = 256;

using Word = std::uint64_t;
using Signed = std::int64_t;

class Evaluation {
 public:
  Evaluation(const Registers& registers, const StackSlice& stack, Word cfa)
      : registers_(registers), memory_(stack), cfa_(cfa) {}

  std::optional<Word> run(std::span<const Operation> operations) {
    std::size_t at = 0;
    for (int steps = 0; at < operations.size(); ++steps) {
      if (steps == kMaxSteps) return {};
      const Operation& each = operations[at];
      ++at;
      if (each.code == DW_OP_skip || (each.code == DW_OP_bra && pop() != 0))
        at = static_cast<std::size_t>(each.first);
      else if (each.code != DW_OP_bra)
        perform(each);
      if (failed_) return {};
    }
    if (depth_ == 0) return {};
    return stack_[depth_ - 1];
  }

 private:
  void push(Word value) {
    if (depth_ == kStackDepth) {
      failed_ = true;
      return;
    }
    stack_[depth_++] = value;
  }
  Word pop() {
    if (depth_ == 0) {
      failed_ = true;
      return 0;
    }
    return stack_[--depth_];
  }
  void push_copy(std::size_t below_top) {
    if (below_top >= depth_)
      failed_ = true;
    else
      push(stack_[depth_ - 1 - below_top]);
  }
  void push_register(unsigned index, Signed offset) {
    if (!registers_.has(index))
      failed_ = true;
    else
      push(registers_.values[index] + static_cast<Word>(offset));
  }
  void push_memory(Word address, Signed size) {
    Word value = 0;
    if (size < 1 || size > 8 || !memory_.read(address, value)) {
      failed_ = true;
      return;
    }
    push(size == 8 ? value : value & ((Word{1} << (8 * size)) - 1));
  }

  void perform(const Operation& each) {
    if (is_constant(each.code)) return push(static_cast<Word>(each.first));
    if (push_from_outside(each) || rearrange(each) || change_top(each)) return;
    const Word right = pop(), left = pop();
    if (!calculate(each.code, left, right) &&
        !compare(each.code, static_cast<Signed>(left), static_cast<Signed>(right)))
      failed_ = true;
  }

  static bool is_constant(std::uint8_t code) {
    switch (code) {
      case DW_OP_addr:
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts:
        return true;
      default:
        return false;
    }
  }

  // Pushes literals, registers, the CFA and memory. Like the next four functions, it returns false
  // for other kinds of operations.
  bool push_from_outside(const Operation& each) {
    if (each.code >= DW_OP_lit0 && each.code <= DW_OP_lit31)
      return push(each.code - DW_OP_lit0), true;
    if (each.code >= DW_OP_breg0 && each.code <= DW_OP_breg31)
      return push_register(each.code - DW_OP_breg0, each.first), true;
    switch (each.code) {
      case DW_OP_bregx:
        return push_register(to_index(each.first), each.second), true;
      case DW_OP_call_frame_cfa:
        return push(cfa_), true;
      case DW_OP_deref:
        return push_memory(pop(), 8), true;
      case DW_OP_deref_size:
        return push_memory(pop(), each.first), true;
      default:
        return false;
    }
  }

  bool rearrange(const Operation& each) {
    switch (each.code) {
      case DW_OP_nop:
      case DW_OP_stack_value:
        return true;
      case DW_OP_dup:
        return push_copy(0), true;
      case DW_OP_over:
        return push_copy(1), true;
      case DW_OP_pick:
        return push_copy(static_cast<std::size_t>(each.first)), true;
      case DW_OP_drop:
        return pop(), true;
      case DW_OP_swap: {
        const Word top = pop(), below = pop();
        push(top);
        return push(below), true;
      }
      case DW_OP_rot: {
        const Word top = pop(), second = pop(), third = pop();
        push(top);
        push(third);
        return push(second), true;
      }
      default:
        return false;
    }
  }

  bool change_top(const Operation& each) {
    switch (each.code) {
      case DW_OP_plus_uconst:
        return push(pop() + static_cast<Word>(each.first)), true;
      case DW_OP_neg:
        return push(Word{0} - pop()), true;
      case DW_OP_not:
        return push(~pop()), true;
      case DW_OP_abs: {
        const Word value = pop();
        return push(static_cast<Signed>(value) < 0 ? Word{0} - value : value), true;
      }
      default:
        return false;
    }
  }

  bool calculate(std::uint8_t code, Word left, Word right) {
    switch (code) {
      case DW_OP_plus:
        return push(left + right), true;
      case DW_OP_minus:
        return push(left - right), true;
      case DW_OP_mul:
        return push(left * right), true;
      case DW_OP_div:
        return divide(static_cast<Signed>(left), static_cast<Signed>(right)), true;
      case DW_OP_mod:
        return fail_unless(right != 0, right != 0 ? left % right : 0), true;
      case DW_OP_and:
        return push(left & right), true;
      case DW_OP_or:
        return push(left | right), true;
      case DW_OP_xor:
        return push(left ^ right), true;
      case DW_OP_shl:
        return push(right < 64 ? left << right : 0), true;
      case DW_OP_shr:
        return push(right < 64 ? left >> right : 0), true;
      case DW_OP_shra:
        return push(static_cast<Word>(static_cast<Signed>(left) >> (right < 63 ? right : 63))),
               true;
      default:
        return false;
    }
  }

  // Division by -1 is a negation here, because the CPU traps if the quotient does not fit.
  void divide(Signed left, Signed right) {
    if (right == 0 || right == -1)
      return fail_unless(right != 0, Word{0} - static_cast<Word>(left));
    push(static_cast<Word>(left / right));
  }

  bool compare(std::uint8_t code, Signed left, Signed right) {
    switch (code) {
      case DW_OP_eq:
        return push(left == right), true;
      case DW_OP_ne:
        return push(left != right), true;
      case DW_OP_lt:
        return push(left < right), true;
      case DW_OP_le:
        return push(left <= right), true;
      case DW_OP_gt:
        return push(left > right), true;
      case DW_OP_ge:
        return push(left >= right), true;
      default:
        return false;
    }
  }

  void fail_unless(bool fine, Word value) {
    if (fine)
      push(value);
    else
      failed_ = true;
  }

  static unsigned to_index(Signed number) {
    return number >= 0 && number < kRegisterCount ? static_cast<unsigned>(number) : kRegisterCount;
  }

  const Registers& registers_;
  const StackSlice& memory_;
  Word cfa_;
  Word stack_[kStackDepth] = {};
  std::size_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<std::uint64_t> evaluate(std::span<const Operation> operations,
                                      const Registers& registers, const StackSlice& stack,
                                      std::uint64_t cfa) {
  return Evaluation(registers, stack, cfa).run(operations);
}

}  // namespace prof::unwind
