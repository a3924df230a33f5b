#pragma once

#include <cstdint>
#include <string>

#include "core/record.h"

namespace gemmlab::runner {

/// "2 min 05 s", "350 ms".
std::string duration_text(double seconds);
/// "1.23 ms", "4.56 s".
std::string time_text(double seconds);
/// "1024" for a square, else "8192×4096×6144 (M×N×K)".
std::string shape_text(const Shape& shape);

/// What a person sees while a run goes on: a line a point, and under it, on a terminal, a bar.
class Progress {
 public:
  Progress(std::size_t points, double estimated_s);

  void begin_experiment(const std::string& title, std::size_t points);
  /// The point at work; draws the bar anew where standard output is a terminal.
  void tick(const Point* point, const char* phase);
  /// A record has come. `expected_s` is what the estimate had set aside for it.
  void finished(const Point& point, const Json& record, double expected_s);
  /// The definition leaves the point out.
  void skipped(const Point& point, const std::string& reason);
  void note(const std::string& line);
  void end();

 private:
  void line(const Point& point, const std::string& status, const std::string& result);
  void clear_bar();
  void draw_bar(const std::string& at_work);

  bool terminal_;
  bool bar_drawn_ = false;
  std::size_t total_;
  std::size_t done_ = 0;
  double expected_left_s_;
  double expected_done_s_ = 0;
  std::int64_t started_ns_;
};

}  // namespace gemmlab::runner
