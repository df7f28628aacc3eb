#include "exporters/viewer/timeline/loading/work_queue.hpp"

namespace prof::timeline {

void WorkQueue::add(Task task, bool first) {
  const std::scoped_lock lock(mutex_);
  ++added_;
  if (first)
    tasks_.push_front(std::move(task));
  else
    tasks_.push_back(std::move(task));
  changed_.notify_one();
}

void WorkQueue::start(unsigned threads, std::function<void()> at_end) {
  at_end_ = std::move(at_end);
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
}

void WorkQueue::work(unsigned worker) {
  std::unique_lock lock(mutex_);
  while (!done_) {
    if (!tasks_.empty()) {
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      ++running_;
      lock.unlock();
      task(worker);
      task = nullptr;  // may hold much memory
      lock.lock();
      --running_;
    } else if (running_ > 0) {
      changed_.wait(lock);
    } else {
      // This is the last thread. While it calls at_end(), the others see a running task. They may
      // carry out the added tasks before the call returns, so an empty queue does not mean that
      // none were added.
      const std::size_t before = added_;
      ++running_;
      lock.unlock();
      at_end_();
      lock.lock();
      --running_;
      done_ = done_ || added_ == before;
    }
    if (done_ || running_ == 0) changed_.notify_all();
  }
}

void WorkQueue::wait() {
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void WorkQueue::stop() {
  {
    const std::scoped_lock lock(mutex_);
    tasks_.clear();
    done_ = true;
    changed_.notify_all();
  }
  wait();
}

}  // namespace prof::timeline
