//===- BenchPrograms.cpp - Programs whose kernels are measured ------------===//
//
// See BenchPrograms.h.
//
//===----------------------------------------------------------------------===//

#include "BenchPrograms.h"

using namespace partopt::driver;

namespace {

/// The text of one function's body, line by line.
class Body {
public:
  /// Adds `%v = op : type` and returns its name.
  std::string add(const std::string &op, const std::string &type) {
    std::string name = "%v" + std::to_string(count++);
    text += "  " + name + " = " + op + " : " + type + "\n";
    return name;
  }
  std::string binary(const std::string &op, const std::string &a,
                     const std::string &b, const std::string &type) {
    return add("stablehlo." + op + " " + a + ", " + b, type);
  }
  std::string unary(const std::string &op, const std::string &a,
                    const std::string &type) {
    return add("stablehlo." + op + " " + a, type);
  }
  std::string reduce(const std::string &op, const std::string &a,
                     const std::string &init, const std::string &dim,
                     const std::string &from, const std::string &to) {
    return add("stablehlo.reduce(" + a + " init: " + init +
                   ") applies stablehlo." + op + " across dimensions = [" +
                   dim + "]",
               "(" + from + ", tensor<f32>) -> " + to);
  }
  std::string broadcast(const std::string &a, const std::string &dim,
                        const std::string &from, const std::string &to) {
    return add("stablehlo.broadcast_in_dim " + a + ", dims = [" + dim + "]",
               "(" + from + ") -> " + to);
  }

  /// The whole module.
  std::string finish(const std::string &arguments, const std::string &result,
                     const std::string &type,
                     const std::string &head = "") const {
    return head + "func.func @main(" + arguments + ") -> " + type + " {\n" +
           "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n" +
           "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n" +
           "  %least = stablehlo.constant dense<-1.0e9> : tensor<f32>\n" +
           text + "  return " + result + " : " + type + "\n}\n";
  }

private:
  std::string text;
  int count = 0;
};

std::string tensor(const std::vector<int64_t> &shape) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + "f32>";
}

BenchProgram arithmetic(int64_t rows, int64_t columns, int chain) {
  Body b;
  std::string t = tensor({rows, columns}), v = "%a";
  for (int i = 0; i < chain; ++i)
    v = b.binary(i % 2 ? "add" : "multiply", v, i % 3 ? "%b" : "%a", t);
  return {"arithmetic " + std::to_string(chain) + " " + t,
          b.finish("%a: " + t + ", %b: " + t, v, t)};
}

BenchProgram functions(int64_t rows, int64_t columns) {
  Body b;
  std::string t = tensor({rows, columns});
  std::string v = b.unary("tanh", "%a", t);
  v = b.unary("exponential", v, t);
  std::string root = b.unary("rsqrt", v, t);
  v = b.unary("log", b.binary("add", v, root, t), t);
  v = b.binary("divide", v, root, t);
  return {"functions " + t, b.finish("%a: " + t, v, t)};
}

BenchProgram rowSum(int64_t rows, int64_t columns, bool ofColumns) {
  Body b;
  std::string t = tensor({rows, columns});
  std::string r = tensor({ofColumns ? columns : rows});
  std::string v = b.reduce("add", "%a", "%zero", ofColumns ? "0" : "1", t, r);
  return {(ofColumns ? "column sums " : "row sums ") + t,
          b.finish("%a: " + t, v, r)};
}

/// %value where the column is not behind the row, else a large negative number.
std::string masked(Body &b, const std::string &value, int64_t heads,
                   int64_t rows) {
  std::string square = std::to_string(rows) + "x" + std::to_string(rows) + "x";
  std::string ints = "tensor<" + square + "i32>";
  std::string bits = "tensor<" + square + "i1>";
  std::string all = "tensor<" + std::to_string(heads) + "x" + square + "i1>";
  std::string t = tensor({heads, rows, rows});
  std::string i = b.add("stablehlo.iota dim = 0", ints);
  std::string j = b.add("stablehlo.iota dim = 1", ints);
  std::string keeps = b.add("stablehlo.compare GE, " + i + ", " + j,
                            "(" + ints + ", " + ints + ") -> " + bits);
  keeps = b.add("stablehlo.broadcast_in_dim " + keeps + ", dims = [1, 2]",
                "(" + bits + ") -> " + all);
  std::string low = b.broadcast("%least", "", "tensor<f32>", t);
  return b.add("stablehlo.select " + keeps + ", " + value + ", " + low,
               all + ", " + t);
}

/// Of attention; masked, it leaves out what comes later.
BenchProgram softmax(int64_t heads, int64_t rows, bool isMasked) {
  Body b;
  std::string t = tensor({heads, rows, rows}), r = tensor({heads, rows});
  std::string v = isMasked ? masked(b, "%a", heads, rows) : "%a";
  std::string most = b.reduce("maximum", v, "%low", "2", t, r);
  v = b.binary("subtract", v, b.broadcast(most, "0, 1", r, t), t);
  v = b.unary("exponential", v, t);
  std::string sum = b.reduce("add", v, "%zero", "2", t, r);
  v = b.binary("divide", v, b.broadcast(sum, "0, 1", r, t), t);
  return {(isMasked ? "masked softmax " : "softmax ") + t,
          b.finish("%a: " + t, v, t)};
}

