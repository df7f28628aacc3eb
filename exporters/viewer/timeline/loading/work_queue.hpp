// Tasks that a few threads carry out.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace prof::timeline {

class WorkQueue {
 public:
  // `worker`: the number of the thread, from 0 on.
  using Task = std::function<void(unsigned worker)>;

  ~WorkQueue() { stop(); }

  // Tasks can add tasks. `first`: before those that wait.
  void add(Task task, bool first = false);
  // Runs tasks until none is left, then `at_end`, which can add more; when it adds none, the
  // threads end.
  void start(unsigned threads, std::function<void()> at_end);
  void wait();
  // Ends after the tasks that run now.
  void stop();

 private:
  void work(unsigned worker);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::function<void()> at_end_;
  std::size_t added_ = 0;  // ever
  std::size_t running_ = 0;
  bool done_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace prof::timeline
