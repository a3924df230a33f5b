#pragma once

// What belongs to one of several cards: the current card of a scope, streams, events, copies from card to card.

#include <cuda_runtime.h>

#include <cstdint>

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
  CardStream();
  ~CardStream() { cudaStreamDestroy(stream_); }
  CardStream(const CardStream&) = delete;
  CardStream& operator=(const CardStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// An event of the current card, which takes no time.
class CardEvent {
 public:
  CardEvent();
  ~CardEvent() { cudaEventDestroy(event_); }
  CardEvent(const CardEvent&) = delete;
  CardEvent& operator=(const CardEvent&) = delete;
  void record(cudaStream_t stream) const;
  /// What the stream is given from now on waits for the last record().
  void wait_in(cudaStream_t stream) const;

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

/// Rows of floats, `stride` from one to the next, in the memory of a card.
struct RowsOnCard {
  const float* at = nullptr;
  std::int64_t stride = 0;
  int card = 0;
};

/// Copies rows×cols floats, which may lie on two cards. Nothing is done for none.
void copy_rows(float* to, std::int64_t to_stride, int to_card, const RowsOnCard& from, std::int64_t rows,
               std::int64_t cols, cudaStream_t stream);

/// Lets the cards 0 to cards - 1 write to each other directly where the machine can. The number of ordered pairs that can.
int enable_peers(int cards);

}  // namespace gemmlab::gpu
