#include "common/code/names/script_name.hpp"

#include <gtest/gtest.h>

namespace prof::names {
namespace {

std::string text(const char* symbol) {
  const auto found = script_function(symbol);
  return found ? found->function + "|" + found->file + "|" + std::to_string(found->line) : "";
}

TEST(ScriptNameTest, FunctionFileAndLine) {
  EXPECT_EQ(text("JS:*sumUp /long/path/node_work.js:5:15"), "sumUp|/long/path/node_work.js|5");
  EXPECT_EQ(text("LazyCompile:~f /srv/a.js:1:2"), "f|/srv/a.js|1");
  EXPECT_EQ(text("JS:^get size /my files/a.js:7:3"), "get size|/my files/a.js|7");
  EXPECT_EQ(text("JS:+m file:///srv/a.mjs:12:1"), "m|/srv/a.mjs|12");
  EXPECT_EQ(text("JS:*runMicrotasks node:internal/process/task_queues:67:35"),
            "runMicrotasks|node:internal/process/task_queues|67");
  EXPECT_EQ(text("LazyCompile:~f file.js:3"), "f|file.js|3");
}

TEST(ScriptNameTest, FunctionsWithoutAName) {
  EXPECT_EQ(text("JS:* /srv/a.js:5:15"), "(anonymous)|/srv/a.js|5");
  EXPECT_EQ(text("JS:~ [eval]:1:1"), "(anonymous)|[eval]|1");
}

TEST(ScriptNameTest, OtherCode) {
  for (const char* symbol :
       {"", "JS:", "JS:*f", "JS:*f /a.js", "Builtin:ArrayMap", "RegExp:a:1:2", "f /a.js:1:2",
        "int Main.work(int)", "JS:*f:1:2", "JS:*f :1:2", "BytecodeHandler:Add"})
    EXPECT_EQ(text(symbol), "") << symbol;
}

}  // namespace
}  // namespace prof::names
