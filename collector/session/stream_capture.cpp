#include "collector/session/stream_capture.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace prof::session {

namespace {

constexpr off_t kMaxBytes = 16 << 20;
constexpr const char* kNames[] = {"stdout.log", "stderr.log"};

std::string path_of(int fd) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  const ssize_t length = readlink(link.c_str(), path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "";
}

std::string read_from(const std::string& path, off_t start) {
  const base::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0) return "";
  off_t at = std::max(start, info.st_size - kMaxBytes);
  std::string content;
  char buffer[65536];
  ssize_t bytes;
  while ((bytes = pread(fd.get(), buffer, sizeof buffer, at)) > 0) {
    content.append(buffer, static_cast<std::size_t>(bytes));
    at += bytes;
  }
  return content;
}

}  // namespace

base::UniqueFd redirected_stream(const std::string& directory, int number) {
  const std::string path = directory + "/" + kNames[number];
  base::UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (file && fchmod(file.get(), 0600) != 0) file.reset();
  return file;
}

std::vector<CapturedStream> read_redirected_streams(const SessionDirectory& directory) {
  std::vector<CapturedStream> result;
  for (const char* name : kNames) {
    const std::string path = directory.file(name);
    if (access(path.c_str(), F_OK) == 0) result.push_back({path, read_from(path, 0)});
  }
  return result;
}

base::Result<StreamCapture> StreamCapture::create(const SessionDirectory& directory, bool show) {
  StreamCapture capture;
  for (int i = 0; i < 2; ++i) {
    Stream& stream = capture.streams_[i];
    if (!show) {
      stream.path = directory.file(kNames[i]);
      stream.redirected = redirected_stream(directory.path(), i);
      if (!stream.redirected) return base::fail_errno("cannot write " + stream.path, errno);
      continue;
    }
    struct stat info {};
    if (fstat(i + 1, &info) != 0 || !S_ISREG(info.st_mode)) continue;
    stream.path = path_of(i + 1);
    const bool appends = (fcntl(i + 1, F_GETFL) & O_APPEND) != 0;
    stream.start = appends ? info.st_size : lseek(i + 1, 0, SEEK_CUR);
    stream.device = info.st_dev;
    stream.inode = info.st_ino;
  }
  return capture;
}

std::vector<CapturedStream> StreamCapture::collect() const {
  std::vector<CapturedStream> result;
  for (const Stream& stream : streams_) {
    const bool same_file = &stream == &streams_[1] && stream.inode != 0 &&
                           stream.inode == streams_[0].inode && stream.device == streams_[0].device;
    if (stream.path.empty() || same_file) continue;  // 2>&1: both are the same file
    result.push_back({stream.path, read_from(stream.path, stream.start)});
  }
  return result;
}

}  // namespace prof::session
