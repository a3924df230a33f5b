#pragma once

// What `gemmlab tune` found best on the user's own cards, in a file of the user's: written by that command,
// read by implementations that choose.

#include <optional>
#include <string>
#include <vector>

#include "operations/gemm/shape.h"

namespace gemmlab {

/// One shape at which every choice was measured.
struct Tuned {
  Shape shape;
  std::string choice;         ///< the value of the implementation's parameter that was fastest
  double gflop_per_s = 0;     ///< with it
  double over_automatic = 0;  ///< its speed as a multiple of that of "auto" in the same rounds
};

/// The file: "gemmlab/tuned.json" in XDG_DATA_HOME, else in ~/.local/share. Empty where there is no home.
std::string tuned_file();

/// What is known of an implementation on a card. Empty where there is no file. Throws std::runtime_error with
/// the file's name where it cannot be read.
std::vector<Tuned> read_tuned(const std::string& file, const std::string& card,
                              const std::string& implementation);

/// Puts `tuned` in the place of what was known of the implementation on the card; an empty list takes it out.
/// The file and its folder are made where they are missing, and replaced in one step. Throws
/// std::runtime_error.
void write_tuned(const std::string& file, const std::string& card, const std::string& implementation,
                 const std::vector<Tuned>& tuned);

/// The one nearest to a shape: of those whose rows start at multiples of 16 bytes just where the shape's do,
/// and with no side more than 1.5 times as long or as short. nullptr where none is near.
const Tuned* nearest(const std::vector<Tuned>& tuned, const Shape& shape);

}  // namespace gemmlab
