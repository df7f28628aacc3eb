#include "collector/ptrace/registers.hpp"

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

namespace prof::ptrace {

namespace {

// More than the vector registers of any processor: AMX alone takes 8 KiB.
constexpr std::size_t kMaxVectorBytes = 64 * 1024;

base::Result<std::size_t> get_set(pid_t thread, int set, void* into, std::size_t bytes) {
  iovec room{into, bytes};
  if (::ptrace(PTRACE_GETREGSET, thread, set, &room) != 0)
    return base::fail_errno("cannot read the registers of thread " + std::to_string(thread), errno);
  return room.iov_len;
}

base::Status put_set(pid_t thread, int set, const void* from, std::size_t bytes) {
  iovec room{const_cast<void*>(from), bytes};
  if (::ptrace(PTRACE_SETREGSET, thread, set, &room) != 0)
    return base::fail_errno("cannot write the registers of thread " + std::to_string(thread),
                            errno);
  return {};
}

}  // namespace

base::Result<Registers> read_registers(pid_t thread) {
  Registers registers;
  const auto bytes = get_set(thread, NT_PRSTATUS, &registers.values(), sizeof registers.values());
  if (!bytes) return tl::make_unexpected(bytes.error());
  // A 32-bit program has smaller registers.
  if (*bytes != sizeof registers.values())
    return base::fail("thread " + std::to_string(thread) + " runs 32-bit code");
  return registers;
}

base::Status write_registers(pid_t thread, const Registers& registers) {
  return put_set(thread, NT_PRSTATUS, &registers.values(), sizeof registers.values());
}

base::Result<VectorRegisters> read_vector_registers(pid_t thread) {
  VectorRegisters registers(kMaxVectorBytes);
  const auto bytes = get_set(thread, Registers::vector_set(), registers.data(), registers.size());
  if (!bytes) return tl::make_unexpected(bytes.error());
  registers.resize(*bytes);
  return registers;
}

base::Status write_vector_registers(pid_t thread, const VectorRegisters& registers) {
  return put_set(thread, Registers::vector_set(), registers.data(), registers.size());
}

}  // namespace prof::ptrace
