// Inline PTX of the tensor cores: fragments to and from shared memory, products of a warp and of a warpgroup.

#include <algorithm>
#include <cstring>

#include "emulator/include/gemmlab_cuda_device.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/clocks.h"
#include "emulator/runtime/ptx/program.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"
#include "emulator/runtime/tensor_sums.h"

namespace gemmlab::emulation::ptx {
namespace {

using Bits = std::uint64_t;

/// Part `i` of a list of registers, or the only one.
const Operand& part(const Operand& operand, std::size_t i) {
  return operand.kind == Operand::kGroup ? operand.parts[i] : operand;
}
std::size_t parts_of(const Operand& operand) {
  return operand.kind == Operand::kGroup ? operand.parts.size() : 1;
}

// ---- 8×8 matrices of 16 bits

struct Tiles {
  std::uint16_t rows[8];  ///< in: of the row that the lane names
  std::uint32_t held[4];  ///< out: what it holds of each matrix
};

template <bool kTransposed, int kCount>
void hand_out(void* const* lanes) {
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int matrix = 0; matrix < kCount && lanes[lane] != nullptr; ++matrix) {
      std::uint16_t pair[2] = {};
      for (int i = 0; i < 2; ++i) {
        const int row = kTransposed ? lane % 4 * 2 + i : lane / 4;
        const int col = kTransposed ? lane / 4 : lane % 4 * 2 + i;
        const auto* from = static_cast<const Tiles*>(lanes[matrix * 8 + row]);
        if (from != nullptr) pair[i] = from->rows[col];
      }
      std::memcpy(&static_cast<Tiles*>(lanes[lane])->held[matrix], pair, sizeof pair);
    }
  }
}
/// The other way: what lanes hold becomes rows.
template <bool kTransposed, int kCount>
void hand_in(void* const* lanes) {
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int matrix = 0; matrix < kCount && lanes[lane] != nullptr; ++matrix) {
      std::uint16_t pair[2];
      std::memcpy(pair, &static_cast<const Tiles*>(lanes[lane])->held[matrix], sizeof pair);
      for (int i = 0; i < 2; ++i) {
        const int row = kTransposed ? lane % 4 * 2 + i : lane / 4;
        const int col = kTransposed ? lane / 4 : lane % 4 * 2 + i;
        auto* to = static_cast<Tiles*>(lanes[matrix * 8 + row]);
        if (to != nullptr) to->rows[col] = pair[i];
      }
    }
  }
}

using Exchange = void (*)(void* const*);
constexpr int kRow = 16;  // bytes

int matrices_of(const Instruction& instruction) {
  return instruction.has("x4") ? 4 : instruction.has("x2") ? 2 : 1;
}

void load_matrices(Machine& machine, const Instruction& instruction) {
  static constexpr Exchange kPlain[] = {hand_out<false, 1>, hand_out<false, 2>, hand_out<false, 4>};
  static constexpr Exchange kTransposed[] = {hand_out<true, 1>, hand_out<true, 2>, hand_out<true, 4>};
  const int count = matrices_of(instruction);
  Tiles mine = {};
  if (current->lane() < 8 * count) {
    const void* from = address_of(machine, instruction.operands[1], true);
    access_here(from, kRow, Operation::kLoad);
    std::memcpy(mine.rows, from, kRow);
  }
  run().together(kWholeWarp, (instruction.has("trans") ? kTransposed : kPlain)[count / 2], &mine);
  for (int i = 0; i < count; ++i)
    machine.set(part(instruction.operands[0], static_cast<std::size_t>(i)), mine.held[i]);
}

void store_matrices(Machine& machine, const Instruction& instruction) {
  static constexpr Exchange kPlain[] = {hand_in<false, 1>, hand_in<false, 2>, hand_in<false, 4>};
  static constexpr Exchange kTransposed[] = {hand_in<true, 1>, hand_in<true, 2>, hand_in<true, 4>};
  const int count = matrices_of(instruction);
  Tiles mine = {};
  for (int i = 0; i < count; ++i)
    mine.held[i] =
        static_cast<std::uint32_t>(machine.get(part(instruction.operands[1], static_cast<std::size_t>(i))));
  run().together(kWholeWarp, (instruction.has("trans") ? kTransposed : kPlain)[count / 2], &mine);
  if (current->lane() >= 8 * count) return;
  void* to = address_of(machine, instruction.operands[0], true);
  access_here(to, kRow, Operation::kStore);
  std::memcpy(to, mine.rows, kRow);
}

