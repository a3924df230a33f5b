#pragma once

// A results file: JSON Lines that are only ever appended to.

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/records/record.h"

namespace gemmlab::runner {

/// What a results file says was measured before: it decides what is left to do and how long it may take.
struct Measured {
  std::string implementation;
  Json parameters;
  Scope scope = Scope::kKernel;
  double work = 0;  ///< work_of() the instance
  double median_s = 0;
  /// Samples times the square of the relative half-width of their interval. The width falls with the root of
  /// the number of samples, so this over the square of a precision is the number of samples that reaches it.
  /// 0 where the record has no interval.
  double samples_for_unit = 0;
  Instance instance{};
  std::string line{};     ///< line_of() the point
  std::string machine{};  ///< fingerprint() of the run
};

/// What the time of an instance is proportional to: its operations, or its bytes where it counts none.
double work_of(const Instance& instance);

/// What points have in common that differ only in their dimensions, whatever their labels are.
std::string line_of(const Point& point);

class Store {
 public:
  /// Reads what is there, if anything. Lines that cannot be read (torn by a kill, or not written by this
  /// program) are counted and passed over. What `others` hold, files of the same experiment that other
  /// processes write, counts as measured too.
  explicit Store(std::string file, const std::vector<std::string>& others = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// Opens for appending, alone: throws UsageError when another run holds the file, or when it cannot be
  /// written.
  void open_for_writing();
  /// One line, in one write; a case is given its point_fingerprint(). Throws std::runtime_error when the disk
  /// refuses it.
  void append(const Json& record);
  /// Forces what was appended to the disk. Throws std::runtime_error when it refuses.
  void flush();

  /// Is there a complete record of this point, made on a machine with this fingerprint, by a program in which
  /// all that the point depends on was as it is in this (see point_fingerprint)?
  bool recorded(const std::string& case_id, const std::string& fingerprint) const;
  /// Those of a group's points that are not recorded. `shard`: none is left where one host, be it another one
  /// of the same CPU, cores, GPUs and driver, has recorded them all.
  std::vector<Point> left(const std::vector<Point>& group, const std::string& fingerprint, bool shard) const;
  /// Is there a `run` record of this definition with this fingerprint, in this file itself?
  bool begun(const std::string& definition_sha256, const std::string& fingerprint) const;
  /// The status of that record; empty where there is none.
  std::string status(const std::string& case_id, const std::string& fingerprint) const;
  /// Part::plan of the runs in which this very program cut this definition into so many shards.
  std::set<std::string> plans(const std::string& definition_sha256, int shards) const;
  bool empty() const { return cases_.empty(); }
  const std::vector<Measured>& measured() const { return measured_; }
  /// How long the last run that measured the machine's ceilings took for them; 0 where none did.
  double ceilings_s() const { return ceilings_s_; }
  int torn_lines() const { return torn_lines_; }
  const std::string& file() const { return file_; }

 private:
  enum class From { kHere, kOthers };
  /// How many lines cannot be read.
  int read(const std::string& file, From from);
  void take_in(const Json& record, From from);
  void take_in_run(const Json& record, From from);

  std::string file_;
  int fd_ = -1;
  bool made_ = false;  ///< by this run, not there before
  bool ends_torn_ = false;
  int torn_lines_ = 0;
  std::map<std::string, std::string> fingerprints_;                     ///< run_id -> fingerprint
  std::map<std::pair<std::string, std::string>, std::string> cases_;    ///< (case_id, fingerprint) -> status
  std::set<std::pair<std::string, std::string>> begun_;                 ///< (definition_sha256, fingerprint)
  std::map<std::string, std::set<std::string>> alike_;                  ///< model_of() -> fingerprints
  std::map<std::pair<std::string, int>, std::set<std::string>> plans_;  ///< see plans()
  std::vector<Measured> measured_;
  double ceilings_s_ = 0;
};

/// What has to be the same of a machine for an older record to count: host, CPU, cores, GPUs and driver. From
/// a `run` record; null where it lacks one, so that a record from before hosts had an id is another host's.
std::string fingerprint(const Json& run);

}  // namespace gemmlab::runner
