// What libhwloc.a asks udev for, which would give it the names of disks: there is no udev. Hidden, so that a shared libhwloc keeps
// the real one.

extern "C" {
#define GEMMLAB_HIDDEN __attribute__((visibility("hidden")))
GEMMLAB_HIDDEN void* udev_new() {
  return nullptr;
}
GEMMLAB_HIDDEN void* udev_unref(void*) {
  return nullptr;
}
GEMMLAB_HIDDEN void* udev_device_new_from_subsystem_sysname(void*, const char*, const char*) {
  return nullptr;
}
GEMMLAB_HIDDEN void* udev_device_unref(void*) {
  return nullptr;
}
GEMMLAB_HIDDEN const char* udev_device_get_property_value(void*, const char*) {
  return nullptr;
}
#undef GEMMLAB_HIDDEN
}
