#include "collector/ptrace/memory.hpp"

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "common/base/proc_file.hpp"

namespace prof::ptrace {

const base::UniqueFd& Memory::file() const {
  if (!file_) file_.reset(::open(base::proc_path(process_, "mem").c_str(), O_RDWR | O_CLOEXEC));
  return file_;
}

bool Memory::read(std::uint64_t address, std::span<std::byte> into) const {
  const iovec here{into.data(), into.size()};
  const iovec there{reinterpret_cast<void*>(address), into.size()};
  const ssize_t copied = process_vm_readv(process_, &here, 1, &there, 1, 0);
  if (copied == static_cast<ssize_t>(into.size())) return true;
  if (copied >= 0 || (errno != EPERM && errno != ENOSYS)) return false;
  return file() && ::pread(file().get(), into.data(), into.size(), static_cast<off_t>(address)) ==
                       static_cast<ssize_t>(into.size());
}

std::string Memory::read_text(std::uint64_t address, std::size_t most) const {
  constexpr std::size_t kPiece = 256;  // never extends into the next page, which may not exist
  std::string text;
  while (text.size() < most) {
    std::array<char, kPiece> piece;
    const std::uint64_t at = address + text.size();
    const std::size_t bytes = std::min(kPiece - at % kPiece, most - text.size());
    if (!read(at, std::as_writable_bytes(std::span(piece.data(), bytes)))) return {};
    const std::size_t length = strnlen(piece.data(), bytes);
    text.append(piece.data(), length);
    if (length < bytes) break;
  }
  return text;
}

base::Status Memory::write(std::uint64_t address, std::span<const std::byte> bytes) const {
  if (!file()) return base::fail_errno("cannot open " + base::proc_path(process_, "mem"), errno);
  const ssize_t written =
      ::pwrite(file().get(), bytes.data(), bytes.size(), static_cast<off_t>(address));
  if (written == static_cast<ssize_t>(bytes.size())) return {};
  return base::fail_errno("cannot write memory of process " + std::to_string(process_),
                          written < 0 ? errno : EFAULT);
}

}  // namespace prof::ptrace
