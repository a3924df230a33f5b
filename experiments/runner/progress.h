#pragma once

#include <string>

#include "core/record.h"
#include "experiments/runner/time_left.h"

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
  /// Round the points of a group: only this time counts for what is left, not that of ceilings and workers.
  void begin_group(double expected_s);
  void end_group();
  void finished(const Point& point, const Json& record);
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
  TimeLeft time_left_;
  double first_began_s_ = 0;  ///< on the clock of now_s(); 0 before the first group
};

}  // namespace gemmlab::runner
