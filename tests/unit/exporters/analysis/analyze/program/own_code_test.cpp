#include "exporters/analysis/analyze/program/own_code.hpp"

#include <gtest/gtest.h>

namespace prof::analyze {
namespace {

events::Function native(std::string name, std::string module) {
  events::Function function;
  function.name = std::move(name);
  function.module = std::move(module);
  function.kind = events::CodeKind::kNative;
  return function;
}

TEST(OwnCodeTest, ProgramsThatRunCodeOfTheirUserAreNot) {
  for (const char* module :
       {"/usr/bin/node", "/usr/local/bin/node", "/opt/java/lib/server/libjvm.so",
        "/opt/bin/ruby3.1", "/opt/lib/libruby-3.1.so.3.1", "/usr/bin/perl5.36.0",
        "/opt/php/sbin/php-fpm8.2", "/usr/bin/luajit-2.1.0", "/opt/R/bin/exec/R"})
    EXPECT_FALSE(is_own_code(native("run", module))) << module;
}

TEST(OwnCodeTest, OtherProgramsAre) {
  for (const char* module : {"/usr/bin/gzip", "/home/u/node_exporter2/exporter", "/srv/Rank",
                             "/home/u/librocket.so", "/srv/javac"})
    EXPECT_TRUE(is_own_code(native("run", module))) << module;
}

TEST(OwnCodeTest, NamedJitCodeIs) {
  events::Function script = native("sumUp", "[JIT]");
  script.file = "/srv/app.js";
  EXPECT_TRUE(is_own_code(script));
  EXPECT_TRUE(is_own_code(native("int app.Main.work(int)", "[JIT]")));
}

TEST(OwnCodeTest, LibrariesOfScriptsAreNot) {
  for (const char* file : {"node:internal/timers", "/srv/node_modules/express/index.js"}) {
    events::Function script = native("run", "[JIT]");
    script.file = file;
    EXPECT_FALSE(is_own_code(script)) << file;
  }
  EXPECT_FALSE(is_own_code(native("int java.lang.String.hashCode()", "[JIT]")));
}

}  // namespace
}  // namespace prof::analyze
