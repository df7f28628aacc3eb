#include "cli/options/python_annotations.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/messages/failure.hpp"

namespace prof::cli {

using nlohmann::json;

namespace {

constexpr char kDefaultDomain[] = "Python functions";
constexpr char kTrace[] = "functions-trace";
constexpr char kTraceWithShapes[] = "functions-trace-shapes";
constexpr char kModulePaths[] = "module-paths";
constexpr char kOperators[] = "operators";
constexpr char kMemory[] = "memory";
constexpr std::uint32_t kOpaque = 0xff000000;

struct NamedColor {
  const char* name;
  std::uint32_t rgb;
};
// The names of colors in the package nvtx.
constexpr NamedColor kColors[] = {
    {"blue", 0x0000ff},   {"green", 0x008000},     {"yellow", 0xffff00}, {"purple", 0x800080},
    {"rapids", 0x7400ff}, {"cyan", 0x00ffff},      {"red", 0xff0000},    {"white", 0xffffff},
    {"black", 0x000000},  {"darkgreen", 0x006400}, {"orange", 0xffa500}, {"gray", 0x808080}};

class File {
 public:
  explicit File(std::string path) : path_(std::move(path)) {}

  json read() const;

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Failure("--python-functions-trace " + path_ + ": " + what, kBadUsage);
  }
  std::string text(const json& object, const char* key, const char* otherwise) const;
  std::uint32_t color(const json& object, std::uint32_t otherwise) const;
  std::uint32_t number(const std::string& text) const;
  void add_module(const json& module, json& functions) const;

  std::string path_;
};

std::string File::text(const json& object, const char* key, const char* otherwise) const {
  const auto found = object.find(key);
  if (found == object.end() && otherwise != nullptr) return otherwise;
  if (found == object.end() || !found->is_string() || found->get_ref<const std::string&>().empty())
    fail(std::string("\"") + key + "\" must be a string in " + object.dump());
  // A NUL would end the name when Python passes it to NVTX.
  if (found->get_ref<const std::string&>().find('\0') != std::string::npos)
    fail(std::string("a NUL in \"") + key + "\"");
  return found->get<std::string>();
}

// Parses "#76b900" and "0xff76b900".
std::uint32_t File::number(const std::string& text) const {
  const std::size_t digits = text.starts_with("0x") ? 2 : text.starts_with("#") ? 1 : text.size();
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + digits, end, value, 16);
  if (parsed.ec != std::errc{} || parsed.ptr != end)
    fail("\"" + text +
         "\" is not a color: write a name (blue, green, ...), \"#rrggbb\" or a number");
  return value <= 0xffffff ? kOpaque | value : value;
}

// Returns the color as ARGB; 0 if there is none.
std::uint32_t File::color(const json& object, std::uint32_t otherwise) const {
  const auto found = object.find("color");
  if (found == object.end() || found->is_null()) return otherwise;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() <= 0xffffffff) {
    const auto value = found->get<std::uint32_t>();
    return value <= 0xffffff ? kOpaque | value : value;
  }
  if (!found->is_string()) fail("\"color\" must be a string or a number in " + object.dump());
  const std::string name = found->get<std::string>();
  for (const NamedColor& known : kColors)
    if (name == known.name) return kOpaque | known.rgb;
  return number(name);
}

void File::add_module(const json& module, json& functions) const {
  if (!module.is_object()) fail("expected an object with \"module\" and \"functions\"");
  const std::string name = text(module, "module", nullptr);
  const std::string domain = text(module, "domain", kDefaultDomain);
  const std::uint32_t shade = color(module, 0);
  const auto list = module.find("functions");
  if (list == module.end() || !list->is_array())
    fail("\"functions\" must be an array in the object of module \"" + name + "\"");
  for (const json& function : *list) {
    if (function.is_string())
      functions.push_back(
          {domain, name, text({{"function", function}}, "function", nullptr), shade});
    else if (function.is_object())
      functions.push_back({text(function, "domain", domain.c_str()), name,
                           text(function, "function", nullptr), color(function, shade)});
    else
      fail("each function must be a name or an object in the object of module \"" + name + "\"");
  }
}

json File::read() const {
  std::ifstream file(path_, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file) fail("cannot be read");
  const json modules = json::parse(content.str(), nullptr, false, true);
  if (modules.is_discarded()) fail("is not valid JSON");
  json functions = json::array();
  if (modules.is_array())
    for (const json& module : modules) add_module(module, functions);
  else
    add_module(modules, functions);
  if (functions.empty()) fail("lists no functions");
  return functions;
}

json pytorch_list(const std::string& list) {
  json wanted = json::array();
  const auto has = [&](const char* name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  std::istringstream names(list);
  bool none = false;
  for (std::string name; std::getline(names, name, ',');) {
    if (name == "none")
      none = true;
    else if (name == "autograd-nvtx" || name == "autograd-shapes-nvtx" || name == kTrace ||
             name == kTraceWithShapes || name == kModulePaths || name == kOperators ||
             name == kMemory)
      wanted.push_back(name);
    else
      throw Failure("--pytorch " + name +
                        ": unknown (known: autograd-nvtx, autograd-shapes-nvtx, functions-trace, "
                        "functions-trace-shapes, module-paths, operators, memory, none)",
                    kBadUsage);
  }
  if (none == !wanted.empty() ||
      has("autograd-nvtx") + has("autograd-shapes-nvtx") + has(kOperators) > 1 ||
      (has(kTrace) && has(kTraceWithShapes)))
    throw Failure(
        "--pytorch " + list +
            ": write none, or one of autograd-nvtx, autograd-shapes-nvtx and operators, or one of "
            "functions-trace and functions-trace-shapes, or one of each",
        kBadUsage);
  if (has(kModulePaths) && !has(kTrace) && !has(kTraceWithShapes))
    throw Failure("--pytorch " + list +
                      ": module-paths names the ranges of functions-trace: add functions-trace or "
                      "functions-trace-shapes",
                  kBadUsage);
  return wanted;
}

}  // namespace

std::string python_annotations(const std::string& functions, const std::string& pytorch,
                               PythonMarks marks) {
  const json torch = pytorch_list(pytorch);
  const json list = functions.empty() ? json::array() : File(functions).read();
  if (torch.empty() && list.empty() && !marks.steps && !marks.garbage) return {};
  // The text contains only strings and numbers, so it is also a Python literal. Surrogate pairs
  // would be an exception, but UTF-8 has none.
  return json{{"functions", list},
              {"pytorch", torch},
              {"steps", marks.steps ? 1 : 0},
              {"garbage", marks.garbage ? 1 : 0}}
      .dump();
}

}  // namespace prof::cli
