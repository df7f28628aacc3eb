#include "injection/core/symbols/elf_object.hpp"

#include <elf.h>

#include <cstring>

namespace prof::core {

namespace {

// An entry of the version table is the number of a version, and this bit for "not the default
// version".
constexpr std::uint16_t kHiddenVersion = 0x8000;
constexpr std::uint16_t kFirstNamedVersion = 2;  // smaller numbers mean: no version
constexpr char kOfGlibc[] = "GLIBC_";

}  // namespace

std::uint32_t gnu_hash(const char* name) {
  std::uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<unsigned char>(*name);
  return hash;
}

ElfObject ElfObject::of(std::uintptr_t base, const ElfW(Dyn) * dynamic) {
  ElfObject object{};
  object.base = base;
  object.dynamic = dynamic;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    const auto address = entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        object.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        break;
      case DT_STRTAB:
        object.strings = reinterpret_cast<const char*>(address);
        break;
      case DT_GNU_HASH:
        object.hash_table = reinterpret_cast<const std::uint32_t*>(address);
        break;
      case DT_VERSYM:
        object.versions = reinterpret_cast<const std::uint16_t*>(address);
        break;
      // The loader does not relocate the next two.
      case DT_VERDEF:
        object.version_definitions = reinterpret_cast<const ElfW(Verdef)*>(base + address);
        break;
      case DT_VERNEED:
        object.version_needs = reinterpret_cast<const ElfW(Verneed)*>(base + address);
        break;
      default:
        break;
    }
  }
  if (object.symbols == nullptr || object.strings == nullptr) object.hash_table = nullptr;
  return object;
}

// Returns the version that the object assigns to its symbols with this entry; null if there is
// none.
const char* ElfObject::version_named(std::uint16_t entry) const {
  if (version_definitions == nullptr || (entry & ~kHiddenVersion) < kFirstNamedVersion)
    return nullptr;
  const char* at = reinterpret_cast<const char*>(version_definitions);
  for (;;) {
    const auto& definition = *reinterpret_cast<const ElfW(Verdef)*>(at);
    if (definition.vd_ndx == (entry & ~kHiddenVersion))
      return strings + reinterpret_cast<const ElfW(Verdaux)*>(at + definition.vd_aux)->vda_name;
    if (definition.vd_next == 0) return nullptr;
    at += definition.vd_next;
  }
}

// True if the loader takes a symbol with this entry for the version. A symbol without a version is
// taken for any version. A null version is the default one.
bool ElfObject::is_version(std::uint16_t entry, const char* version) const {
  if (version == nullptr || version_definitions == nullptr) return (entry & kHiddenVersion) == 0;
  if (entry < kFirstNamedVersion) return true;
  const char* const name = version_named(entry);
  return name != nullptr && std::strcmp(name, version) == 0;
}

ElfSymbol ElfObject::find(const char* name, const char* version, std::uint32_t hash) const {
  const std::uint32_t buckets = hash_table[0];
  const std::uint32_t first = hash_table[1];
  const std::uint32_t bloom_words = hash_table[2];
  const std::uint32_t shift = hash_table[3];
  const auto* bloom = reinterpret_cast<const std::uint64_t*>(hash_table + 4);
  const std::uint64_t word = bloom[hash / 64 % bloom_words];
  if ((word >> (hash % 64) & word >> ((hash >> shift) % 64) & 1) == 0) return {};
  const auto* bucket = reinterpret_cast<const std::uint32_t*>(bloom + bloom_words);
  const std::uint32_t* chain = bucket + buckets;
  std::uint32_t i = bucket[hash % buckets];
  if (i < first) return {};
  for (;; ++i) {
    const std::uint32_t entry = chain[i - first];
    const ElfW(Sym)& symbol = symbols[i];
    if ((entry | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF &&
        std::strcmp(strings + symbol.st_name, name) == 0 &&
        (versions == nullptr || is_version(versions[i], version))) {
      const char* const named = versions == nullptr ? nullptr : version_named(versions[i]);
      return {reinterpret_cast<void*>(base + symbol.st_value),
              ELF64_ST_TYPE(symbol.st_info) == STT_FUNC,
              named != nullptr && std::strncmp(named, kOfGlibc, sizeof kOfGlibc - 1) == 0};
    }
    if ((entry & 1) != 0) return {};
  }
}

bool ElfObject::needs(const ElfObject& other, const char* path) const {
  const char* const slash = std::strrchr(path, '/');
  const char* name = slash == nullptr ? path : slash + 1;
  for (const ElfW(Dyn)* entry = other.dynamic; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_SONAME) name = other.strings + entry->d_un.d_val;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag != DT_NEEDED) continue;
    const char* const needed = strings + entry->d_un.d_val;
    if (std::strcmp(needed, name) == 0 || std::strcmp(needed, path) == 0) return true;
  }
  return false;
}

const char* ElfObject::version_asked(std::uint32_t symbol) const {
  if (versions == nullptr || version_needs == nullptr) return nullptr;
  const std::uint16_t wanted = versions[symbol] & ~kHiddenVersion;
  if (wanted < kFirstNamedVersion) return nullptr;
  const char* at = reinterpret_cast<const char*>(version_needs);
  for (;;) {
    const auto& need = *reinterpret_cast<const ElfW(Verneed)*>(at);
    const char* each = at + need.vn_aux;
    for (unsigned i = 0; i < need.vn_cnt; ++i) {
      const auto& version = *reinterpret_cast<const ElfW(Vernaux)*>(each);
      if (version.vna_other == wanted) return strings + version.vna_name;
      each += version.vna_next;
    }
    if (need.vn_next == 0) return nullptr;
    at += need.vn_next;
  }
}

}  // namespace prof::core
