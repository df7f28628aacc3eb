#include "common/code/unwind/mapped_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "common/code/unwind/module.hpp"
#include "tests/unit/temporary_directory.hpp"

namespace prof::unwind {
namespace {

namespace fs = std::filesystem;

// Maps the start of the file, whose descriptor is closed.
class Mapped {
 public:
  explicit Mapped(int descriptor) {
    memory_ = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, descriptor, 0);
    close(descriptor);
  }
  ~Mapped() { munmap(memory_, 4096); }
  Mapped(const Mapped&) = delete;

  MapEvent event() const {
    const auto maps = read_process_maps("self");
    const auto start = reinterpret_cast<std::uint64_t>(memory_);
    return *std::ranges::find(*maps, start, &MapEvent::start);
  }

 private:
  void* memory_;
};

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest() : path_(directory_.file("program")) { fs::copy_file("/proc/self/exe", path_); }
  static MappedFile find(const MapEvent& event) {
    return find_mapped_file(getpid(), event, path_of_file(event, ""), "");
  }

  test::TemporaryDirectory directory_;
  const std::string path_;
};

TEST_F(MappedFileTest, AtItsPath) {
  const Mapped mapped(open(path_.c_str(), O_RDONLY));
  const MappedFile file = find(mapped.event());
  EXPECT_TRUE(file.is_at_path);
  EXPECT_EQ(file.path, path_);
}

TEST_F(MappedFileTest, ReplacedWhileItIsMapped) {
  const Mapped mapped(open(path_.c_str(), O_RDONLY));
  const MapEvent before = mapped.event();
  const auto inode = before.inode;
  fs::copy_file("/bin/sh", path_ + "2");
  fs::rename(path_ + "2", path_);
  const MapEvent now = mapped.event();
  EXPECT_EQ(now.path, path_ + " (deleted)");
  EXPECT_EQ(path_of_file(now, ""), path_);
  for (const MapEvent& event : {before, now}) {
    const MappedFile file = find(event);
    EXPECT_FALSE(file.is_at_path);
    // Reading the link of a mapping needs a capability.
    EXPECT_EQ(file.path.empty() ? inode : file.version.inode, inode);
  }
}

TEST_F(MappedFileTest, OnlyCodeInAMemfdIsAModule) {
  Modules modules;
  const auto module_of = [&](const char* text, std::size_t size) {
    const int memfd = memfd_create("packed", 0);
    EXPECT_EQ(write(memfd, text, size), static_cast<ssize_t>(size));
    const Mapped mapped(memfd);
    return modules.find(mapped.event(), getpid());
  };
  const symbols::Bytes head = [] {
    symbols::Bytes bytes(8192);
    const int file = open("/proc/self/exe", O_RDONLY);
    EXPECT_EQ(read(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(file);
    return bytes;
  }();
  const auto module = module_of(reinterpret_cast<const char*>(head.data()), head.size());
  ASSERT_TRUE(module);
  EXPECT_EQ(module->path(), "/memfd:packed");
  EXPECT_FALSE(module->is_at_path());
  EXPECT_EQ(module_of("code of a JIT compiler", 22), nullptr);
}

}  // namespace
}  // namespace prof::unwind
