// Reads the names that V8 (Node.js) gives its functions in perf maps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prof::names {

// A function and the place where it is defined.
struct ScriptFunction {
  std::string function;
  std::string file;
  std::int64_t line = 0;
};

// Reads "JS:*sumUp /srv/app.js:5:15". Returns nothing for names of another form, such as those of
// V8's own code and of other JIT compilers.
std::optional<ScriptFunction> script_function(std::string_view symbol);

}  // namespace prof::names
