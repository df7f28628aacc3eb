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
  // `worker` is the number of the thread, from 0 on.
  using Task = std::function<void(unsigned worker)>;

  ~WorkQueue() { stop(); }

  // Adds a task. Tasks can add tasks. With `first` the task is put before the waiting ones.
  void add(Task task, bool first = false);
  // Runs tasks until none is left, then calls `at_end`, which can add more tasks. The threads end
  // when it adds none.
  void start(unsigned threads, std::function<void()> at_end);
  void wait();
  // Ends the threads after the tasks that run now.
  void stop();

 private:
  void work(unsigned worker);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  std::function<void()> at_end_;
  std::size_t added_ = 0;  // number of tasks that were ever added
  std::size_t running_ = 0;
  bool done_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace prof::timeline