void transpose_matrix(Machine& machine, const Instruction& instruction) {
  Tiles mine = {};
  mine.held[0] = static_cast<std::uint32_t>(machine.get(instruction.operands[1]));
  run().together(kWholeWarp, hand_in<false, 1>, &mine);
  run().together(kWholeWarp, hand_out<true, 1>, &mine);
  machine.set(instruction.operands[0], mine.held[0]);
}

// ---- products of a warp

/// A warp's piece of a product: what one lane brings of A, B and C, and takes of D.
struct Piece {
  std::uint32_t a[4], b[4], c[4], d[4];
  Type of_a, of_b, of_d;
  int terms;
  bool saturate;
};

/// Which row, or column, and term element `i` of a lane's register is.
struct Where {
  int line;
  int term;
};
Where in_a(int lane, int which, int i, int elements) {
  return {lane / 4 + which % 2 * 8, lane % 4 * elements + i + which / 2 * 4 * elements};
}
Where in_b(int lane, int which, int i, int elements) {
  return {lane / 4, lane % 4 * elements + i + which * 4 * elements};
}

/// Elements of a register as whole numbers or floats.
template <typename Out>
Out element(std::uint32_t bits, int i, const Type& type) {
  const Bits own = bits >> (i * type.bits) & mask_of(type.bits);
  if constexpr (std::is_same_v<Out, float>) return static_cast<float>(as_number(own, type));
  return static_cast<Out>(static_cast<std::int64_t>(cut(own, type)));
}

constexpr int kRowsOfPiece = 16, kColumnsOfPiece = 8, kMostTerms = 32;

template <typename Element>
void gather(void* const* lanes, const Piece& like, Element (&a)[kRowsOfPiece * kMostTerms],
            Element (&b)[kColumnsOfPiece * kMostTerms]) {
  const int of_a = 32 / like.of_a.bits;
  const int registers_of_b = like.terms / (4 * of_a);
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto* piece = static_cast<const Piece*>(lanes[lane]);
    for (int which = 0; which < 2 * registers_of_b; ++which) {
      for (int i = 0; i < of_a; ++i) {
        const Where at = in_a(lane, which, i, of_a);
        a[at.line * like.terms + at.term] =
            piece == nullptr ? Element() : element<Element>(piece->a[which], i, like.of_a);
      }
    }
    for (int which = 0; which < registers_of_b; ++which) {
      for (int i = 0; i < of_a; ++i) {
        const Where at = in_b(lane, which, i, of_a);
        b[at.line * like.terms + at.term] =
            piece == nullptr ? Element() : element<Element>(piece->b[which], i, like.of_b);
      }
    }
  }
}

void multiply_floats(void* const* lanes, const Piece& like) {
  float a[kRowsOfPiece * kMostTerms], b[kColumnsOfPiece * kMostTerms], d[kRowsOfPiece * kColumnsOfPiece] = {};
  gather(lanes, like, a, b);
  const bool half = like.of_d.bits == 16;
  const Type of_half{'f', 16, 1};
  const auto each = [&](const auto& act) {
    for (int lane = 0; lane < kLanes; ++lane) {
      auto* piece = static_cast<Piece*>(lanes[lane]);
      for (int i = 0; i < 4 && piece != nullptr; ++i)
        act(*piece, i, d[(lane / 4 + i / 2 * 8) * kColumnsOfPiece + lane % 4 * 2 + i % 2]);
    }
  };
  each([&](const Piece& piece, int i, float& sum) {
    if (half) {
      sum = element<float>(piece.c[i / 2], i % 2, of_half);
    } else {
      std::memcpy(&sum, &piece.c[i], sizeof sum);
    }
  });
  tensor_sums(d, a, b, kRowsOfPiece, kColumnsOfPiece, like.terms, sum_of_warp(like.of_a.bits, like.terms));
  each([&](Piece& piece, int i, float& sum) {
    if (half) {
      if (i % 2 == 0) piece.d[i / 2] = 0;
      piece.d[i / 2] |= static_cast<std::uint32_t>(as_bits(sum, of_half)) << (16 * (i % 2));
    } else {
      std::memcpy(&piece.d[i], &sum, sizeof sum);
    }
  });
}