BenchProgram layerNorm(int64_t rows, int64_t columns) {
  Body b;
  std::string t = tensor({rows, columns}), r = tensor({rows});
  std::string s = tensor({columns});
  std::string mean = b.reduce("add", "%a", "%zero", "1", t, r);
  std::string v = b.binary("subtract", "%a", b.broadcast(mean, "0", r, t), t);
  std::string square = b.binary("multiply", v, v, t);
  std::string variance = b.reduce("add", square, "%zero", "1", t, r);
  variance = b.unary("rsqrt", variance, r);
  v = b.binary("multiply", v, b.broadcast(variance, "0", r, t), t);
  v = b.binary("multiply", v, b.broadcast("%g", "1", s, t), t);
  return {"layer norm " + t, b.finish("%a: " + t + ", %g: " + s, v, t)};
}

BenchProgram transpose(int64_t rows, int64_t columns) {
  Body b;
  std::string t = tensor({rows, columns}), r = tensor({columns, rows});
  std::string v =
      b.add("stablehlo.transpose %a, dims = [1, 0]", "(" + t + ") -> " + r);
  return {"transpose " + t, b.finish("%a: " + t, v, r)};
}

BenchProgram gather(int64_t table, int64_t rows, int64_t columns) {
  Body b;
  std::string t = tensor({table, columns}), r = tensor({rows, columns});
  std::string i = "tensor<" + std::to_string(rows) + "x1xi32>";
  std::string v = b.add(
      "\"stablehlo.gather\"(%a, %i) <{dimension_numbers = #stablehlo.gather<"
      "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], "
      "index_vector_dim = 1>, slice_sizes = array<i64: 1, " +
          std::to_string(columns) + ">}>",
      "(" + t + ", " + i + ") -> " + r);
  return {"gather " + r, b.finish("%a: " + t + ", %i: " + i, v, r)};
}

BenchProgram convolution(int64_t size, int64_t from, int64_t to) {
  Body b;
  std::string t = tensor({4, size, size, from}), w = tensor({3, 3, from, to});
  std::string r = tensor({4, size, size, to});
  std::string v = b.add(
      "stablehlo.convolution(%a, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
      "o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64}",
      "(" + t + ", " + w + ") -> " + r);
  return {"convolution " + r, b.finish("%a: " + t + ", %w: " + w, v, r)};
}

const char *mesh = "sdy.mesh @mesh = <[\"data\"=2]>\n";
const char *sharded =
    " {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>}";

} // namespace

BenchProgram partopt::driver::sumProgram(int64_t elements) {
  Body b;
  std::string t = tensor({elements});
  std::string v = b.binary("add", "%a", "%b", t);
  return {"sum " + t, b.finish("%a: " + t + ", %b: " + t, v, t)};
}

std::vector<BenchProgram> partopt::driver::kernelPrograms() {
  return {arithmetic(90, 700, 4),   arithmetic(90, 700, 16),
          arithmetic(700, 900, 16), functions(90, 700),
          functions(500, 300),      rowSum(600, 330, false),
          rowSum(600, 330, true),   softmax(60, 24, false),
          softmax(12, 90, false),   softmax(6, 220, false),
          softmax(60, 24, true),    softmax(12, 90, true),
          layerNorm(210, 90),       layerNorm(700, 330),
          transpose(330, 210),      transpose(900, 700),
          gather(900, 210, 90),     gather(3000, 700, 210),
          convolution(20, 24, 40),  convolution(10, 72, 56)};
}

BenchProgram partopt::driver::reduceProgram(int64_t elements, int64_t rows,
                                            int count) {
  Body b;
  std::string t = tensor({2, rows, elements}), r = tensor({elements});
  std::string x = "%x", sum;
  for (int i = 0; i < count; ++i) {
    sum = b.reduce("add", x, "%zero", "0, 1", t, r);
    x = b.binary("multiply", "%x", b.broadcast(sum, "2", r, t), t);
    // Kernels that take a while, so that ranks do not keep in step.
    if (rows > 1)
      x = b.unary("tanh", x, t);
  }
  std::string sharding =
      " {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}, {}]>}";
  return {"all_reduce " + r, b.finish("%x: " + t + sharding, sum, r, mesh)};
}

BenchProgram partopt::driver::gatherProgram(int64_t elements, int count) {
  Body b;
  std::string t = tensor({2, elements}), r = tensor({elements});
  std::string x = "%x", sum;
  for (int i = 0; i < count; ++i) {
    std::string whole =
        b.add("sdy.sharding_constraint " + x + " <@mesh, [{}, {}]>", t);
    sum = b.reduce("maximum", whole, "%low", "0", t, r);
    x = b.add("sdy.sharding_constraint " +
                  b.binary("multiply", "%x", b.broadcast(sum, "1", r, t), t) +
                  " <@mesh, [{\"data\"}, {}]>",
              t);
  }
  return {"all_gather " + t, b.finish("%x: " + t + sharded, sum, r, mesh)};
}
