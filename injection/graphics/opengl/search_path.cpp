#include "injection/graphics/opengl/search_path.hpp"

#include <limits.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "injection/core/symbols/loader.hpp"

namespace prof::opengl {

namespace {

// A path that is put together. It remembers if it became too long.
class Path {
 public:
  void add(const char* text, std::size_t length) {
    fits_ = fits_ && length_ + length < sizeof text_;
    if (!fits_) return;
    std::memcpy(text_ + length_, text, length);
    length_ += length;
    text_[length_] = '\0';
  }
  bool fits() const { return fits_; }
  const char* text() const { return text_; }

 private:
  char text_[PATH_MAX] = {};
  std::size_t length_ = 0;
  bool fits_ = true;
};

// Adds the folder of an object: what $ORIGIN stands for.
bool add_origin(Path& path, const link_map& object) {
  char program[PATH_MAX];
  const char* file = object.l_name;
  if (*file == '\0') {
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return false;
    program[length] = '\0';
    file = program;
  }
  const char* const slash = std::strrchr(file, '/');
  if (slash == nullptr) return false;
  path.add(file, static_cast<std::size_t>(slash - file));
  return true;
}

// Returns whether the folder has the file, or may have it: it has a variable that is not known
// here.
bool folder_has(const char* folder, std::size_t length, const link_map& object, const char* name) {
  Path path;
  for (std::size_t i = 0; i < length;) {
    std::size_t variable = 0;
    for (const char* each : {"$ORIGIN", "${ORIGIN}"})
      if (std::strncmp(folder + i, each, std::strlen(each)) == 0) variable = std::strlen(each);
    if (variable == 0 && folder[i] == '$') return true;
    if (variable == 0)
      path.add(folder + i, 1);
    else if (!add_origin(path, object))
      return true;
    i += variable == 0 ? 1 : variable;
  }
  path.add("/", 1);
  path.add(name, std::strlen(name));
  return !path.fits() || access(path.text(), F_OK) == 0;
}

bool list_has(const char* list, const link_map& object, const char* name) {
  while (*list != '\0') {
    const std::size_t length = std::strcspn(list, ":");
    if (length > 0 && folder_has(list, length, object, name)) return true;
    list += length;
    list += *list == ':' ? 1 : 0;
  }
  return false;
}

// Calls `visit` with the text of each entry that has one of the tags, until it returns
// true. Returns whether it has.
template <class Visit>
bool find_text(const link_map& object, std::initializer_list<ElfW(Sxword)> tags, Visit visit) {
  const char* texts = nullptr;
  for (const ElfW(Dyn)* each = object.l_ld; each->d_tag != DT_NULL; ++each)
    if (each->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(each->d_un.d_ptr);
  if (texts == nullptr) return false;
  for (const ElfW(Dyn)* each = object.l_ld; each->d_tag != DT_NULL; ++each)
    for (const ElfW(Sxword) tag : tags)
      if (each->d_tag == tag && visit(texts + each->d_un.d_val)) return true;
  return false;
}

}  // namespace

bool has_in_search_path(const void* caller, const char* name) {
  const link_map* const object = core::object_at(caller);
  return object != nullptr && find_text(*object, {DT_RUNPATH, DT_RPATH}, [&](const char* list) {
           return list_has(list, *object, name);
         });
}

bool is_called(const link_map& object, const char* name) {
  return find_text(object, {DT_SONAME},
                   [&](const char* text) { return std::strcmp(text, name) == 0; });
}

}  // namespace prof::opengl
