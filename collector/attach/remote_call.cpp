#include "collector/attach/remote_call.hpp"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <chrono>
#include <cstring>
#include <initializer_list>
#include <thread>

#include "collector/attach/signal_frame.hpp"
#include "common/base/raw_time.hpp"

namespace prof::attach {

using base::fail;
using ptrace::Registers;
using ptrace::SeizedThread;
using ptrace::State;
using namespace std::chrono_literals;

// mov $15, %rax; syscall
const char kReturnFromHandler[] = "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05";

namespace {

constexpr auto kStepWait = 2s;
constexpr std::uint64_t kRedZone = 128;
// Results of a system call that a signal or prof has interrupted, inside the kernel.
constexpr std::int64_t kRestartSys = -512, kRestartNoIntr = -513, kRestartNoHand = -514,
                       kRestartBlock = -516;

// Offset of the kernel's struct _fpx_sw_bytes, which follows the legacy area.
constexpr std::size_t kVectorInfo = 464;
constexpr std::uint32_t kVectorMagic1 = 0x46505853, kVectorMagic2 = 0x46505845;
struct VectorInfo {
  std::uint32_t magic, all_bytes;
  std::uint64_t features;
  std::uint32_t bytes;
};

// The state of a thread before the call, to be restored after it.
struct Before {
  Registers registers;
  ptrace::VectorRegisters vectors;
  std::uint64_t mask = 0;
};

// Returns registers that restart the interrupted system call. If prof is killed, nobody else makes
// the kernel restart it.
user_regs_struct with_restart(const Registers& registers) {
  user_regs_struct values = registers.values();
  const auto result = static_cast<std::int64_t>(values.rax);
  if (static_cast<std::int64_t>(values.orig_rax) < 0) return values;
  constexpr std::uint64_t kSyscallBytes = 2;
  if (result == kRestartSys || result == kRestartNoIntr || result == kRestartNoHand ||
      result == -EINTR) {
    values.rax = values.orig_rax;
    values.rip -= kSyscallBytes;
  } else if (result == kRestartBlock) {
    values.rax = SYS_restart_syscall;
    values.rip -= kSyscallBytes;
  }
  return values;
}

SignalFrame frame_of(const Before& before, std::uint64_t vectors_at) {
  const user_regs_struct values = with_restart(before.registers);
  SignalFrame frame{};
  constexpr std::uint64_t kHasVectors = 1, kHasStackSegment = 2, kStrictStackSegment = 4;
  frame.flags = kHasVectors | kHasStackSegment | kStrictStackSegment;
  frame.stack.ss_flags = 0x7fff;  // invalid: the kernel leaves the alternate stack alone
  auto& general = frame.registers.gregs;
  const auto set = [&](int index, std::uint64_t value) {
    general[index] = static_cast<greg_t>(value);
  };
  set(REG_R8, values.r8);
  set(REG_R9, values.r9);
  set(REG_R10, values.r10);
  set(REG_R11, values.r11);
  set(REG_R12, values.r12);
  set(REG_R13, values.r13);
  set(REG_R14, values.r14);
  set(REG_R15, values.r15);
  set(REG_RDI, values.rdi);
  set(REG_RSI, values.rsi);
  set(REG_RBP, values.rbp);
  set(REG_RBX, values.rbx);
  set(REG_RDX, values.rdx);
  set(REG_RAX, values.rax);
  set(REG_RCX, values.rcx);
  set(REG_RSP, values.rsp);
  set(REG_RIP, values.rip);
  set(REG_EFL, values.eflags);
  set(REG_CSGSFS, values.cs | (values.ss << 48));
  frame.registers.fpregs = reinterpret_cast<fpregset_t>(vectors_at);
  frame.mask = before.mask;
  return frame;
}

// Returns the vector registers as the kernel writes them into a signal frame: with their size.
std::vector<std::byte> vectors_in_frame(const ptrace::VectorRegisters& vectors) {
  if (vectors.size() < kVectorInfo + sizeof(VectorInfo)) return vectors;
  std::vector<std::byte> bytes = vectors;
  bytes.resize(vectors.size() + sizeof kVectorMagic2);
  VectorInfo info{};
  std::memcpy(&info.features, bytes.data() + kVectorInfo, sizeof info.features);
  info.magic = kVectorMagic1;
  info.bytes = static_cast<std::uint32_t>(vectors.size());
  info.all_bytes = static_cast<std::uint32_t>(bytes.size());
  std::memcpy(bytes.data() + kVectorInfo, &info, sizeof info);
  std::memcpy(bytes.data() + vectors.size(), &kVectorMagic2, sizeof kVectorMagic2);
  return bytes;
}

// Returns a mask that blocks all signals but those that the thread causes itself: a fault must be
// seen.
std::uint64_t all_but_faults() {
  std::uint64_t mask = ~std::uint64_t{0};
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS})
    mask &= ~(std::uint64_t{1} << (signal - 1));
  return mask;
}

