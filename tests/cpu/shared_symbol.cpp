// A fault to be found: an inline function that no isa's name marks.
inline int twice_in_this_program(int value) {
  return 2 * value;
}
int (*const kept_so_that_it_is_emitted)(int) = twice_in_this_program;
extern int (*const used_elsewhere)(int);
int (*const used_elsewhere)(int) = kept_so_that_it_is_emitted;
