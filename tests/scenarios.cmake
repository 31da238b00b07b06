# Golden scenarios: one ctest entry per theme, that is per folder of scenarios/.
# pools/ and config/ hold inputs of other tests.
file(GLOB themes CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR}/scenarios ${PROJECT_SOURCE_DIR}/scenarios/*)
list(REMOVE_ITEM themes pools config)

# A hundred thousand jobs: minutes under a sanitizer.
set(long_scenarios scenarios/cases/C081.yaml)
add_test(NAME scenario.long COMMAND weir scenario run ${long_scenarios} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
set_tests_properties(scenario.long PROPERTIES LABELS slow)

foreach(theme ${themes})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/scenarios/${theme}/*.yaml)
  list(REMOVE_ITEM files ${long_scenarios})
  if(files)
    add_test(NAME scenario.${theme} COMMAND weir scenario run ${files} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    # The same files a second time give the same hashes.
    add_test(NAME scenario.${theme}.twice
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/twice.py $<TARGET_FILE:weir> scenario run --hash ${files}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
endforeach()
