#include "common/code/unwind/module.hpp"

#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "common/code/symbols/debug_files.hpp"
#include "common/code/unwind/mapped_file.hpp"

namespace prof::unwind {
namespace {

// The maximum number of files that stay open. Each takes a descriptor of prof.
constexpr std::size_t kMaxKeptOpen = 256;

// Returns the vdso as the kernel has mapped it. Its end is the end of its segments or of its table
// of sections.
std::span<const std::byte> own_vdso() {
  const auto* begin = reinterpret_cast<const std::byte*>(getauxval(AT_SYSINFO_EHDR));
  if (begin == nullptr) return {};
  const auto& header = *reinterpret_cast<const ElfW(Ehdr)*>(begin);
  const std::span segments(reinterpret_cast<const ElfW(Phdr)*>(begin + header.e_phoff),
                           header.e_phnum);
  std::size_t end = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  for (const ElfW(Phdr) & each : segments)
    if (each.p_type == PT_LOAD) end = std::max<std::size_t>(end, each.p_offset + each.p_filesz);
  return {begin, end};
}

std::string difference(const symbols::ElfImage& image, const FileIdentity& wanted) {
  if (!wanted.build_id.empty())
    return image.build_id() == wanted.build_id ? "" : "its build-id is another one";
  // Devices are not compared, because btrfs and overlayfs give stat and mmap different numbers.
  if (wanted.inode != 0 && wanted.inode != image.inode()) return "it was replaced";
  return {};
}

}  // namespace

Module::Module(std::string name, symbols::ElfImage image)
    : identity_{std::move(name), 0, 0, image.build_id()}, is_read_(true) {
  take(image);
}

base::Result<symbols::ElfImage> Module::open() const {
  auto image = symbols::ElfImage::open(places_.root + identity_.path);
  if (!image) return image;
  std::string problem = difference(*image, identity_);
  if (!problem.empty()) return base::fail(std::move(problem));
  return image;
}

std::string Module::readable_path() const {
  if (is_at_path_) return places_.root + identity_.path;
  return file_ ? "/proc/self/fd/" + std::to_string(file_->descriptor()) : std::string();
}

std::string Module::build_id() {
  if (!identity_.build_id.empty()) return identity_.build_id;
  if (!is_at_path_) return file_ ? file_->build_id() : std::string();
  const auto image = open();
  return image ? image->build_id() : std::string();
}

void Module::read() {
  is_read_ = true;
  if (file_) return take(*file_);
  if (!is_at_path_) {
    problem_ = "not at its path";
    return;
  }
  auto image = open();
  if (image)
    take(*image);
  else
    problem_ = image.error().message;
}

void Module::take(symbols::ElfImage& image) {
  std::uint64_t base = std::numeric_limits<std::uint64_t>::max();
  for (const symbols::Segment& each : image.segments()) {
    if (!each.executable) continue;
    code_.push_back(each);
    base = std::min(base, each.address);
  }
  FrameSections sections = FrameSections::of(image);
  if (!sections.debug_frame.is_there()) add_debug_frame(image, sections);
  if (sections.is_empty())
    problem_ = "no call frame information";
  else
    frames_.emplace(sections, base);
}

void Module::add_debug_frame(const symbols::ElfImage& image, FrameSections& sections) const {
  if (identity_.path.empty() || identity_.path[0] != '/') return;
  const auto debug =
      symbols::open_debug_file(image, places_.root + identity_.path, places_.debug_folders);
  if (debug) sections.debug_frame = debug->section(".debug_frame");
}

std::shared_ptr<Module> Modules::find(const MapEvent& mapping, pid_t pid) {
  const FileIdentity identity{path_of_file(mapping, places_.root), mapping.device, mapping.inode,
                              mapping.build_id};
  const auto [module, is_new] = modules_.try_emplace(identity);
  if (is_new) module->second = make(identity, mapping, pid);
  return module->second;
}

std::shared_ptr<Module> Modules::make(const FileIdentity& identity, const MapEvent& mapping,
                                      pid_t pid) {
  const MappedFile file = find_mapped_file(pid, mapping, identity.path, places_.root);
  const bool is_named_only = identity.path != mapping.path || identity.path.starts_with("/memfd:");
  if (file.is_at_path || (file.path.empty() && !is_named_only)) {
    auto module = std::make_shared<Module>(identity, places_);
    module->set_modified(file.version.modified);
    return module;
  }
  std::optional<symbols::ElfImage> image;
  if (!file.path.empty() && kept_open_ < kMaxKeptOpen) {
    auto opened = symbols::ElfImage::open(file.path);
    if (opened) {
      ++kept_open_;
      image = std::move(*opened);
    }
  }
  if (!image && !is_elf_in_memory(pid, mapping)) return {};
  return std::make_shared<Module>(identity, places_, std::move(image));
}

std::shared_ptr<Module> Modules::vdso() {
  if (std::exchange(has_looked_for_vdso_, true)) return vdso_;
  const std::span<const std::byte> bytes = own_vdso();
  if (bytes.empty()) return {};
  auto image = symbols::ElfImage::copy(bytes);
  if (image) vdso_ = std::make_shared<Module>("[vdso]", std::move(*image));
  return vdso_;
}

}  // namespace prof::unwind
