#include <iterator>

#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {
namespace {

constexpr Pattern kPatterns[] = {
    // What C is made of.
    {"nothing-written", "C still holds what it held before the call"},
    {"partly-written", "some elements of C were never written"},
    {"uninitialised-c", "what C held before the call goes into the result"},
    {"nan", "C holds NaN or infinities that were not in C before"},
    {"race", "two calls with the same inputs gave different results"},
    {"uninitialised-variable", "a variable is read before it was set"},
    {"remembered", "C holds the right answer to the call before, whose inputs were others"},
    {"kept-state", "something left by earlier calls goes into the result"},
    {"alpha-beta", "right for alpha = 1 and beta = 0 only, where solve takes both"},
    // Wrong places.
    {"transposed-result", "C holds the product transposed"},
    {"transposed-a", "A is read transposed"},
    {"transposed-b", "B is read transposed"},
    {"transposed-operands", "A and B are both read transposed"},
    {"column-major", "all matrices are taken to be stored by columns; for squares: B·A in place of A·B"},
    {"wrong-dimension", "M, N or K stands where another belongs: the end of a loop or the length of a row"},
    {"shifted", "right values, moved by a fixed number of elements"},
    {"tile-transposed", "tiles are transposed within themselves, or stand in each other's place"},
    {"tile-read-transposed", "tiles of A or B are used with row and column exchanged"},
    {"rows-moved", "right rows of C stand in wrong places"},
    {"columns-moved", "right columns of C stand in wrong places"},
    {"wrong-element", "terms multiply elements of A or B that do not belong there"},
    // Wrong terms.
    {"inner-tail", "the last terms of the inner dimension are missing"},
    {"inner-head", "the first terms of the inner dimension are missing"},
    {"inner-off-by-one", "the last or the first term of the inner dimension is missing"},
    {"inner-last-tile", "only the last term, or step, of the inner dimension is there"},
    {"inner-twice", "some terms of the inner dimension are counted twice"},
    {"inner-lost", "some terms of the inner dimension are missing"},
    {"inner-mixed", "some terms of the inner dimension are missing and others counted twice"},
    {"inner-strided", "every few terms of the inner dimension are missing, or only those are there"},
    // Wrong values.
    {"zeros", "C is 0 everywhere"},
    {"constant", "every element of C has the same value"},
    {"scaled", "values are a constant factor too large, or of the wrong sign"},
    {"offset", "every element is too large or too small by the same amount"},
    {"elementwise", "A and B multiplied element by element"},
    {"reduced-precision", "integers are right, others are rounded more coarsely than float sums are"},
    {"small-is-zero", "small values are 0, all others exact"},
    {"only-integers", "whole numbers are right, fractions are far off"},
    {"wrong-at-zeros", "wrong only where A or B hold zeros"},
    {"narrow-range", "wrong only where very large numbers stand beside very small ones"},
    // Parts of C.
    {"last-row", "only the last row is wrong"},
    {"last-column", "only the last column is wrong"},
    {"last-element", "only the last element is wrong"},
    {"single-element", "only one element is wrong"},
    {"edge-rows", "only the rows beyond whole tiles are wrong"},
    {"edge-columns", "only the columns beyond whole tiles are wrong"},
    {"edges", "only the rows and columns beyond whole tiles are wrong"},
    {"row-range", "only some neighbouring rows are wrong"},
    {"column-range", "only some neighbouring columns are wrong"},
    {"rectangle", "only a rectangle, or all but a rectangle, is wrong"},
    {"tail-of-c", "all elements from one on are wrong"},
    {"triangle", "only the part above or below the diagonal, or the diagonal, is wrong"},
    {"stripes", "every few rows or columns are wrong"},
    {"tile-pattern", "whole tiles are wrong, others right"},
    {"scattered", "wrong values that fit nothing known"},
    // Shapes.
    {"only-squares", "every square is right, others are wrong"},
    {"only-equal-dimensions", "right only where two of M, N, K are the same"},
    {"only-multiples", "right only where some of M, N, K are multiples of a step"},
    {"only-remainder", "wrong just where one of M, N, K leaves one remainder by a step"},
    {"only-small", "right only up to some size"},
    {"only-large", "right only from some size on"},
    // Behaviour: said by the judge, which sees it happen.
    {"inputs-modified", "A or B was changed"},
    {"write-past-end", "a write behind the end of a matrix"},
    {"write-before-start", "a write before the start of a matrix"},
    {"read-past-end", "a read behind the end of a matrix"},
    {"read-before-start", "a read before the start of a matrix"},
    {"unfinished-work", "work was still running after solve had returned"},
    {"forged-time", "work was done outside the timed call"},
    {"opened-library", "a library was opened at run time"},
    {"made-code", "memory was made executable at run time"},
    {"started-process", "another process was started"},
    {"exit", "the process ended itself"},
    {"signal", "the process was ended by a signal"},
    {"exception", "an exception left solve"},
    {"misaligned-vector", "a vector was loaded or stored at an address that does not suit its size"},
    {"illegal-instruction", "an instruction that this processor does not have"},
    {"heap-overflow", "a write past the end of memory that the code had asked for"},
    {"double-free", "the same memory was given back twice"},
    {"invalid-free", "memory was given back that had not been asked for"},
    {"stack-overrun", "a write past the end of a local array"},
    {"fast-algorithm", "errors are small beside the largest elements only, as those of Strassen's algorithm"},
    {"too-slow", "a limit on time was passed"},
    {"wrong-when-timed", "right when checked, wrong in a timed call"},
    {"not-loaded", "the compiled kernel could not be loaded"},
    {"illegal-address", "an address that belongs to no memory was used on a GPU"},
    {"misaligned-address", "an address that does not suit the size of the access was used on a GPU"},
    {"uninitialised-shared", "shared memory that no thread had written went into the result"},
    {"barrier-divergence", "a barrier that not all threads of a block reach"},
    {"warp-divergence", "an operation of a warp that not all of its lanes reach"},
    {"too-much-shared", "a kernel's shared arrays take more than nvcc allows"},
    {"launch-refused",
     "a launch that CUDA refused: its grid, its block, or what it needs of a card is too large"},
    {"empty-grid", "a launch of no blocks"},
    {"elements-for-bytes", "a number of elements where a number of bytes is asked for"},
    {"same-shared-address", "two arrays of dynamic shared memory that begin at one address"},
    {"unordered-work", "work of one stream, or of the host, that did not wait for another's"},
    {"deadlock", "threads that wait for each other without end"},
    {"waits-for-later-block", "blocks that wait for more blocks than the emulator holds at once"},
    {"index-beyond-array", "an index that leaves its array and meets other memory of the block"},
    {"device-error", "the GPU reported another error"},
    {"allocation-failed", "memory could not be had"},
};

}  // namespace

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all(std::begin(kPatterns), std::end(kPatterns));
  return all;
}

}  // namespace gemmlab::submissions
