#include "collector/sampler/running_tasks.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>
#include <thread>

namespace prof::sampler {
namespace {

using spool::KernelRecord;
using spool::KernelThreadName;

// The names of the threads of this process, by tid.
std::map<std::uint32_t, std::string> own_threads(std::span<const std::byte> bytes) {
  std::map<std::uint32_t, std::string> names;
  std::uint64_t before = 0;
  for (; !bytes.empty(); bytes = bytes.subspan(sizeof(KernelRecord) + sizeof(KernelThreadName))) {
    KernelRecord record;
    KernelThreadName name;
    std::memcpy(&record, bytes.data(), sizeof record);
    std::memcpy(&name, bytes.data() + sizeof record, sizeof name);
    EXPECT_EQ(record.type, spool::KernelRecordType::kName);
    EXPECT_EQ(record.flags, spool::kNameFromProc);
    EXPECT_LE(before, record.time);
    before = record.time;
    if (record.pid == static_cast<std::uint32_t>(getpid()))
      names[record.tid] = {name.text, strnlen(name.text, sizeof name.text)};
  }
  return names;
}

TEST(RunningTasks, EveryThreadHasItsName) {
  char own[16] = {};
  pthread_getname_np(pthread_self(), own, sizeof own);
  KernelRecordBuffer records;
  pid_t tid = 0;
  std::thread([&] {
    pthread_setname_np(pthread_self(), "fifteen letters");
    tid = gettid();
    add_running_tasks(records);
  }).join();
  const auto names = own_threads(records.bytes());
  EXPECT_EQ(names.at(static_cast<std::uint32_t>(tid)), "fifteen letters");
  EXPECT_EQ(names.at(static_cast<std::uint32_t>(getpid())), own);
}

}  // namespace
}  // namespace prof::sampler
