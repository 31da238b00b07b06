# Golden scenarios: one ctest entry per theme, that is per folder of scenarios/.
# pools/ and config/ hold inputs of other tests.
file(GLOB themes CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${PROJECT_SOURCE_DIR}/scenarios ${PROJECT_SOURCE_DIR}/scenarios/*)
list(REMOVE_ITEM themes pools config)

foreach(theme ${themes})
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/scenarios/${theme}/*.yaml)
  if(files)
    add_test(NAME scenario.${theme} COMMAND weir scenario run ${files} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    # The same files a second time give the same hashes.
    add_test(NAME scenario.${theme}.twice
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/twice.py $<TARGET_FILE:weir> scenario run --hash ${files}
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  endif()
endforeach()
