// NCCL as it was before it could send from one card to another.

extern "C" {

int ncclGetVersion(int* version) {
  *version = 2604;
  return 0;
}
const char* ncclGetErrorString(int) {
  return "";
}
int ncclCommInitAll(void**, int, const int*) {
  return 0;
}
int ncclGroupStart() {
  return 0;
}
int ncclGroupEnd() {
  return 0;
}

}  // extern "C"
