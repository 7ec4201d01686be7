// Text form and verification of #comm.axes.

#include "dialects/Comm/Comm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace partopt::comm;

#define GET_ATTRDEF_CLASSES
#include "dialects/Comm/CommAttrs.cpp.inc"

void CommDialect::registerAttrs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Comm/CommAttrs.cpp.inc"
      >();
}

int64_t AxesAttr::getGroupSize() const {
  int64_t n = 1;
  for (int64_t size : getSizes())
    n *= size;
  return n;
}

LogicalResult AxesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<StringAttr> names,
                               ArrayRef<int64_t> preSizes,
                               ArrayRef<int64_t> sizes) {
  if (names.size() != sizes.size() || names.size() != preSizes.size())
    return emitError() << "has " << names.size() << " axis names, "
                       << preSizes.size() << " pre-sizes and " << sizes.size()
                       << " sizes; they must be equally many";
  for (auto [i, name] : llvm::enumerate(names)) {
    if (preSizes[i] < 1 || sizes[i] < 1)
      return emitError() << "axis \"" << name.getValue() << "\" has pre-size "
                         << preSizes[i] << " and size " << sizes[i]
                         << "; both must be at least 1";
    for (size_t j = 0; j < i; ++j)
      if (names[j] == name && preSizes[j] < preSizes[i] * sizes[i] &&
          preSizes[i] < preSizes[j] * sizes[j])
        return emitError() << "axis \"" << name.getValue()
                           << "\" is named twice over the same part";
  }
  return success();
}

/// axes ::= `{` (axis (`,` axis)*)? `}`
/// axis ::= string (`=` int | `:` `(` int `)` int)
static ParseResult parseAxes(AsmParser &parser, AxesAttr &axes) {
  SmallVector<StringAttr> names;
  SmallVector<int64_t> preSizes, sizes;
  auto parseAxis = [&]() -> ParseResult {
    std::string name;
    int64_t pre = 1, size = 1;
    if (parser.parseString(&name))
      return failure();
    if (succeeded(parser.parseOptionalEqual())) {
      if (parser.parseInteger(size))
        return failure();
    } else if (parser.parseColon() || parser.parseLParen() ||
               parser.parseInteger(pre) || parser.parseRParen() ||
               parser.parseInteger(size)) {
      return failure();
    }
    names.push_back(parser.getBuilder().getStringAttr(name));
    preSizes.push_back(pre);
    sizes.push_back(size);
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, parseAxis))
    return failure();
  axes = AxesAttr::getChecked([&] { return parser.emitError(loc); },
                              parser.getContext(), names, preSizes, sizes);
  return success(static_cast<bool>(axes));
}

static void printAxes(AsmPrinter &printer, AxesAttr axes) {
  printer << "{";
  for (size_t i = 0; i < axes.getNames().size(); ++i) {
    printer << (i ? ", " : "") << axes.getNames()[i];
    // `"a"=2` is the part of size 2 that comes first: the whole axis, or a
    // leading sub-axis; which of the two, the mesh tells.
    if (axes.getPreSizes()[i] == 1)
      printer << "=" << axes.getSizes()[i];
    else
      printer << ":(" << axes.getPreSizes()[i] << ")" << axes.getSizes()[i];
  }
  printer << "}";
}

Attribute AxesAttr::parse(AsmParser &parser, Type) {
  AxesAttr axes;
  if (parser.parseLess() || parseAxes(parser, axes) || parser.parseGreater())
    return {};
  return axes;
}

void AxesAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printAxes(printer, *this);
  printer << ">";
}

static void printAxes(OpAsmPrinter &printer, Operation *, AxesAttr axes) {
  printAxes(printer, axes);
}

#define GET_OP_CLASSES
#include "dialects/Comm/CommOps.cpp.inc"