class Call {
 public:
  Call(SeizedThread& thread, const TargetMemory& memory, const LibcFunctions& libc)
      : thread_(thread), memory_(memory.memory()), libc_(libc) {}

  base::Result<std::uint64_t> run(const CodePage& page, bool has_room) {
    if (auto saved = save(); !saved) return tl::make_unexpected(saved.error());
    if (has_room) {
      const auto pushed =
          push_frame(before_.registers.stack() - kRedZone, libc_.return_from_handler);
      if (!pushed) return tl::make_unexpected(pushed.error());
    }
    auto result = map_page(has_room);
    if (result) {
      page_at_ = *result;
      result = start(page);
    }
    if (!result && !is_abandoned_) unmap_page();
    const auto restored = restore();
    if (!result) return result;
    if (!restored) return tl::make_unexpected(restored.error());
    return result;
  }

 private:
  base::Status save() {
    auto registers = thread_.registers();
    auto vectors = thread_.vector_registers();
    auto mask = thread_.signal_mask();
    if (!registers) return tl::make_unexpected(registers.error());
    if (!vectors) return tl::make_unexpected(vectors.error());
    if (!mask) return tl::make_unexpected(mask.error());
    before_ = {*registers, std::move(*vectors), *mask};
    return {};
  }

  // Writes a signal frame with all registers below `top`. A function that is called on that stack
  // returns to `return_address`, where rt_sigreturn is called.
  base::Status push_frame(std::uint64_t top, std::uint64_t return_address) {
    const auto vectors = vectors_in_frame(before_.vectors);
    const std::uint64_t vectors_at = (top - vectors.size()) & ~std::uint64_t{63};
    frame_at_ = ((vectors_at - sizeof(SignalFrame)) & ~std::uint64_t{15}) - 8;
    SignalFrame frame = frame_of(before_, vectors_at);
    frame.return_address = return_address;
    if (auto written = memory_.write(vectors_at, std::span<const std::byte>(vectors)); !written)
      return written;
    return memory_.write(frame_at_, frame);
  }

  Registers calling(std::uint64_t function, std::initializer_list<std::uint64_t> arguments) const {
    Registers registers = before_.registers;
    user_regs_struct& values = registers.values();
    unsigned long long* const places[] = {&values.rdi, &values.rsi, &values.rdx,
                                          &values.rcx, &values.r8,  &values.r9};
    std::size_t i = 0;
    for (const std::uint64_t argument : arguments) *places[i++] = argument;
    values.rip = function;
    values.rsp = frame_at_;
    values.rax = 0;
    values.orig_rax = ~0ULL;  // the thread is in no system call
    constexpr std::uint64_t kDirection = 1 << 10;
    values.eflags &= ~kDirection;
    return registers;
  }

  base::Result<std::uint64_t> start(const CodePage& page) {
    if (auto written = memory_.write(page_at_, std::span<const std::byte>(bytes_of(page)));
        !written)
      return tl::make_unexpected(written.error());
    if (auto pushed = push_frame(page_at_ + kMappedBytes, page_at_ + code_places().back); !pushed)
      return tl::make_unexpected(pushed.error());
    const Registers call = calling(
        libc_.pthread_create,
        {page_at_ + offsetof(CodePage, thread), 0, page_at_ + code_places().thread, page_at_});
    if (auto set = thread_.set_registers(call); !set) return tl::make_unexpected(set.error());
    is_on_page_ = true;
    thread_.resume();
    if (auto came = wait_for_return(); !came) return tl::make_unexpected(came.error());
    std::uint32_t error = 0;
    memory_.read(page_at_ + offsetof(CodePage, result), error);
    if (error != 0)
      return fail("the program cannot start another thread (" +
                  std::string(strerror(static_cast<int>(error))) +
                  "): limits of its processes or memory (ulimit -u, -v; pids of its container)");
    return page_at_;
  }

  // Maps the page: with libc's mmap, which returns to the frame, or, without a frame, with the
  // system call.
  base::Result<std::uint64_t> map_page(bool has_frame) {
    if (auto masked = thread_.set_signal_mask(all_but_faults()); !masked)
      return tl::make_unexpected(masked.error());
    const std::initializer_list<std::uint64_t> arguments = {
        0,
        kMappedBytes,
        PROT_READ | PROT_WRITE | PROT_EXEC,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
        ~std::uint64_t{0},
        0};
    auto mapped = has_frame ? up_to_end_of_call(SYS_mmap, calling(libc_.mmap, arguments))
                            : system_call(SYS_mmap, arguments);
    if (mapped && static_cast<std::int64_t>(*mapped) < 0)
      return fail(
          "the program cannot map a page of code: a limit of its memory (ulimit -v), or a security "
          "policy that forbids it (SELinux: execmem)");
    return mapped;
  }

