// Times one convolution of oneDNN, one through im2col and a BLAS product, or a
// sequence of compiled kernels, in the same way. Built and called by
// convolutions.py; nothing else needs oneDNN.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

// The development files of OpenBLAS are not needed for one function.
enum { CblasRowMajor = 101, CblasNoTrans = 111, CblasTrans = 112 };
extern "C" void cblas_sgemm(int layout, int transA, int transB, int m, int n,
                            int k, float alpha, const float *a, int lda,
                            const float *b, int ldb, float beta, float *c,
                            int ldc);

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

/// A convolution over NHWC activations and HWIO weights as a product with the
/// matrix of windows: `columns` has a row for each output pixel, with the kh *
/// kw
/// * ic inputs that it reads.
struct Im2col {
  explicit Im2col(const int64_t *s)
      : n(s[0]), ic(s[1]), ih(s[2]), iw(s[3]), oc(s[4]), oh(s[5]), ow(s[6]),
        kh(s[7]), kw(s[8]), stride(s[9]), top(s[10]), left(s[11]),
        src(n * ih * iw * ic, 0.5f), weights(kh * kw * ic * oc, 0.5f),
        dst(n * oh * ow * oc, 0.5f), columns(n * oh * ow * kh * kw * ic) {}

  /// Calls `fn(pixel, column)` for every run of ic values; pixel is null where
  /// the window reads padding.
  template <typename Fn> void eachRun(Fn fn) {
    float *column = columns.data();
    for (int64_t image = 0; image < n; ++image)
      for (int64_t y = 0; y < oh; ++y)
        for (int64_t x = 0; x < ow; ++x)
          for (int64_t i = 0; i < kh; ++i)
            for (int64_t j = 0; j < kw; ++j, column += ic) {
              int64_t v = y * stride + i - top, u = x * stride + j - left;
              bool inside = v >= 0 && v < ih && u >= 0 && u < iw;
              fn(inside ? &src[((image * ih + v) * iw + u) * ic] : nullptr,
                 column);
            }
  }
  void gather() {
    eachRun([&](const float *pixel, float *column) {
      if (pixel)
        std::memcpy(column, pixel, ic * sizeof(float));
      else
        std::memset(column, 0, ic * sizeof(float));
    });
  }
  void scatter() {
    std::fill(src.begin(), src.end(), 0.f);
    eachRun([&](float *pixel, const float *column) {
      if (pixel)
        for (int64_t c = 0; c < ic; ++c)
          pixel[c] += column[c];
    });
  }
  void run(int kind) {
    int rows = n * oh * ow, taps = kh * kw * ic, out = oc;
    if (kind == 1) {
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, taps, out, 1,
                  dst.data(), out, weights.data(), out, 0, columns.data(),
                  taps);
      return scatter();
    }
    gather();
    if (kind == 0)
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, out, taps, 1,
                  columns.data(), taps, weights.data(), out, 0, dst.data(),
                  out);
    else
      cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, taps, out, rows, 1,
                  columns.data(), taps, dst.data(), out, 0, weights.data(),
                  out);
  }

  int64_t n, ic, ih, iw, oc, oh, ow, kh, kw, stride, top, left;
  std::vector<float> src, weights, dst, columns;
};

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

/// im2col and OpenBLAS; kind and sizes as below.
double time_im2col(int kind, const int64_t *sizes, double budget) {
  Im2col convolution(sizes);
  return timed([&] { convolution.run(kind); }, budget);
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
