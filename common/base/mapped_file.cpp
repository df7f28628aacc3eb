#include "common/base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "common/base/unique_fd.hpp"

namespace prof::base {

Result<MappedFile> MappedFile::open(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail_errno("cannot open " + path, errno);
  return map(fd.get(), path);
}

Result<MappedFile> MappedFile::map(int fd, const std::string& path) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return fail_errno("cannot read " + path, errno);
  if (!S_ISREG(info.st_mode)) return fail(path + " is not a regular file");
  if (info.st_size == 0) return MappedFile();
  const auto size = static_cast<std::size_t>(info.st_size);
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) return fail_errno("cannot map " + path, errno);
  return MappedFile(static_cast<std::byte*>(memory), size);
}

Result<MappedFile> MappedFile::share(int fd, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) return fail_errno("cannot map shared memory", errno);
  return MappedFile(static_cast<std::byte*>(memory), bytes);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    if (data_ != nullptr) munmap(data_, size_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace prof::base