void multiply_integers(void* const* lanes, const Piece& like) {
  std::int32_t a[kRowsOfPiece * kMostTerms], b[kColumnsOfPiece * kMostTerms];
  gather(lanes, like, a, b);
  for (int lane = 0; lane < kLanes; ++lane) {
    auto* piece = static_cast<Piece*>(lanes[lane]);
    for (int i = 0; i < 4 && piece != nullptr; ++i) {
      const int row = lane / 4 + i / 2 * 8;
      const int col = lane % 4 * 2 + i % 2;
      std::int64_t sum = static_cast<std::int32_t>(piece->c[i]);
      for (int k = 0; k < like.terms; ++k)
        sum += std::int64_t{a[row * like.terms + k]} * b[col * like.terms + k];
      if (like.saturate) sum = std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX);
      piece->d[i] = static_cast<std::uint32_t>(sum);
    }
  }
}

void multiply(void* const* lanes) {
  const Piece* like = nullptr;
  for (int lane = 0; lane < kLanes && like == nullptr; ++lane) like = static_cast<const Piece*>(lanes[lane]);
  const Piece same = *like;
  run().count_products({false, same.of_a.bits},
                       std::uint64_t{kRowsOfPiece * kColumnsOfPiece} * static_cast<unsigned>(same.terms));
  if (same.of_d.kind == 's') {
    multiply_integers(lanes, same);
  } else {
    multiply_floats(lanes, same);
  }
}

int terms_of(const Instruction& instruction) {
  for (const std::string& word : instruction.words) {
    const std::size_t k = word.find('k', 1);
    if ((word[0] == 'm') && k != std::string::npos) return std::atoi(word.c_str() + k + 1);
  }
  return 0;
}

/// D, A, B and C's types stand in that order.
void multiply_warp(Machine& machine, const Instruction& instruction) {
  Piece mine = {};
  mine.of_d = instruction.type(0);
  mine.of_a = instruction.type(1);
  mine.of_b = instruction.type(2);
  mine.terms = terms_of(instruction);
  mine.saturate = instruction.has("satfinite");
  const std::size_t of_a = static_cast<std::size_t>(mine.terms * mine.of_a.bits / 64);
  const bool known = instruction.types.size() == 4 && !instruction.operands.empty() &&
                     mine.of_a.bits == mine.of_b.bits && of_a >= 1 && of_a <= 4 &&
                     instruction.operands.size() >= 4 && parts_of(instruction.operands[1]) == of_a &&
                     parts_of(instruction.operands[2]) * 2 == of_a &&
                     parts_of(instruction.operands[0]) == (mine.of_d.bits == 16 ? 2u : 4u);
  if (!known) refuse(instruction.text);
  const auto take = [&](std::size_t which, std::uint32_t* to) {
    const Operand& from = instruction.operands[which];
    for (std::size_t i = 0; i < parts_of(from); ++i)
      to[i] = static_cast<std::uint32_t>(machine.get(part(from, i)));
  };
  take(1, mine.a);
  take(2, mine.b);
  take(3, mine.c);
  run().together(kWholeWarp, multiply, &mine);
  for (std::size_t i = 0; i < parts_of(instruction.operands[0]); ++i)
    machine.set(part(instruction.operands[0], i), mine.d[i]);
}

// ---- products of a warpgroup, of which each warp makes its own 16 rows

/// A matrix in shared memory: PTX ISA, matrix descriptor.
class Described {
 public:
  Described(Bits bits, bool by_columns)
      : start_(static_cast<std::uint32_t>(bits & 0x3fff) << 4),
        leading_(static_cast<std::uint32_t>(bits >> 16 & 0x3fff) << 4),
        stride_(static_cast<std::uint32_t>(bits >> 32 & 0x3fff) << 4),
        swizzle_(static_cast<int>(bits >> 62)),
        by_columns_(by_columns) {}

