#include "injection/core/startup/environment.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "tests/unit/injection/core/session_fixture.hpp"

namespace prof::core {
namespace {

constexpr char kFolder[] = "/tmp";  // a folder that exists, as that of a session that goes on
constexpr char kSession[] = "PROF_SESSION=/tmp";

class Environment : public SessionFixture {
 protected:
  Environment() {
    g_process.features |= wire::kFeatureRepairEnvironment;
    g_process.user = geteuid();
    g_process.sandboxed = false;
    std::strcpy(g_process.session, kFolder);
    std::strcpy(g_process.library, "/opt/libprof_inject.so");
  }

  static std::vector<std::string> repaired(std::vector<const char*> given) {
    given.push_back(nullptr);
    const ChildEnvironment child(const_cast<char* const*>(given.data()));
    std::vector<std::string> result;
    for (char* const* at = child.get(); *at != nullptr; ++at) result.emplace_back(*at);
    return result;
  }

  const std::vector<const char*> whole_{"A=1", kSession, "LD_PRELOAD=/opt/libprof_inject.so",
                                        "NVTX_INJECTION64_PATH=/opt/libprof_inject.so"};
};

TEST_F(Environment, ACompleteOneIsNotChanged) {
  auto given = whole_;
  given.push_back(nullptr);
  const ChildEnvironment child(const_cast<char* const*>(given.data()));
  EXPECT_FALSE(child.is_changed());
  EXPECT_EQ(child.get(), const_cast<char* const*>(given.data()));
}

TEST_F(Environment, MissingVariablesArePutBack) {
  EXPECT_EQ(repaired({"A=1"}),
            (std::vector<std::string>{"A=1", kSession, "LD_PRELOAD=/opt/libprof_inject.so",
                                      "NVTX_INJECTION64_PATH=/opt/libprof_inject.so"}));
}

TEST_F(Environment, NullMeansEmpty) {
  const ChildEnvironment child(nullptr);
  EXPECT_TRUE(child.is_changed());
}

TEST_F(Environment, OurLibraryComesBeforeOthers) {
  const auto result = repaired({"LD_PRELOAD=/other.so", kSession});
  EXPECT_EQ(result[0], "LD_PRELOAD=/opt/libprof_inject.so:/other.so");
}

TEST_F(Environment, SanitizersComeBeforeOurs) {
  const auto list = [](const char* given) {
    const auto environment = repaired({given});
    return environment.front();
  };
  EXPECT_EQ(list("LD_PRELOAD=/x/libasan.so.8"),
            "LD_PRELOAD=/x/libasan.so.8:/opt/libprof_inject.so");
  EXPECT_EQ(list("LD_PRELOAD=a.so libtsan.so.2 b.so"),
            "LD_PRELOAD=a.so libtsan.so.2 /opt/libprof_inject.so:b.so");
  EXPECT_EQ(list("LD_PRELOAD=mylibasan.so"), "LD_PRELOAD=/opt/libprof_inject.so:mylibasan.so");
}

TEST_F(Environment, ASandboxedProcessStartsNoSession) {
  std::string session = kSession;
  g_process.sandboxed = true;
  const auto environment = repaired({"A=1", session.c_str(), "B=2"});
  EXPECT_EQ(environment, (std::vector<std::string>{"A=1", "PROF_SESSION=", "B=2"}));
  char other[] = "PROF_SESSION=/run/prof-2";
  EXPECT_EQ(repaired({other}), std::vector<std::string>{"PROF_SESSION=/run/prof-2"});
  g_process.sandboxed = false;
  EXPECT_EQ(repaired({session.c_str()}).at(1), kSession);  // it counts as missing
}

TEST_F(Environment, OneThatCannotBeReadIsPassedOn) {
  char** const bad = reinterpret_cast<char**>(8);
  EXPECT_EQ(ChildEnvironment(bad).get(), bad);
  char* bad_text[] = {const_cast<char*>("A=1"), reinterpret_cast<char*>(8), nullptr};
  EXPECT_FALSE(ChildEnvironment(bad_text).is_changed());
  // The array and a text reach up to memory that is not there.
  constexpr std::size_t kPage = 4096;
  char* const pages = static_cast<char*>(
      mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(pages + kPage, kPage, PROT_NONE);
  char** const array = reinterpret_cast<char**>(pages + kPage - sizeof(char*));
  array[0] = const_cast<char*>("A=1");
  EXPECT_FALSE(ChildEnvironment(array).is_changed());
  std::memset(pages, 'x', kPage);
  char* endless[] = {pages, nullptr};
  EXPECT_FALSE(ChildEnvironment(endless).is_changed());
  array[0] = nullptr;
  EXPECT_TRUE(ChildEnvironment(array).is_changed());
  munmap(pages, 2 * kPage);
}

TEST_F(Environment, ALibraryWhoseNameContainsOursIsAnother) {
  const auto result = repaired({"LD_PRELOAD=/opt/libprof_inject.so.old /x/opt/libprof_inject.so"});
  EXPECT_EQ(
      result[0],
      "LD_PRELOAD=/opt/libprof_inject.so:/opt/libprof_inject.so.old /x/opt/libprof_inject.so");
}

TEST_F(Environment, OurLibraryIsFoundAnywhereInTheList) {
  auto given = whole_;
  given[2] = "LD_PRELOAD=/a.so:/opt/libprof_inject.so /b.so";
  EXPECT_EQ(repaired(given)[2], given[2]);
}

TEST_F(Environment, LibraryTracersComeAfterOurs) {
  g_process.features |= wire::library_feature(static_cast<std::uint32_t>(wire::Library::kCublas)) |
                        wire::library_feature(static_cast<std::uint32_t>(wire::Library::kNccl));
  const std::string whole =
      "LD_PRELOAD=/opt/libprof_inject.so:/opt/libprof_cublas.so:/opt/libprof_nccl.so";
  EXPECT_EQ(repaired({"LD_PRELOAD=/other.so"})[0], whole + ":/other.so");
  EXPECT_EQ(repaired({"LD_PRELOAD=/opt/libprof_inject.so"})[0], whole + ":/opt/libprof_inject.so");
  EXPECT_EQ(repaired({whole.c_str()})[0], whole);
}

TEST_F(Environment, ALongListIsKept) {
  const std::string list = "/" + std::string(5000, 'x');
  EXPECT_EQ(repaired({("LD_PRELOAD=" + list).c_str()})[0],
            "LD_PRELOAD=/opt/libprof_inject.so:" + list);
}

TEST_F(Environment, AnotherNvtxToolIsKept) {
  const auto result = repaired({"NVTX_INJECTION64_PATH=/their.so"});
  EXPECT_EQ(result[0], "NVTX_INJECTION64_PATH=/their.so");
}

TEST_F(Environment, OursAreRemovedAfterTheSession) {
  g_live.word = kOff;
  EXPECT_EQ(repaired(whole_), std::vector<std::string>{"A=1"});
  EXPECT_EQ(repaired({"A=1", "LD_PRELOAD=/a.so:/opt/libprof_nccl.so /opt/libprof_inject.so:/b.so"}),
            (std::vector<std::string>{"A=1", "LD_PRELOAD=/a.so:/b.so"}));
  EXPECT_EQ(repaired({"LD_PRELOAD=/opt/libprof_inject.so.old", "NVTX_INJECTION64_PATH=/their.so"}),
            (std::vector<std::string>{"LD_PRELOAD=/opt/libprof_inject.so.old",
                                      "NVTX_INJECTION64_PATH=/their.so"}));
  const std::string list = "LD_PRELOAD=/" + std::string(5000, 'x');
  EXPECT_EQ(repaired({list.c_str()})[0], list);
}

TEST_F(Environment, OursAreRemovedForAUserWhoCannotEnterTheDirectory) {
  const uid_t user = geteuid();
  ASSERT_TRUE(user != 0 || seteuid(65534) == 0);
  g_process.user = geteuid() + 1;                                // when it joined
  EXPECT_EQ(repaired(whole_), std::vector<std::string>{"A=1"});  // the folder is root's
  ASSERT_EQ(seteuid(user), 0);
}

TEST_F(Environment, OursAreRemovedAfterThatOfTheSessionsFolder) {
  std::strcpy(g_process.session, "/run/no-such-folder");
  EXPECT_EQ(
      repaired({"A=1", "PROF_SESSION=/run/no-such-folder", "LD_PRELOAD=/opt/libprof_inject.so"}),
      std::vector<std::string>{"A=1"});
  // A prof inside of the session has begun its own.
  EXPECT_EQ(repaired({"PROF_SESSION=/run/prof-2", "LD_PRELOAD=/opt/libprof_inject.so"}).size(), 2U);
}

TEST_F(Environment, ChildrenOfAnUntracedForkChildStayInTheSession) {
  g_live.word = kUntilExec;
  EXPECT_EQ(repaired({"A=1"}).size(), 4U);
}

TEST_F(Environment, LargeOnesFit) {
  std::vector<std::string> strings;
  for (int i = 0; i < 5000; ++i) strings.push_back("V" + std::to_string(i) + "=x");
  std::vector<const char*> given;
  for (const auto& string : strings) given.push_back(string.c_str());
  EXPECT_EQ(repaired(given).size(), 5003U);
}

}  // namespace
}  // namespace prof::core
