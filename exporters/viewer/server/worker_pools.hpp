// Holds the threads that make answers, with a pool for each queue.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include "exporters/viewer/answers/answers.hpp"

namespace prof::view {

class WorkerPools {
 public:
  template <class Work>
  void post(Queue queue, Work work) {
    boost::asio::post(pool_of(queue), std::move(work));
  }

 private:
  static constexpr int kThreads =
      2;  // number of threads in each pool, so that one long answer does not stop the others

  boost::asio::thread_pool& pool_of(Queue queue) {
    if (queue == Queue::kTiles) return tiles_;
    return queue == Queue::kEvents ? events_ : statistics_;
  }

  boost::asio::thread_pool tiles_{kThreads};
  boost::asio::thread_pool events_{kThreads};
  boost::asio::thread_pool statistics_{kThreads};
};

}  // namespace prof::view