  bool understood() const { return !by_columns_ || swizzle_ != 0; }

  /// Where the 16 bytes that hold byte `byte` of (line, term) begin: a line is a row of A or a column of B.
  std::uint32_t place(int line, int term_byte) const {
    std::uint32_t at = start_;
    const auto l = static_cast<std::uint32_t>(line);
    const auto b = static_cast<std::uint32_t>(term_byte);
    const std::uint32_t width = swizzle_ == 1 ? 128 : swizzle_ == 2 ? 64 : 32;
    if (by_columns_) {  // of 16 bits: neighbours are lines
      const std::uint32_t term = b / 2;
      at += l * 2 / width * leading_ + term / 8 * stride_ + term % 8 * width + l * 2 % width;
    } else if (swizzle_ == 0) {
      at += l / 8 * stride_ + b / 16 * leading_ + l % 8 * 16 + b % 16;
    } else {
      at += l / 8 * stride_ + l % 8 * width + b;
    }
    if (swizzle_ == 1) at ^= (at >> 7 & 7) << 4;
    if (swizzle_ == 2) at ^= (at >> 7 & 3) << 4;
    if (swizzle_ == 3) at ^= (at >> 7 & 1) << 4;
    return at;
  }

 private:
  std::uint32_t start_, leading_, stride_;
  int swizzle_;
  bool by_columns_;
};

constexpr int kMostColumns = 256;

/// What the lanes of a warp have to tell each other.
struct GroupPiece {
  std::uint32_t a[4];
  std::uint32_t* d;
  const Thread* thread;
  void* all[kLanes];  ///< to lane 0: of every lane
};
void collect(void* const* lanes) {
  for (int lane = 0; lane < kLanes; ++lane) {
    if (lanes[lane] != nullptr)
      std::memcpy(static_cast<GroupPiece*>(lanes[lane])->all, lanes, sizeof(void*) * kLanes);
  }
}
void nothing_more(void* const*) {}

constexpr int kWgmmaAgent = 0;
constexpr int kWarpsOfGroup = 4;

class WarpgroupProduct {
 public:
  WarpgroupProduct(Machine& machine, const Instruction& instruction)
      : machine_(machine),
        instruction_(instruction),
        of_d_(instruction.type(0)),
        of_a_(instruction.type(1)),
        of_b_(instruction.type(2)),
        terms_(terms_of(instruction)) {
    for (const std::string& word : instruction.words) {
      if (word.compare(0, 4, "m64n") == 0) columns_ = std::atoi(word.c_str() + 4);
    }
    a_in_registers_ = instruction.operands.size() > 1 && instruction.operands[1].kind == Operand::kGroup;
    const std::size_t next = 3;
    const auto flag = [&](std::size_t i, int otherwise) {
      return next + i < instruction.operands.size()
                 ? static_cast<int>(machine.get(instruction.operands[next + i]))
                 : otherwise;
    };
    onto_ = next >= instruction.operands.size() || machine.truth(instruction.operands[next]);
    scale_a_ = flag(1, 1);
    scale_b_ = flag(2, 1);
    a_by_columns_ = !a_in_registers_ && flag(3, 0) != 0;
    b_by_columns_ = flag(a_in_registers_ ? 3 : 4, 0) != 0;
  }

  bool understood() const {
    return columns_ > 0 && columns_ <= kMostColumns && terms_ * of_a_.bits == 256 &&
           of_a_.bits == of_b_.bits &&
           parts_of(instruction_.operands[0]) == static_cast<std::size_t>(columns_ / 2 * of_d_.bits / 32);
  }

  void run_it() {
    const Operand& d = instruction_.operands[0];
    std::uint32_t sums[kMostColumns / 2];
    for (std::size_t i = 0; i < d.parts.size(); ++i)
      sums[i] = static_cast<std::uint32_t>(machine_.get(d.parts[i]));
    GroupPiece mine = {};
    mine.d = sums;
    mine.thread = current;
    for (std::size_t i = 0; a_in_registers_ && i < 4; ++i)
      mine.a[i] = static_cast<std::uint32_t>(machine_.get(instruction_.operands[1].parts[i]));
    run().together(kWholeWarp, collect, &mine);
    if (std::find(mine.all, mine.all + kLanes, nullptr) != mine.all + kLanes)
      refuse(instruction_.text + " without all lanes");
    if (current->lane() == 0) multiply(mine);
    run().together(kWholeWarp, nothing_more, &mine);
    for (std::size_t i = 0; i < d.parts.size(); ++i) machine_.set(d.parts[i], sums[i]);
  }

