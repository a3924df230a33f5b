#pragma once

// What belongs to one of several cards: the current card of a scope, streams, events, copies from card to card.

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace gemmlab::gpu {

/// Makes a card the current one until the end of the scope, also when a call throws.
class OnCard {
 public:
  explicit OnCard(int card);
  ~OnCard() { cudaSetDevice(before_); }
  OnCard(const OnCard&) = delete;
  OnCard& operator=(const OnCard&) = delete;

 private:
  int before_ = 0;
};

/// A stream of the current card.
class CardStream {
 public:
  enum class Priority { kUsual, kHighest };
  explicit CardStream(Priority priority = Priority::kUsual);
  ~CardStream() { cudaStreamDestroy(stream_); }
  CardStream(const CardStream&) = delete;
  CardStream& operator=(const CardStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event of the current card.
class CardEvent {
 public:
  enum class Clock { kNo, kYes };
  explicit CardEvent(Clock clock = Clock::kNo);
  ~CardEvent() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  CardEvent(CardEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  CardEvent(const CardEvent&) = delete;
  CardEvent& operator=(const CardEvent&) = delete;
  void record(cudaStream_t stream) const;
  /// What the stream is given from now on waits for the last record().
  void wait_in(cudaStream_t stream) const;
  /// Seconds from another event of the card to this one, both with a clock and recorded. Waits for them.
  double since_s(const CardEvent& earlier) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Work of the implementations goes into another stream until the end of the scope.
class IntoStream {
 public:
  explicit IntoStream(cudaStream_t stream);
  ~IntoStream();
  IntoStream(const IntoStream&) = delete;
  IntoStream& operator=(const IntoStream&) = delete;

 private:
  cudaStream_t before_;
};

/// Is what the stream is given captured into a graph?
bool is_captured(cudaStream_t stream);

/// In place of a card's number: page-locked memory of the host.
inline constexpr int kHostMemory = -1;

/// Rows of floats, `stride` from one to the next, in the memory of a card or of the host.
template <typename Float>
struct RowsAt {
  Float* at = nullptr;
  std::int64_t stride = 0;
  int card = 0;
};

/// Copies rows×cols floats, which may lie on two cards, or one of them on the host. Nothing is done for none.
void copy_rows(const RowsAt<float>& to, const RowsAt<const float>& from, std::int64_t rows, std::int64_t cols,
               cudaStream_t stream);

inline std::size_t bytes_of(std::int64_t floats) {
  return sizeof(float) * static_cast<std::size_t>(floats);
}

/// Are two cards joined so that a kernel's own writes to the other's memory are as good as a copy?
bool nvlink_joins(int card, int other);

/// Lets the cards 0 to cards - 1 write to each other directly where the machine can. The number of ordered pairs that can.
int enable_peers(int cards);

}  // namespace gemmlab::gpu
