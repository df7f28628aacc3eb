#include "common/base/held/reserved_name.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "common/base/held/held_file.hpp"
#include "common/base/temporary_file.hpp"

namespace prof::base {

namespace {

// The result is absolute, because the working directory may change until the file is removed.
std::string free_file(const std::string& path, ReservedFor purpose) {
  std::string file = reserved_name(std::filesystem::absolute(path).string(), purpose);
  remove_left_file(file);
  return file;
}

}  // namespace

std::optional<ReservedName> ReservedName::choose(const std::string& path) {
  std::string file = free_file(path, ReservedFor::kNow);
  UniqueFd held = create_held_file(file);
  if (!held && errno == EEXIST) return {};
  ReservedName reserved(std::move(file), std::move(held));
  if (access(free_file(path, ReservedFor::kLater).c_str(), F_OK) == 0) return {};
  return reserved;
}

ReservedName ReservedName::await(const std::string& path) {
  std::string file = free_file(path, ReservedFor::kLater);
  UniqueFd held = create_held_file(file);
  return {std::move(file), std::move(held)};
}

ReservedName::ReservedName(ReservedName&& other) noexcept
    : file_(std::move(other.file_)), held_(std::move(other.held_)) {}

ReservedName& ReservedName::operator=(ReservedName&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(held_, other.held_);
  return *this;
}

ReservedName::~ReservedName() {
  if (held_) unlink(file_.c_str());
}

}  // namespace prof::base
