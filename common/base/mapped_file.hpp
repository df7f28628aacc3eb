// A file or memfd that is mapped into memory while the object exists.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "common/base/result.hpp"

namespace prof::base {

class MappedFile {
 public:
  // Maps a whole regular file for reading. An empty file maps to an empty span.
  static Result<MappedFile> open(const std::string& path);
  // Maps a whole file that is already open. `path` is for messages.
  static Result<MappedFile> map(int fd, const std::string& path);
  // Maps `bytes` of a descriptor shared and writable; the descriptor may be closed afterwards.
  static Result<MappedFile> share(int fd, std::size_t bytes);

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile(std::byte* data, std::size_t size) : data_(data), size_(size) {}
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace prof::base
