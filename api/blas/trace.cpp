#include "api/blas/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "api/blas/settings.h"

namespace gemmlab::blas {
namespace {

using Json = nlohmann::ordered_json;

/// Calls of one kind.
struct Tally {
  std::string function;
  std::string by;
  std::string reason;  ///< why it was passed on
  Side side = Side::kHost;
  Shape shape;
  GemmForm form;
  GemmTypes types;
  bool bias = false;
  std::int64_t batch = 1;
  std::int64_t calls = 0;
  std::int64_t timed_calls = 0;
  double seconds = 0;  ///< of those
};

std::string described(const Tally& tally) {
  const Shape& shape = tally.shape;
  std::string text = fmt::format("{} M={} N={} K={}", tally.function, shape.m, shape.n, shape.k);
  if (const std::string form = describe(shape, tally.form); !form.empty()) text += ", " + form;
  if (!tally.types.plain()) text += ", " + describe(tally.types);
  if (tally.bias) text += ", with a bias";
  if (tally.batch != 1) text += fmt::format(", {} products", tally.batch);
  return text;
}

std::string line_of(const Tally& tally) {
  std::string text = fmt::format("gemmlab: {}: {} {} by {}", described(tally), tally.calls,
                                 tally.calls == 1 ? "call" : "calls", tally.by);
  if (!tally.reason.empty() && tally.reason != "off") text += fmt::format(" ({})", tally.reason);
  if (tally.timed_calls == 0) return text + ", not timed: captured into a graph\n";
  const double flop = tally.shape.flop() * static_cast<double>(tally.batch * tally.timed_calls);
  return text + fmt::format(", {:.3f} ms in all, {:.1f} {}/s\n", tally.seconds * 1e3,
                            tally.seconds > 0 ? flop / tally.seconds * 1e-9 : 0,
                            is_integer(tally.types.type) ? "GOP" : "GFLOP");
}

Json json_of(const Tally& tally) {
  const GemmForm& form = tally.form;
  return {{"function", tally.function},
          {"operands", tally.side == Side::kHost ? "host" : "device"},
          {"m", tally.shape.m},
          {"n", tally.shape.n},
          {"k", tally.shape.k},
          {"transpose_a", form.transpose_a},
          {"transpose_b", form.transpose_b},
          {"alpha", form.alpha},
          {"beta", form.beta},
          {"lda", form.lda},
          {"ldb", form.ldb},
          {"ldc", form.ldc},
          {"type", to_string(tally.types.type)},
          {"result", to_string(tally.types.result)},
          {"bias", tally.bias},
          {"batch", tally.batch},
          {"by", tally.by},
          {"reason", tally.reason},
          {"calls", tally.calls},
          {"timed_calls", tally.timed_calls},
          {"seconds", tally.seconds}};
}

/// All calls so far; written when the program ends.
class Book {
 public:
  ~Book() {
    const std::lock_guard lock(mutex_);
    while (!pending_.empty()) settle_first();
    trace_target() == "1" ? print() : write();
  }

  void add(const Call& call, const std::string& by, const std::string& reason, std::optional<double> seconds,
           std::unique_ptr<DeviceStretch> stretch) {
    const std::lock_guard lock(mutex_);
    Tally& tally = tally_of(call, by, reason);
    ++tally.calls;
    if (seconds) count(tally, *seconds);
    if (stretch) pending_.emplace_back(&tally, std::move(stretch));
    while (!pending_.empty() && pending_.front().second->is_over()) settle_first();
  }

 private:
  static void count(Tally& tally, double seconds) {
    ++tally.timed_calls;
    tally.seconds += seconds;
  }

  void settle_first() {
    if (const std::optional<double> seconds = pending_.front().second->seconds())
      count(*pending_.front().first, *seconds);
    pending_.pop_front();
  }

  Tally& tally_of(const Call& call, const std::string& by, const std::string& reason) {
    const Shape& shape = call.product.shape;
    const GemmForm& form = call.product.form;
    const GemmTypes& types = call.product.types;
    const bool bias = call.product.bias != nullptr;
    const auto key = std::make_tuple(std::string(call.function), by, shape.m, shape.n, shape.k,
                                     form.transpose_a, form.transpose_b, form.alpha, form.beta, form.lda,
                                     form.ldb, form.ldc, call.product.count, types.type, types.result, bias);
    const auto [place, is_new] = by_key_.emplace(key, nullptr);
    if (is_new) {
      tallies_.push_back(
          {call.function, by, reason, call.side, shape, form, types, bias, call.product.count});
      place->second = &tallies_.back();
    }
    return *place->second;
  }

  void print() const {
    std::string text;
    for (const Tally& tally : tallies_) text += line_of(tally);
    std::fputs(text.c_str(), stderr);
  }

  /// At the end of the file, in one piece: children of the program write to it as well.
  void write() const {
    std::string text;
    for (const Tally& tally : tallies_) text += json_of(tally).dump() + "\n";
    const int file = open(trace_target().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    const bool written =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (!written)
      std::fprintf(stderr, "gemmlab: GEMMLAB_TRACE=%s: cannot be written: %s\n", trace_target().c_str(),
                   std::strerror(errno));
    if (file >= 0) close(file);
  }

  using Key =
      std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t, bool, bool, float, float,
                 std::int64_t, std::int64_t, std::int64_t, std::int64_t, ElementType, ElementType, bool>;
  std::mutex mutex_;
  std::list<Tally> tallies_;  ///< in the order of the first call
  std::map<Key, Tally*> by_key_;
  std::list<std::pair<Tally*, std::unique_ptr<DeviceStretch>>> pending_;
};

Book& book() {
  static Book all;
  return all;
}

}  // namespace

Traced::Traced(const Call& call) : call_(call), on_(!trace_target().empty()) {
  if (!on_) return;
  book();  // made before what it will outlive
  if (call.side == Side::kDevice) stretch_ = DeviceStretch::begin(call.stream);
  start_ = std::chrono::steady_clock::now();
}

Traced::~Traced() {
  if (!on_) return;
  std::optional<double> seconds;
  if (call_.side == Side::kHost)
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (stretch_) stretch_->end();
  book().add(call_, by_, reason_, seconds, std::move(stretch_));
}

void Traced::passed_on(const std::string& reason) {
  by_ = "the next library";
  reason_ = reason;
}

}  // namespace gemmlab::blas
