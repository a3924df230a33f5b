#include "submissions/judge/inputs/window_inputs.h"

#include "submissions/judge/inputs/timed_inputs.h"

namespace gemmlab::submissions {
namespace {

constexpr std::uint32_t kKeys = 0x77000004;     ///< of the secret, for this
constexpr std::uint64_t kAnswers = 1ULL << 63;  ///< apart from the numbers of a CPU's calls

}  // namespace

WindowKey WindowInputs::key(std::uint64_t number) const {
  WindowKey key{};
  secret_.stream(key.words, std::size(key.words),
                 {kKeys, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)},
                 stream_);
  return key;
}

std::int64_t WindowInputs::call_after(const WindowKey& key, const Seal& previous) {
  std::array<std::uint32_t, 8> words;
  inputs_key(key, previous, words.data());
  const auto [found, is_new] = numbers_.emplace(words, static_cast<std::int64_t>(numbers_.size()));
  now_ = found->second;
  if (known(now_)) return now_;
  a_.resize(static_cast<std::size_t>(shape_.a_count()));
  b_.resize(static_cast<std::size_t>(shape_.b_count()));
  const Secret told = Secret::of(words);
  fill_uniform(a_.data(), shape_.a_count(), told, {0, 0, 0});
  fill_uniform(b_.data(), shape_.b_count(), told, {1, 0, 0});
  const std::uint64_t number = kAnswers | std::uint64_t{stream_} << 32 | static_cast<std::uint64_t>(now_);
  keep(now_, TimedAnswer(shape_, a_.data(), b_.data(), secret_, number, product_));
  return now_;
}

}  // namespace gemmlab::submissions