  void unmap_page() {
    if (page_at_ == 0 || !stop() || has_returned()) return;
    is_on_page_ = false;
    static_cast<void>(system_call(SYS_munmap, {page_at_, kMappedBytes}));
  }

  // Only a thread that is stopped on its way back to the program restarts its system call.
  bool stop() {
    // The signal that prof itself has caused.
    if (thread_.state() == State::kSignal) thread_.drop_signal();
    return thread_.stop_again(kStepWait) && thread_.state() != State::kGone;
  }

  // True if pthread_create has returned. If the thread waited too long for prof, it has restored
  // its registers from the frame.
  bool has_returned() const {
    const auto now = thread_.registers();
    return !now || (is_on_page_ && now->stack() - page_at_ > kMappedBytes);
  }

  // Makes the thread call the system. Needs no stack. If prof is killed at this moment, the thread
  // goes on after the call that it was in, which then has another result.
  base::Result<std::uint64_t> system_call(long number,
                                          std::initializer_list<std::uint64_t> arguments) {
    Registers call = before_.registers;
    user_regs_struct& values = call.values();
    unsigned index = 0;
    for (const std::uint64_t argument : arguments) call.set_argument(index++, argument);
    values.rip = system_call_instruction();
    values.rax = static_cast<std::uint64_t>(number);
    values.orig_rax = ~0ULL;
    return up_to_end_of_call(number, call);
  }

  base::Result<std::uint64_t> up_to_end_of_call(long number, const Registers& call) {
    if (auto set = thread_.set_registers(call); !set) return tl::make_unexpected(set.error());
    for (int ends = 0; ends < 2;) {
      thread_.go_to_system_call();
      if (!thread_.wait(kStepWait) || thread_.state() == State::kGone)
        return fail("the program's thread did not go on");
      if (thread_.state() == State::kSystemCall) ++ends;
      if (thread_.state() == State::kSignal) return fail("a signal came in between");
    }
    const auto now = thread_.registers();
    if (!now) return tl::make_unexpected(now.error());
    if (now->system_call() != number) return fail("the program's thread did something else");
    return static_cast<std::uint64_t>(now->result());
  }

  // Returns the address of a system call instruction: that of the call that the thread is in, or
  // one of libc's.
  std::uint64_t system_call_instruction() const {
    const std::uint64_t last = before_.registers.instruction() - Registers::system_call_bytes();
    std::uint32_t code = 0;
    if (before_.registers.system_call() >= 0 && memory_.read(last, code) &&
        Registers::is_system_call(code))
      return last;
    return libc_.return_from_handler + kReturnFromHandlerBytes - Registers::system_call_bytes();
  }

  base::Status wait_for_return() {
    const std::uint64_t end = base::raw_time() + 10'000'000'000;
    while (base::raw_time() < end) {
      std::uint32_t returned = 0;
      if (memory_.read(page_at_ + offsetof(CodePage, returned), returned) && returned != 0)
        return {};
      if (thread_.poll()) {
        if (thread_.state() == State::kGone) return fail("the program has ended");
        if (thread_.state() == State::kSignal) return fail("pthread_create failed in the program");
        thread_.resume();
      }
      std::this_thread::sleep_for(20us);
    }
    // The thread waits for a lock. It gets the lock later, and then restores its registers from the
    // frame.
    is_abandoned_ = true;
    return fail("pthread_create did not return in the program");
  }

  base::Status restore() {
    if (is_abandoned_) return {};
    if (!stop()) return fail("the program's thread did not stop again, or it has ended");
    if (has_returned()) return {};
    // The registers are set last: until then the frame restores everything if prof is killed.
    if (auto set = thread_.set_signal_mask(before_.mask); !set) return set;
    if (auto set = thread_.set_vector_registers(before_.vectors); !set) return set;
    return thread_.set_registers(before_.registers);
  }

  SeizedThread& thread_;
  const ptrace::Memory& memory_;
  const LibcFunctions& libc_;
  Before before_;
  std::uint64_t frame_at_ = 0;
  std::uint64_t page_at_ = 0;
  bool is_on_page_ = false;
  bool is_abandoned_ = false;
};

}  // namespace

base::Result<std::uint64_t> start_thread(SeizedThread& thread, const TargetMemory& memory,
                                         const LibcFunctions& libc, const CodePage& page,
                                         bool has_room) {
  return Call(thread, memory, libc).run(page, has_room);
}

}  // namespace prof::attach