 private:
  void multiply(const GroupPiece& piece) {
    const int rows = kRowsOfPiece;
    const Described a(machine_.get(instruction_.operands[1]), a_by_columns_);
    const Described b(machine_.get(instruction_.operands[2]), b_by_columns_);
    if (!b.understood() || (!a_in_registers_ && !a.understood()))
      refuse(instruction_.text + " of columns without a swizzle");
    Seen seen;
    for (void* each : piece.all) {
      const Thread& thread = *static_cast<const GroupPiece*>(each)->thread;
      merge(seen, thread.seen);
      if (seen.size() <= thread.number) seen.resize(thread.number + std::size_t{1});
      seen[thread.number] = std::max(seen[thread.number], thread.clock);
    }
    const int agent = run().agent_for(kWgmmaAgent, current->warp() * kLanes, "wgmma");
    const Actor actor = run().begin_agent(agent, seen);
    static float left[kRowsOfPiece * kMostTerms], right[kMostColumns * kMostTerms];
    if (a_in_registers_) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const int elements = 32 / of_a_.bits;
        for (int which = 0; which < 4; ++which) {
          for (int i = 0; i < elements; ++i) {
            const Where at = in_a(lane, which, i, elements);
            left[at.line * terms_ + at.term] =
                element<float>(static_cast<const GroupPiece*>(piece.all[lane])->a[which], i, of_a_);
          }
        }
      }
    } else {
      fetch(actor, a, current->warp() % 4 * rows, rows, of_a_, a_by_columns_, left);
      count_read(a, rows);
    }
    fetch(actor, b, 0, columns_, of_b_, b_by_columns_, right);
    count_read(b, columns_ / kWarpsOfGroup);  // the four warps read it as one
    run().count_products({true, of_a_.bits}, static_cast<std::uint64_t>(rows) * columns_ * terms_);
    if (scale_a_ < 0) negate(left, rows);
    if (scale_b_ < 0) negate(right, columns_);
    sum(piece, left, right);
  }

  void count_read(const Described& from, int lines) const {
    const void* at = shared_memory().from_window(from.place(0, 0) & ~15u, run().rank_in_cluster());
    run().count_bulk(Space::kShared, Operation::kLoad, at,
                     static_cast<std::uint64_t>(lines) * terms_ * of_a_.bits / 8);
  }

  void negate(float* values, int lines) const {
    for (int i = 0; i < lines * terms_; ++i) values[i] = -values[i];
  }

  /// Lines [first, first + lines) as (line, term), each chunk of 16 bytes checked once.
  void fetch(const Actor& actor, const Described& from, int first, int lines, const Type& type,
             bool by_columns, float* to) const {
    const int bytes = type.bits / 8;
    const int chunk = kRow / bytes;
    const auto read = [&](int line, int term, auto&& each) {
      const auto* at = static_cast<const char*>(shared_memory().from_window(
          from.place(first + line, term * bytes) & ~15u, run().rank_in_cluster()));
      check_shared_by(actor, at, kRow, Operation::kLoad);
      for (int i = 0; i < chunk; ++i) {
        Bits bits = 0;
        std::memcpy(&bits, at + i * bytes, static_cast<std::size_t>(bytes));
        each(i, type.kind == 's' || type.kind == 'u'
                    ? static_cast<float>(static_cast<std::int64_t>(cut(bits, type)))
                    : static_cast<float>(as_number(bits, type)));
      }
    };
    if (by_columns) {
      for (int term = 0; term < terms_; ++term) {
        for (int line = 0; line < lines; line += chunk)
          read(line, term, [&](int i, float value) { to[(line + i) * terms_ + term] = value; });
      }
    } else {
      for (int line = 0; line < lines; ++line) {
        for (int term = 0; term < terms_; term += chunk)
          read(line, term, [&](int i, float value) { to[line * terms_ + term + i] = value; });
      }
    }
  }

  void sum(const GroupPiece& piece, const float* left, const float* right) const {
    const Type of_half{'f', 16, 1};
    const SumWidth width = sum_of_warpgroup(of_a_.bits, terms_);
    for (int lane = 0; lane < kLanes; ++lane) {
      auto* d = static_cast<const GroupPiece*>(piece.all[lane])->d;
      for (int i = 0; i < columns_ / 2; ++i) {
        const int row = lane / 4 + i / 2 % 2 * 8;
        const int col = i / 4 * 8 + lane % 4 * 2 + i % 2;
        const float* a = left + row * terms_;
        const float* b = right + col * terms_;
        if (of_d_.kind == 's') {
          std::int64_t all = onto_ ? static_cast<std::int32_t>(d[i]) : 0;
          for (int k = 0; k < terms_; ++k)
            all += static_cast<std::int64_t>(a[k]) * static_cast<std::int64_t>(b[k]);
          d[i] = static_cast<std::uint32_t>(
              instruction_.saturate ? std::clamp<std::int64_t>(all, INT32_MIN, INT32_MAX) : all);
          continue;
        }
        float before = 0;
        if (of_d_.bits == 16) {
          before = onto_ ? element<float>(d[i / 2], i % 2, of_half) : 0;
        } else if (onto_) {
          std::memcpy(&before, &d[i], sizeof before);
        }
        const float after = tensor_sum(a, b, terms_, before, width);
        if (of_d_.bits == 16) {
          const std::uint32_t other = d[i / 2] & (i % 2 == 0 ? 0xffff0000u : 0xffffu);
          d[i / 2] = other | static_cast<std::uint32_t>(as_bits(after, of_half)) << (16 * (i % 2));
        } else {
          std::memcpy(&d[i], &after, sizeof after);
        }
      }
    }
  }

  Machine& machine_;
  const Instruction& instruction_;
  Type of_d_, of_a_, of_b_;
  int terms_;
  int columns_ = 0;
  bool a_in_registers_ = false;
  bool onto_ = true;
  int scale_a_ = 1, scale_b_ = 1;
  bool a_by_columns_ = false, b_by_columns_ = false;
};

