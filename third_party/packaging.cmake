# make install and make package: the program, its place in the desktop's menu, its manual page and completion. Those two
# are written by the program itself, which needs neither a GPU nor a display for it.
include(GNUInstallDirs)
set(written ${CMAKE_BINARY_DIR}/written)
file(MAKE_DIRECTORY ${written})
set(write ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:convoscope> help)
add_custom_command(
  OUTPUT ${written}/manual.gz ${written}/bash ${written}/zsh ${written}/fish
  COMMAND ${write} --man > ${written}/manual
  COMMAND gzip -9nc ${written}/manual > ${written}/manual.gz
  COMMAND ${write} --completion bash > ${written}/bash
  COMMAND ${write} --completion zsh > ${written}/zsh
  COMMAND ${write} --completion fish > ${written}/fish
  DEPENDS convoscope
  COMMENT "Writing the manual page and the completion" VERBATIM)
add_custom_target(convoscope_documents ALL DEPENDS ${written}/manual.gz)

install(TARGETS convoscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES assets/convoscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES assets/convoscope.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES assets/convoscope.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME convoscope.xml)
install(FILES ${written}/manual.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME convoscope.1.gz)
install(FILES ${written}/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME convoscope)
install(FILES ${written}/fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME convoscope.fish)
# Where zsh looks: Debian has a folder for packages, everything else goes where zsh has it.
install(CODE [[
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
    set(zsh_folder vendor-completions)
  endif()]])
install(FILES ${written}/zsh DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/\${zsh_folder}" RENAME _convoscope)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/convoscope RENAME copyright)

set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_NAME convoscope)
set(CPACK_PACKAGE_VENDOR Convoscope)
set(CPACK_PACKAGE_CONTACT "Convoscope <convoscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "oscilloscope for convolution kernels")
set(CPACK_PACKAGE_DESCRIPTION "Filters live video with a strategy of your choice and shows what each kernel
costs. Several strategies run side by side on the same frame, from the naive
kernel to tensor cores, with honest timings.")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION video)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The driver and OpenGL are the machine's own: named, never brought along. So are the libraries of CUDA that the program
# opens when they are there; no Debian package has them under these names, NVIDIA's repository does.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS libgl1)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS ffmpeg)
if(CONVOSCOPE_HAS_CUDA)
  set(cuda ${CUDAToolkit_VERSION_MAJOR}-${CUDAToolkit_VERSION_MINOR})
  string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", libcublas-${cuda}, libcufft-${cuda}, cuda-nvrtc-${cuda}, "
         "libcudnn9-cuda-${CUDAToolkit_VERSION_MAJOR}, libnpp-${cuda}")
endif()
include(CPack)
