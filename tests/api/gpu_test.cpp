// The library on a card, as a program with streams, threads and graphs of its own uses it: through the header,
// the shared library and the CUDA runtime alone.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/api/captures.h"

namespace gemmlab_test {
namespace {

/// Hands out turns to `count` threads, one after the other.
class Turns {
 public:
  explicit Turns(int count) : count_(count) {}
  template <typename Work>
  void take(int mine, const Work& work) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == mine || over_; });
    work();
    turn_ = (turn_ + 1) % count_;
    changed_.notify_all();
  }
  /// One of them has failed: the others wait no longer.
  void give_up() {
    const std::lock_guard lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_;
  int turn_ = 0;
  bool over_ = false;
};

class ApiOnGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    int cards = 0;
    if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0) GTEST_SKIP() << "no CUDA device";
    twelve();
    gemmlab_release();
  }

  /// Each of three threads captures every shape; `in_turns`: of all threads one capture after the other, with
  /// another thread's first call of a shape between any two of one's own. Else as they come.
  void capture_by_three_threads(bool in_turns, const Problems& problems = twelve(),
                                const char* of_tensor = nullptr) {
    const std::vector<std::string> ids = {"gpu.pipelined", "gpu.tensor", "gpu.cublas"};
    Turns turns(static_cast<int>(ids.size()));
    std::vector<std::string> failed(ids.size());
    std::vector<int> wrong(ids.size(), -1);
    std::vector<std::thread> threads;
    for (std::size_t mine = 0; mine < ids.size(); ++mine) {
      threads.emplace_back([&, mine] {
        try {
          Captures captures(ids[mine], ids[mine] == "gpu.tensor" ? of_tensor : nullptr, problems);
          const std::size_t apart = problems.size() / ids.size();  // never the same as another's
          for (std::size_t i = 0; i < problems.size(); ++i) {
            const std::size_t shape = (i + apart * mine) % problems.size();
            const auto capture = [&] {
              captures.begin();
              captures.call(shape);
              captures.end(shape);
            };
            if (in_turns) {
              turns.take(static_cast<int>(mine), capture);
            } else {
              capture();
            }
          }
          wrong[mine] = 0;
          for (const int seed : {0, 1, 0}) wrong[mine] += captures.wrong_replays(seed);
        } catch (const std::exception& error) {
          failed[mine] = error.what();
          turns.give_up();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (std::size_t mine = 0; mine < ids.size(); ++mine) {
      EXPECT_EQ(failed[mine], "") << ids[mine];
      EXPECT_EQ(wrong[mine], 0) << ids[mine];
    }
  }
};

TEST_F(ApiOnGpu, three_threads_capture_twelve_shapes_in_turns_and_every_replay_is_right) {
  capture_by_three_threads(true);
}

TEST_F(ApiOnGpu, three_threads_capture_twelve_shapes_at_once_and_every_replay_is_right) {
  capture_by_three_threads(false);
}

TEST_F(ApiOnGpu, three_threads_capture_four_small_shapes_in_turns_and_at_once_and_every_replay_is_right) {
  const Problems small(kSmallShapes);
  for (const bool in_turns : {true, false}) capture_by_three_threads(in_turns, small, "instruction=wgmma");
}

/// As above without the library, whose kernels are not ours to check.
TEST_F(ApiOnGpu, one_thread_captures_four_small_shapes_and_every_replay_is_right) {
  const Problems small(kSmallShapes);
  for (const char* id : {"gpu.pipelined", "gpu.tensor"}) {
    Captures captures(id, std::string(id) == "gpu.tensor" ? "instruction=wgmma" : nullptr, small);
    for (std::size_t shape = 0; shape < small.size(); ++shape) {
      captures.begin();
      captures.call(shape);
      captures.end(shape);
    }
    EXPECT_EQ(captures.wrong_replays(0) + captures.wrong_replays(1), 0) << id;
  }
}

/// To end what cuBLAS has made waits for the whole card, and would end the other thread's capture.
TEST_F(ApiOnGpu, a_handle_of_a_library_ends_while_another_thread_captures_and_is_given_back_when_asked) {
  Captures captured("gpu.pipelined");
  const auto free_bytes = [] {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total));
    return free;
  };
  for (std::size_t shape = 0; shape < kShapes.size(); ++shape) {
    captured.begin();
    if (shape % 6 == 0) {
      std::string failed;
      std::jthread([&] {
        try {
          const Captures library("gpu.cublas");  // multiplies each shape once, and ends
        } catch (const std::exception& error) {
          failed = error.what();
        }
      }).join();
      ASSERT_EQ(failed, "");
    }
    captured.call(shape);
    captured.end(shape);
  }
  EXPECT_EQ(captured.wrong_replays(0) + captured.wrong_replays(1), 0);
  const std::size_t before = free_bytes();
  gemmlab_release();
  EXPECT_GE(free_bytes(), before + (std::size_t{32} << 20)) << "cuBLAS' workspaces were kept";
}

/// One thread's call prepares a shape and runs it while another thread's stream is being captured.
TEST_F(ApiOnGpu, a_call_of_another_thread_while_one_captures_disturbs_neither) {
  Captures captured("gpu.pipelined");
  Captures other("gpu.tensor");
  for (std::size_t shape = 0; shape < kShapes.size(); ++shape) {
    captured.begin();
    std::string failed;
    std::jthread beside([&] {  // ends also where this thread's call throws
      try {
        other.begin();
        other.call(shape);
        other.end(shape);
      } catch (const std::exception& error) {
        failed = error.what();
      }
    });
    captured.call(shape);
    beside.join();
    ASSERT_EQ(failed, "") << kShapes[shape];
    captured.end(shape);
  }
  EXPECT_EQ(captured.wrong_replays(0) + captured.wrong_replays(1), 0);
  EXPECT_EQ(other.wrong_replays(0) + other.wrong_replays(1), 0);
}

}  // namespace
}  // namespace gemmlab_test
