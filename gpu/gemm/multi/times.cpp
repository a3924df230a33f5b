#include "gpu/gemm/multi/times.h"

namespace gemmlab::gpu {

void CardClock::join(std::initializer_list<cudaStream_t> others, cudaStream_t last, cudaStream_t into) const {
  // the last would do, as it waits for the others' work; but a capture into a graph wants every stream back
  for (const cudaStream_t one : others) {
    end_.record(one);
    end_.wait_in(last);
  }
  over_.record(last);
  over_.wait_in(into);
}

void add_times(const std::vector<CardTimes>& cards, Facts& facts) {
  double waiting = 0;
  double arriving = 0;
  for (const CardTimes& card : cards) {
    if (card.whole_s <= 0) return;
    waiting += 1 - card.multiplying_s / card.whole_s;
    arriving += card.arriving_s / card.whole_s;
  }
  facts["share_not_multiplying"] = waiting / static_cast<double>(cards.size());
  facts["share_arriving"] = arriving / static_cast<double>(cards.size());
}

}  // namespace gemmlab::gpu
