#include "injection/osrt/file_calls.hpp"

#include <errno.h>
#include <fcntl.h>

#include "injection/core/record/capture.hpp"
#include "injection/core/record/record_writer.hpp"

namespace prof::osrt {

namespace {

bool is_long(const FileCall& done) {
  return done.end - done.call.start >= core::g_process.osrt_threshold;
}

void append(const FileCall& done, std::uint32_t access, Operation operation, std::int64_t bytes,
            std::uint8_t flags) {
  if (core::paused()) return;
  if (!core::is_named(done.function.id)) [[unlikely]]
    core::send_name(done.function);
  if ((flags & wire::kFileOnly) == 0) core::send_chain(done.call, done.end, done.function);
  wire::FileCallRecord record{};
  record.header = core::header_of<wire::FileCallRecord>(wire::RecordType::kFileCall,
                                                        done.function.id, done.call.level);
  record.start = done.call.start;
  record.end = done.end;
  record.result = done.result;
  record.bytes = bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
  record.access = access;
  record.operation = operation;
  record.flags = flags;
  core::append(record);
}

}  // namespace

void FileCall::on(std::uint32_t access, Operation operation, std::int64_t bytes) const {
  if (access == 0) return on_no_file();
  const bool is_short = !is_long(*this);
  append(*this, access, operation, bytes, is_short ? wire::kFileOnly : 0);
  if (is_short) core::count_short_call_slowly(function, call.start, end);
}

void FileCall::also_on(std::uint32_t access, Operation operation, std::int64_t bytes) const {
  if (access != 0) append(*this, access, operation, bytes, wire::kFileOnly);
}

void FileCall::on_no_file() const {
  if (is_long(*this))
    core::record_call(call, end, function, result);
  else
    core::count_short_call_slowly(function, call.start, end);
}

void FileCall::copies(int in, int out) const {
  on(access_of(in), Operation::kRead, result);
  also_on(access_of(out), Operation::kWrite, result);
}

void FileCall::opens_path(int directory, const char* path) const {
  if (!succeeded()) return on_no_file();
  on(opened_path(static_cast<int>(result), end, directory, path), Operation::kOpen);
}

void FileCall::opens_nameless(const char* what) const {
  if (!succeeded()) return on_no_file();
  on(opened_nameless(static_cast<int>(result), end, what), Operation::kOpen);
}

void FileCall::opens_unknown() const {
  if (!succeeded()) return on_no_file();
  on(opened_unknown(static_cast<int>(result), end), Operation::kOpen);
}

void FileCall::opens_socket(int domain, int type) const {
  if (!succeeded()) return on_no_file();
  on(opened_socket(static_cast<int>(result), end, domain, type), Operation::kOpen);
}

void FileCall::opens_copy(int of) const {
  if (!succeeded()) return on_no_file();
  on(opened_copy(static_cast<int>(result), end, of), Operation::kOpen);
}

// Does not use opened_unknown(), which would ask the kernel for a name that is only "socket".
void FileCall::accepts() const {
  if (!succeeded()) return on_no_file();
  const auto fd = static_cast<int>(result);
  const std::uint32_t access = opened_socket(fd, end, AF_UNSPEC, SOCK_STREAM);
  if (access != 0) set_peer(fd, end, nullptr, 0);
  on(access, Operation::kOpen);
}

void FileCall::opens_stream(const FILE* stream, const char* path) const {
  const int fd = descriptor_of(stream);
  if (fd < 0) return on_no_file();
  on(path == nullptr ? opened_unknown(fd, end) : opened_path(fd, end, AT_FDCWD, path),
     Operation::kOpen);
}

void FileCall::opens_pipe(const int* ends) const {
  if (!succeeded()) return on_no_file();
  on(opened_pipe(ends[0], end), Operation::kOpen);
  also_on(opened_pipe(ends[1], end), Operation::kOpen);
}

void FileCall::opens_pair(const int* ends, int domain, int type) const {
  if (!succeeded()) return on_no_file();
  on(opened_pair(ends[0], end, domain, type), Operation::kOpen);
  also_on(opened_pair(ends[1], end, domain, type), Operation::kOpen);
}

void FileCall::connects(int fd, const sockaddr* address, socklen_t length) const {
  if (succeeded() || errno == EINPROGRESS) set_peer(fd, end, address, length);
  uses(fd);
}

void FileCall::binds(int fd) const {
  if (succeeded()) set_peer(fd, end, nullptr, 0);
  uses(fd);
}

void FileCall::controls(int fd, int command) const {
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) return opens_copy(fd);
  uses(fd);
}

}  // namespace prof::osrt
