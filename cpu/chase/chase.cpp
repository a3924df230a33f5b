// The latency of each level: one thread follows links through memory on huge or on small pages.

#include "operations/chase/chase.h"

#include <map>
#include <stdexcept>

#include "core/session_row.h"
#include "cpu/chase/pages.h"

namespace gemmlab::cpu {
namespace {

using chasing::kAt;
using chasing::kNext;
using chasing::Ring;

/// Each load's address is what the load before has brought: mov rax, [rax].
char* follow(char* node, std::int64_t loads) {
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < loads; ++i) node = *reinterpret_cast<char**>(node);
  return node;
}

class ChaseSession : public Session {
 public:
  static constexpr bool kResident = true;

  ChaseSession(const Instance& instance, const Parameters& parameters)
      : ring_(chasing::ring_of(instance)), huge_(text(parameters, "pages") == "huge") {}

  void stage(const std::vector<Operands>& sets) override {
    sets_.clear();
    for (const Operands& operands : sets) link(operands.in<std::int32_t>(kNext));
  }

  void run(const Operands& operands) override {
    const auto found = sets_.find(operands.in<std::int32_t>(kNext));
    if (found == sets_.end()) throw std::logic_error("cpu.chase: run() of operands that were not staged");
    char* nodes = found->second->data();
    auto* at = operands.out<std::int32_t>(kAt);
    *at =
        static_cast<std::int32_t>((follow(nodes + *at * ring_.spacing, ring_.loads) - nodes) / ring_.spacing);
  }
  int threads_actual() const override { return 1; }
  Facts chosen() const override {
    return {{"huge_page_share", sets_.empty() ? 0.0 : sets_.begin()->second->huge_share()}};
  }

 private:
  void link(const std::int32_t* next) {
    if (sets_.count(next) != 0) return;
    auto pages = std::make_unique<Pages>(static_cast<std::size_t>(ring_.nodes * ring_.spacing), huge_);
    char* nodes = pages->data();
    for (std::int64_t i = 0; i < ring_.nodes; ++i) {
      *reinterpret_cast<char**>(nodes + i * ring_.spacing) = nodes + next[i] * ring_.spacing;
    }
    sets_.emplace(next, std::move(pages));
  }

  Ring ring_;
  bool huge_;
  std::map<const std::int32_t*, std::unique_ptr<Pages>> sets_;
};

}  // namespace

const Implementation& chase() {
  static const SessionRow<ChaseSession> row(
      {.id = "cpu.chase",
       .name = "chase, {pages} pages",
       .summary = "one thread, each load at the address that the one before has brought",
       .source = "Saavedra-Barrera, 1992; lmbench's lat_mem_rd",
       .counterpart = "gpu.chase",
       .parameters = {choice("pages",
                             "memory on pages of 2 MiB, where the system grants them, or of 4 KiB alone",
                             {std::string("huge"), std::string("small")}, std::string("huge"))},
       .operation = "chase"});
  return row;
}

}  // namespace gemmlab::cpu
