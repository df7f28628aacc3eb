#include "injection/graphics/opengl/query_functions.hpp"

#include <dlfcn.h>
#include <errno.h>

#include <cstring>

#include "injection/graphics/opengl/opening.hpp"

namespace prof::opengl {

namespace {

constexpr std::uint32_t kVersion = 0x1f02;
constexpr std::uint32_t kExtensions = 0x1f03;
constexpr std::uint32_t kNumExtensions = 0x821d;
constexpr std::uint32_t kQueryCounterBits = 0x8864;

using Find = void* (*)(const char* name);

// Returns the function that finds functions of OpenGL, of a library that is loaded.
Find find_look_up(bool is_egl) {
  struct Place {
    const char* library;
    const char* function;
  };
  constexpr Place kEgl[] = {{"libEGL.so.1", "eglGetProcAddress"}};
  constexpr Place kGlx[] = {{"libGLX.so.0", "glXGetProcAddressARB"},
                            {"libGL.so.1", "glXGetProcAddressARB"}};
  const Place* const places = is_egl ? kEgl : kGlx;
  const std::size_t count = (is_egl ? sizeof kEgl : sizeof kGlx) / sizeof *places;
  for (std::size_t i = 0; i < count; ++i) {
    void* const library = prof_opengl_library(places[i].library);
    if (library == nullptr) continue;
    if (void* const found = dlsym(library, places[i].function))
      return reinterpret_cast<Find>(found);
  }
  return nullptr;
}

// Finds functions by name, some of which have a suffix in OpenGL ES.
class Finder {
 public:
  explicit Finder(Find find) : find_(find) {}
  template <class Function>
  bool find(const char* name, const char* suffix, Function& function) const {
    char text[48];
    const std::size_t length = std::strlen(name);
    std::memcpy(text, name, length);
    std::memcpy(text + length, suffix, std::strlen(suffix) + 1);
    function = reinterpret_cast<Function>(find_(text));
    return function != nullptr;
  }

 private:
  Find find_;
};

struct Version {
  bool is_es;
  int major, minor;

  bool is_at_least(int wanted, int wanted_minor) const {
    return major > wanted || (major == wanted && minor >= wanted_minor);
  }
};

Version parse_version(const char* text) {
  constexpr char kEs[] = "OpenGL ES ";
  Version version{std::strncmp(text, kEs, sizeof kEs - 1) == 0, 0, 0};
  if (version.is_es) text += sizeof kEs - 1;
  for (; *text >= '0' && *text <= '9'; ++text) version.major = version.major * 10 + *text - '0';
  if (*text == '.' && text[1] >= '0' && text[1] <= '9') version.minor = text[1] - '0';
  return version;
}

// What the current context says of itself.
class Facts {
 public:
  bool read(const Finder& finder, QueryFunctions& gl) {
    if (!finder.find("glGetString", "", get_string_) ||
        !finder.find("glGetIntegerv", "", gl.get_integer))
      return false;
    const char* const text = get_string_(kVersion);
    if (text == nullptr) return false;
    version_ = parse_version(text);
    get_integer_ = gl.get_integer;
    return !version_.is_at_least(3, 0) || finder.find("glGetStringi", "", get_indexed_);
  }
  const Version& version() const { return version_; }

  bool has_extension(const char* name) const {
    if (!version_.is_at_least(3, 0)) {
      const char* const all = get_string_(kExtensions);
      return all != nullptr && std::strstr(all, name) != nullptr;
    }
    std::int32_t count = 0;
    get_integer_(kNumExtensions, &count);
    for (std::int32_t i = 0; i < count; ++i) {
      const char* const each = get_indexed_(kExtensions, static_cast<std::uint32_t>(i));
      if (each != nullptr && std::strcmp(each, name) == 0) return true;
    }
    return false;
  }

 private:
  const char* (*get_string_)(std::uint32_t name) = nullptr;
  const char* (*get_indexed_)(std::uint32_t name, std::uint32_t index) = nullptr;
  void (*get_integer_)(std::uint32_t name, std::int32_t* value) = nullptr;
  Version version_{};
};

bool has_timestamps(const Facts& facts) {
  if (facts.version().is_es) return facts.has_extension("GL_EXT_disjoint_timer_query");
  return facts.version().is_at_least(3, 3) || facts.has_extension("GL_ARB_timer_query");
}

bool find_all(const Finder& finder, QueryFunctions& gl, bool& has_query_buffer) {
  Facts facts;
  if (!facts.read(finder, gl) || !has_timestamps(facts)) return false;
  const bool is_es = facts.version().is_es;
  const char* const suffix = is_es ? "EXT" : "";
  has_query_buffer = !is_es && (facts.version().is_at_least(4, 4) ||
                                facts.has_extension("GL_ARB_query_buffer_object"));
  void (*get_query)(std::uint32_t target, std::uint32_t name, std::int32_t * value) = nullptr;
  if (!finder.find("glGenQueries", suffix, gl.gen) ||
      !finder.find("glQueryCounter", suffix, gl.counter) ||
      !finder.find("glGetQueryObjectiv", suffix, gl.get_state) ||
      !finder.find("glGetQueryObjectui64v", suffix, gl.get_result) ||
      !finder.find("glGetQueryiv", suffix, get_query) ||
      !finder.find("glGetInteger64v", is_es && !facts.version().is_at_least(3, 0) ? suffix : "",
                   gl.get_clock))
    return false;
  std::int32_t bits = 0;
  get_query(kTimestamp, kQueryCounterBits, &bits);
  return bits > 0;
}

}  // namespace

bool find_query_functions(bool is_egl, QueryFunctions& gl, bool& has_query_buffer) {
  const int saved = errno;
  const Find find = find_look_up(is_egl);
  const bool found = find != nullptr && find_all(Finder(find), gl, has_query_buffer);
  dlerror();  // clears an error of the calls above: the program must not see it
  errno = saved;
  return found;
}

}  // namespace prof::opengl
