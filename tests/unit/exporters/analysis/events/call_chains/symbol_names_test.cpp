#include "exporters/analysis/events/call_chains/symbol_names.hpp"

#include <gtest/gtest.h>

namespace prof::events {
namespace {

TEST(SymbolNames, NamesThatProgramsCall) {
  for (const char* symbol : {"write", "__write", "__libc_write", "__GI___libc_write", "_write",
                             "write@@GLIBC_2.2.5", "__GI___write"})
    EXPECT_EQ(public_name(symbol), "write") << symbol;
  EXPECT_EQ(public_name("_IO_new_fclose"), "fclose");
  EXPECT_EQ(public_name("__new_sem_wait"), "sem_wait");
  EXPECT_EQ(public_name("pread64"), "pread64");
  // Names of a program's own functions.
  EXPECT_EQ(public_name("new_read"), "new_read");
  EXPECT_EQ(public_name("IO_read"), "IO_read");
  EXPECT_EQ(public_name("___"), "");
}

TEST(SymbolNames, Variants) {
  EXPECT_EQ(base_name("__read_chk"), "read");
  EXPECT_EQ(base_name("__libc_pread64"), "pread");
  EXPECT_EQ(base_name("fputs_unlocked"), "fputs");
}

TEST(SymbolNames, Go) {
  EXPECT_EQ(go_system_call("syscall.read"), "read");
  EXPECT_EQ(go_system_call("golang.org/x/sys/unix.futex"), "futex");
  for (const char* other : {"syscall.Syscall6", "syscall.", "os.read", "read"})
    EXPECT_EQ(go_system_call(other), "") << other;
  for (const char* library : {"os.(*File).Read", "internal/poll.(*FD).Read", "runtime.mallocgc"})
    EXPECT_TRUE(is_go_library(library)) << library;
  for (const char* own :
       {"main.main", "sort", "sort.part.0", "time.constprop.3", "example.com/os.Read"})
    EXPECT_FALSE(is_go_library(own)) << own;
}

}  // namespace
}  // namespace prof::events
