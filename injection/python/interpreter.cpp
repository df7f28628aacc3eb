#include "injection/python/interpreter.hpp"

#include <cstring>

#include "injection/core/symbols/loader.hpp"
#include "injection/core/symbols/object_walk.hpp"

namespace prof::python {

namespace {

// The symbols of the global scope, or of a single library.
class Symbols {
 public:
  explicit Symbols(void* scope) : scope_(scope) {}

  void* find(const char* name) const { return dlsym(scope_, name); }
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(find(name));
  }

 private:
  void* scope_;
};

// Returns the version. Python before 3.11 does not export it as data; it follows from the symbols
// that exist.
std::uint16_t version_of(const Symbols& symbols) {
  if (const auto* version = static_cast<const unsigned long*>(symbols.find("Py_Version")))
    return static_cast<std::uint16_t>(*version >> 16);
  if (symbols.find("PyFrame_GetBack") == nullptr) return 0;  // 3.8 or older
  return python_frames::python_version(3, symbols.find("PyIter_Send") != nullptr ? 10 : 9);
}

python_frames::PythonLayout layout_of(const Symbols& symbols, const void* runtime) {
  const std::uint16_t version = version_of(symbols);
  if (version < python_frames::python_version(3, 13)) return python_frames::python_layout(version);
  std::uint64_t words[python_frames::kPythonOffsetWords];
  std::memcpy(words, runtime, sizeof words);
  return python_frames::python_layout(words);
}

bool find_in(const Symbols& symbols, Interpreter& found) {
  using State = void* (*)();
  const void* runtime = symbols.find("_PyRuntime");
  if (runtime == nullptr) return false;
  found.layout = layout_of(symbols, runtime);
  found.runtime = reinterpret_cast<std::uint64_t>(runtime);
  found.code_type = reinterpret_cast<std::uint64_t>(symbols.find("PyCode_Type"));
  found.own_state = symbols.function<State>("PyGILState_GetThisThreadState");
  found.current_state = nullptr;
  if (found.layout.version >= python_frames::python_version(3, 13))
    found.current_state = symbols.function<State>("PyThreadState_GetUnchecked");
  else if (found.layout.version >= python_frames::python_version(3, 12))
    found.current_state = symbols.function<State>("_PyThreadState_UncheckedGet");
  return found.layout.version != 0 && found.code_type != 0 && found.own_state != nullptr;
}

// Finds a libpython that a program has loaded with local scope.
int take_libpython(dl_phdr_info* object, std::size_t, void* path) {
  const char* slash = std::strrchr(object->dlpi_name, '/');
  const char* name = slash == nullptr ? object->dlpi_name : slash + 1;
  if (std::strncmp(name, "libpython3", 10) != 0) return 0;
  *static_cast<const char**>(path) = object->dlpi_name;
  return 1;
}

bool search(Interpreter& found) {
  {
    const core::ForksWait look_up;
    if (find_in(Symbols(RTLD_DEFAULT), found)) return true;
  }
  const char* path = nullptr;
  if (core::walk_objects(take_libpython, &path) == 0) return false;
  const core::ForksWait look_up;
  void* library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  // The library stays loaded: this reference keeps it, and programs do not unload an interpreter.
  return find_in(Symbols(library), found);
}

}  // namespace

bool find_interpreter(Interpreter& found) {
  if (!core::has_loader_functions()) return false;
  const bool is_found = search(found);
  const core::ForksWait translation;
  dlerror();  // clears an error of the calls above: the program must not see it
  return is_found;
}

}  // namespace prof::python
