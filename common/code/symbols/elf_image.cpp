#include "common/code/symbols/elf_image.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "common/base/machine.hpp"

namespace prof::symbols {
namespace {

// No real program has a larger section. A damaged file must not cause a huge allocation.
constexpr std::uint64_t kLargestSection = std::uint64_t{2} << 30;
constexpr std::size_t kMaxHeaders = 4096;

Bytes to_bytes(const Elf_Data* data) {
  if (data == nullptr || data->d_buf == nullptr) return {};
  const auto* first = static_cast<const std::byte*>(data->d_buf);
  return {first, first + data->d_size};
}

Elf_Scn* find_section(Elf* elf, std::string_view name, GElf_Shdr& header) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return nullptr;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* its_name = elf_strptr(elf, names, header.sh_name);
    if (its_name != nullptr && name == its_name) return section;
  }
  return nullptr;
}

}  // namespace

void ElfImage::Ender::operator()(Elf* elf) const { elf_end(elf); }

base::UniqueFd ElfImage::duplicate_file() const {
  return base::UniqueFd(fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
}

void ElfImage::close() {
  elf_.reset();
  file_.reset();
  memory_ = {};
}

base::Result<ElfImage> ElfImage::open(const std::string& path) {
  elf_version(EV_CURRENT);
  ElfImage image;
  image.file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!image.file_) return base::fail_errno(path, errno);
  struct stat status {};
  if (fstat(image.file_.get(), &status) != 0) return base::fail_errno(path, errno);
  if (!S_ISREG(status.st_mode)) return base::fail(path + ": not a regular file");
  image.size_ = static_cast<std::uint64_t>(status.st_size);
  image.device_ = status.st_dev;
  image.inode_ = status.st_ino;
  image.modified_ = FileVersion::of(status).modified;
  image.elf_.reset(elf_begin(image.file_.get(), ELF_C_READ, nullptr));
  if (const auto loaded = image.load(); !loaded)
    return base::fail(path + ": " + loaded.error().message);
  return image;
}

base::Result<ElfImage> ElfImage::copy(std::span<const std::byte> bytes) {
  elf_version(EV_CURRENT);
  ElfImage image;
  image.memory_.assign(bytes.begin(), bytes.end());
  image.size_ = bytes.size();
  image.elf_.reset(elf_memory(reinterpret_cast<char*>(image.memory_.data()), image.memory_.size()));
  if (const auto loaded = image.load(); !loaded) return base::fail(loaded.error().message);
  return image;
}

base::Status ElfImage::load() {
  GElf_Ehdr header;
  if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF || gelf_getehdr(elf_.get(), &header) == nullptr)
    return base::fail("not an ELF file");
  if (header.e_machine != base::kElfMachine || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    return base::fail(std::string("not for ") + base::kMachineName);
  std::size_t count = 0;
  if (elf_getphdrnum(elf_.get(), &count) != 0) count = 0;
  for (std::size_t i = 0; i < std::min(count, kMaxHeaders); ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type != PT_LOAD) continue;
    segments_.push_back(
        {segment.p_offset, segment.p_vaddr, segment.p_filesz, (segment.p_flags & PF_X) != 0});
  }
  return {};
}

std::optional<std::uint64_t> ElfImage::address_of(std::uint64_t file_offset) const {
  // Mappings consist of whole pages, so the first and last page of a segment may contain parts of
  // its neighbours. The executable segment is preferred.
  for (const bool executable : {true, false})
    for (const Segment& each : segments_)
      if (each.executable == executable && file_offset >= each.offset &&
          file_offset - each.offset < each.size)
        return file_offset - each.offset + each.address;
  return {};
}

std::string ElfImage::build_id() const {
  std::size_t count = 0;
  if (!elf_ || elf_getphdrnum(elf_.get(), &count) != 0) return {};
  for (std::size_t i = 0; i < std::min(count, kMaxHeaders); ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) == nullptr) break;
    if (segment.p_type != PT_NOTE || segment.p_filesz > (1U << 20)) continue;
    Elf_Data* notes =
        elf_getdata_rawchunk(elf_.get(), static_cast<std::int64_t>(segment.p_offset),
                             segment.p_filesz, segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    if (notes == nullptr) continue;
    GElf_Nhdr note;
    std::size_t name = 0, content = 0;
    for (std::size_t at = 0; (at = gelf_getnote(notes, at, &note, &name, &content)) > 0;) {
      const auto* bytes = static_cast<const unsigned char*>(notes->d_buf);
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz > 64 ||
          std::memcmp(bytes + name, "GNU", 4) != 0)
        continue;
      std::string text;
      for (std::size_t j = 0; j < note.n_descsz; ++j)
        for (const int shift : {4, 0})
          text += "0123456789abcdef"[(bytes[content + j] >> shift) & 15];
      return text;
    }
  }
  return {};
}

std::optional<DebugLink> ElfImage::debug_link() const {
  const Section link = section(".gnu_debuglink");
  if (!link.is_there()) return {};
  const auto* text = reinterpret_cast<const char*>(link.bytes.data());
  const std::size_t length = strnlen(text, link.bytes.size());
  const std::size_t crc_at = (length + 4) & ~std::size_t{3};
  if (length == 0 || crc_at + 4 > link.bytes.size()) return {};
  DebugLink result{std::string(text, length), 0};
  std::memcpy(&result.crc, &link.bytes[crc_at], 4);
  if (result.name.find('/') != std::string::npos) return {};
  return result;
}

Section ElfImage::section(const char* name) const {
  GElf_Shdr header;
  Elf_Scn* section = elf_ ? find_section(elf_.get(), name, header) : nullptr;
  if (section == nullptr || header.sh_type == SHT_NOBITS) return {};
  if (header.sh_offset > size_ || header.sh_size > size_ - header.sh_offset) return {};
  if ((header.sh_flags & SHF_COMPRESSED) != 0) {
    GElf_Chdr compressed;
    if (gelf_getchdr(section, &compressed) == nullptr || compressed.ch_size > kLargestSection ||
        elf_compress(section, 0, 0) < 0)
      return {};
    return {header.sh_addr, to_bytes(elf_getdata(section, nullptr))};
  }
  return {header.sh_addr, to_bytes(elf_rawdata(section, nullptr))};
}

Section ElfImage::frame_header_segment() const {
  std::size_t count = 0;
  if (!elf_ || elf_getphdrnum(elf_.get(), &count) != 0) return {};
  for (std::size_t i = 0; i < std::min(count, kMaxHeaders); ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(elf_.get(), static_cast<int>(i), &segment) != nullptr &&
        segment.p_type == PT_GNU_EH_FRAME)
      return bytes_at(segment.p_vaddr, segment.p_filesz);
  }
  return {};
}

Section ElfImage::bytes_at(std::uint64_t address, std::uint64_t size) const {
  for (const Segment& each : segments_) {
    if (address < each.address || address - each.address >= each.size) continue;
    const std::uint64_t skipped = address - each.address;
    const std::uint64_t offset = each.offset + skipped;
    if (offset < each.offset || offset >= size_) return {};
    const std::uint64_t available =
        std::min({size, each.size - skipped, size_ - offset, kLargestSection});
    if (!elf_) return {};
    return {address, to_bytes(elf_getdata_rawchunk(elf_.get(), static_cast<std::int64_t>(offset),
                                                   available, ELF_T_BYTE))};
  }
  return {};
}

}  // namespace prof::symbols
