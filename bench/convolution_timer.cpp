// Times one convolution of oneDNN, or a sequence of compiled kernels, in the
// same way. Built and called by convolutions.py; nothing else needs oneDNN.
#include <chrono>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

namespace {

using dnnl::memory;
using Clock = std::chrono::steady_clock;

/// Seconds of one call, over as many calls as fill `budget` seconds.
template <typename Fn> double timed(Fn call, double budget) {
  call();
  int64_t done = 0;
  auto start = Clock::now();
  double elapsed = 0;
  while (elapsed < budget) {
    for (int i = 0; i < 8; ++i)
      call();
    done += 8;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return elapsed / done;
}

} // namespace

extern "C" {

/// Calls kernels one after the other; `arguments[i]` are kernel i's pointers.
double time_kernels(void (**kernels)(void **), void ***arguments, int count,
                    double budget) {
  return timed(
      [&] {
        for (int i = 0; i < count; ++i)
          kernels[i](arguments[i]);
      },
      budget);
}

/// kind: 0 forward, 1 data gradient, 2 weight gradient. sizes: n, ic, ih, iw,
/// oc, oh, ow, kh, kw, stride, pad top, left, bottom, right. With `plain`,
/// activations are NHWC and weights HWIO, and copies to oneDNN's own layout of
/// the weights are counted, as a caller with plain arrays pays them; otherwise
/// oneDNN chooses all layouts and nothing but the convolution is counted.
double time_dnnl(int kind, const int64_t *s, int plain, double budget) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  auto type = memory::data_type::f32;
  auto activation = plain ? memory::format_tag::nhwc : memory::format_tag::any;
  memory::dims src{s[0], s[1], s[2], s[3]}, weights{s[4], s[1], s[7], s[8]},
      dst{s[0], s[4], s[5], s[6]};
  memory::dims strides{s[9], s[9]}, low{s[10], s[11]}, high{s[12], s[13]};
  memory::desc srcDesc(src, type, activation), dstDesc(dst, type, activation),
      weightsDesc(weights, type, memory::format_tag::any),
      given(weights, type, memory::format_tag::hwio);
  auto algorithm = dnnl::algorithm::convolution_direct;
  dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, algorithm, srcDesc, weightsDesc,
       dstDesc, strides, low, high},
      engine);
  auto run = [&](auto primitive, memory::desc a, int aName, memory::desc b,
                 int bName, memory::desc c, int cName, bool isWeightOut) {
    memory am(a, engine), bm(b, engine), cm(c, engine), outer(given, engine);
    std::unordered_map<int, memory> arguments{
        {aName, am}, {bName, bm}, {cName, cm}};
    memory &own = isWeightOut ? cm : bm;
    bool copies = plain && own.get_desc() != given;
    dnnl::reorder copy(isWeightOut ? own : outer, isWeightOut ? outer : own);
    return timed(
        [&] {
          if (copies && !isWeightOut)
            copy.execute(stream, outer, own);
          primitive.execute(stream, arguments);
          if (copies && isWeightOut)
            copy.execute(stream, own, outer);
          stream.wait();
        },
        budget);
  };
  if (kind == 0)
    return run(dnnl::convolution_forward(forward), forward.src_desc(),
               DNNL_ARG_SRC, forward.weights_desc(), DNNL_ARG_WEIGHTS,
               forward.dst_desc(), DNNL_ARG_DST, false);
  if (kind == 1) {
    dnnl::convolution_backward_data::primitive_desc data(
        {algorithm, srcDesc, weightsDesc, dstDesc, strides, low, high}, engine,
        forward);
    return run(dnnl::convolution_backward_data(data), data.diff_dst_desc(),
               DNNL_ARG_DIFF_DST, data.weights_desc(), DNNL_ARG_WEIGHTS,
               data.diff_src_desc(), DNNL_ARG_DIFF_SRC, false);
  }
  dnnl::convolution_backward_weights::primitive_desc gradient(
      {algorithm, srcDesc, weightsDesc, dstDesc, strides, low, high}, engine,
      forward);
  return run(dnnl::convolution_backward_weights(gradient), gradient.src_desc(),
             DNNL_ARG_SRC, gradient.diff_dst_desc(), DNNL_ARG_DIFF_DST,
             gradient.diff_weights_desc(), DNNL_ARG_DIFF_WEIGHTS, true);
}

} // extern "C"
