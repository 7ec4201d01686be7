# The headers of the CUDA driver, cuBLASLt and NCCL, each looked for by itself.
# Nothing is linked: libraries are loaded when a plan runs.
#
# Looks in PARTOPT_CUDA_ROOT, $CUDA_HOME, /usr/local/cuda, and the wheels of PyPI
# that the environment's Python has (nvidia-cuda-runtime, nvidia-cublas,
# nvidia-nccl-cu13). Sets
#   PARTOPT_HAVE_CUDA, PARTOPT_HAVE_NCCL
#   PARTOPT_CUDA_INCLUDE_DIRS
set(PARTOPT_CUDA_ROOT "" CACHE PATH "Folder of the CUDA Toolkit, or of its headers")
option(PARTOPT_CUDA "Build the CUDA driver where its headers are found" ON)

set(PARTOPT_CUDA_INCLUDE_DIRS "")
set(PARTOPT_HAVE_CUDA OFF)
set(PARTOPT_HAVE_NCCL OFF)
if(PARTOPT_CUDA)
  file(GLOB PARTOPT_CUDA_TOOLKITS LIST_DIRECTORIES true /usr/local/cuda-[0-9]*)
  list(SORT PARTOPT_CUDA_TOOLKITS COMPARE NATURAL ORDER DESCENDING)
  find_package(Python3 QUIET COMPONENTS Interpreter)
  if(Python3_Interpreter_FOUND)
    execute_process(OUTPUT_VARIABLE PARTOPT_WHEELS OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET COMMAND ${Python3_EXECUTABLE} -c
      "import glob, sysconfig; print(';'.join(sorted(glob.glob(sysconfig.get_paths()['purelib'] + '/nvidia/*'))))")
  endif()
  set(PARTOPT_CUDA_HINTS ${PARTOPT_CUDA_ROOT} $ENV{CUDA_HOME} /usr/local/cuda
    ${PARTOPT_CUDA_TOOLKITS} ${PARTOPT_WHEELS})
  foreach(header cuda cublasLt nccl)
    find_path(PARTOPT_${header}_INCLUDE ${header}.h HINTS ${PARTOPT_CUDA_HINTS}
      PATH_SUFFIXES include)
    mark_as_advanced(PARTOPT_${header}_INCLUDE)
    if(PARTOPT_${header}_INCLUDE)
      list(APPEND PARTOPT_CUDA_INCLUDE_DIRS ${PARTOPT_${header}_INCLUDE})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES PARTOPT_CUDA_INCLUDE_DIRS)
  if(PARTOPT_cuda_INCLUDE AND PARTOPT_cublasLt_INCLUDE)
    set(PARTOPT_HAVE_CUDA ON)
    if(PARTOPT_nccl_INCLUDE)
      set(PARTOPT_HAVE_NCCL ON)
    endif()
  endif()
endif()
message(STATUS "CUDA driver: ${PARTOPT_HAVE_CUDA}, with NCCL: ${PARTOPT_HAVE_NCCL}")
