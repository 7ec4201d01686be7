// Layout arithmetic: shapes, sizes and comparisons of layouts on a mesh.

#include "partopt/Analysis/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace partopt;
using llvm::ArrayRef;

llvm::StringRef partopt::stringifyCombiner(Combiner combiner) {
  switch (combiner) {
  case Combiner::Sum:
    return "sum";
  case Combiner::Product:
    return "product";
  case Combiner::Min:
    return "min";
  case Combiner::Max:
    return "max";
  case Combiner::And:
    return "and";
  case Combiner::Or:
    return "or";
  }
  return "sum";
}

std::optional<Combiner> partopt::symbolizeCombiner(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Combiner>>(name)
      .Case("sum", Combiner::Sum)
      .Case("product", Combiner::Product)
      .Case("min", Combiner::Min)
      .Case("max", Combiner::Max)
      .Case("and", Combiner::And)
      .Case("or", Combiner::Or)
      .Default(std::nullopt);
}

std::optional<unsigned> Mesh::find(llvm::StringRef name) const {
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis.name == name)
      return i;
  return std::nullopt;
}

int64_t Mesh::numDevices() const {
  int64_t n = 1;
  for (const MeshAxis &axis : axes)
    if (!axis.isTime)
      n *= axis.size;
  return n;
}

bool Mesh::isTime(ArrayRef<AxisRef> list) const {
  return llvm::any_of(
      list, [&](const AxisRef &ref) { return axes[ref.axis].isTime; });
}

int64_t partopt::axesSize(ArrayRef<AxisRef> axes) {
  int64_t n = 1;
  for (const AxisRef &axis : axes)
    n *= axis.size;
  return n;
}

bool partopt::axesOverlap(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b) {
  return llvm::any_of(a, [&](const AxisRef &x) {
    return llvm::any_of(b, [&](const AxisRef &y) { return x.overlaps(y); });
  });
}

Layout Layout::replicated(int64_t rank) {
  Layout layout;
  layout.dims.resize(rank);
  layout.storage.resize(rank);
  return layout;
}

bool Layout::isReplicated() const {
  return unreduced.empty() &&
         llvm::all_of(dims, [](const AxisList &axes) { return axes.empty(); });
}

bool Layout::operator==(const Layout &o) const {
  return dims == o.dims && storage == o.storage && unreduced == o.unreduced;
}

bool Layout::uses(const AxisRef &axis) const {
  for (const AxisList &axes : dims)
    if (axesOverlap(axes, axis))
      return true;
  return llvm::any_of(
      unreduced, [&](const UnreducedAxis &u) { return u.axis.overlaps(axis); });
}

llvm::SmallVector<int64_t> Layout::localShape(ArrayRef<int64_t> shape) const {
  llvm::SmallVector<int64_t> local;
  for (auto [dim, size] : llvm::enumerate(shape))
    local.push_back((size + parts(dim) - 1) / parts(dim));
  return local;
}

mlir::RankedTensorType Layout::localType(mlir::RankedTensorType type) const {
  return mlir::RankedTensorType::get(localShape(type.getShape()),
                                     type.getElementType());
}

int64_t Layout::localBytes(mlir::RankedTensorType type) const {
  return tensorBytes(localType(type));
}

void partopt::joinSubAxes(AxisList &axes) {
  AxisList joined;
  for (const AxisRef &axis : axes) {
    if (!joined.empty() && joined.back().axis == axis.axis &&
        joined.back().preSize * joined.back().size == axis.preSize)
      joined.back().size *= axis.size;
    else
      joined.push_back(axis);
  }
  axes = std::move(joined);
}

void Layout::normalise() {
  for (AxisList &axes : dims)
    joinSubAxes(axes);
  sortUnreduced();
  // Parts of one axis that wait for the same combiner wait as one.
  llvm::SmallVector<UnreducedAxis> joined;
  for (const UnreducedAxis &next : unreduced) {
    if (!joined.empty() && joined.back().combiner == next.combiner &&
        joined.back().axis.axis == next.axis.axis &&
        joined.back().axis.preSize * joined.back().axis.size ==
            next.axis.preSize)
      joined.back().axis.size *= next.axis.size;
    else
      joined.push_back(next);
  }
  unreduced.assign(joined.begin(), joined.end());
}

void Layout::sortUnreduced() {
  llvm::sort(unreduced, [](const UnreducedAxis &a, const UnreducedAxis &b) {
    return a.axis < b.axis;
  });
}

int64_t partopt::elementBytes(mlir::Type type) {
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return bits <= 8 ? 1 : bits / 8;
}

int64_t partopt::tensorBytes(mlir::RankedTensorType type) {
  return type.getNumElements() * elementBytes(type.getElementType());
}
