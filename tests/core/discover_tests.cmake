# gemmlab_discover_tests(TARGET LABEL FILTER [PROPERTY VALUE...]): the tests of a target under one label. Those that
# the filter matches ask the system's scheduler or clocks: they bear the label `scheduler` as well (a machine under load
# is where to look first when one of them fails), and run by themselves unless RUN_SERIAL FALSE is given.
function(gemmlab_discover_tests target label filter)
  gtest_discover_tests(${target} TEST_FILTER "-${filter}"
    PROPERTIES LABELS ${label} ${ARGN} DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(${target} TEST_FILTER "${filter}" TEST_LIST ${target}_scheduler
    PROPERTIES RUN_SERIAL TRUE ${ARGN} DISCOVERY_TIMEOUT 60)
  # gtest_discover_tests takes a list of labels apart, so they are given when ctest reads its files.
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${target}_scheduler.cmake)
  file(WRITE ${script} "foreach(test IN LISTS ${target}_scheduler)\n"
                       "  set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${label};scheduler\")\n"
                       "endforeach()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
endfunction()