void multiply_warpgroup(Machine& machine, const Instruction& instruction) {
  WarpgroupProduct product(machine, instruction);
  if (!product.understood()) refuse(instruction.text);
  product.run_it();
}

/// Of a warp: its groups of products, each by the clock of what reads for it.
void commit_products(Machine&, const Instruction&) {
  run().together(kWholeWarp, nothing_more, nullptr);
  const int agent = run().agent_for(kWgmmaAgent, current->warp() * kLanes, "wgmma");
  current->products.push_back(run().agent(agent)->clock);
}
/// All lanes know of each other, too: the warp waits as one.
void wait_for_products(Machine& machine, const Instruction& instruction) {
  const auto left = static_cast<std::size_t>(machine.get(instruction.operands[0]));
  WarpCall call;
  call.mask = kWholeWarp;
  auto& groups = current->products;
  if (groups.size() > left) {
    const int agent = run().agent_for(kWgmmaAgent, current->warp() * kLanes, "wgmma");
    Seen done(static_cast<std::size_t>(agent) + 1);
    done.back() = groups[groups.size() - left - 1];
    acquire(*current, done);
    groups.erase(groups.begin(), groups.end() - static_cast<std::ptrdiff_t>(left));
  }
  run().meet_here(call);
}
void nothing(Machine&, const Instruction&) {}

}  // namespace

const Entry kMatrixHandlers[] = {{"ldmatrix", load_matrices},
                                 {"stmatrix", store_matrices},
                                 {"movmatrix", transpose_matrix},
                                 {"mma.sync", multiply_warp},
                                 {"wgmma.fence", nothing},
                                 {"wgmma.mma_async", multiply_warpgroup},
                                 {"wgmma.commit_group", commit_products},
                                 {"wgmma.wait_group", wait_for_products},
                                 {nullptr, nullptr}};

}  // namespace gemmlab::emulation::ptx
