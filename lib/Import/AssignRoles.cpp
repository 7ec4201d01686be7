// Gives the entry's arguments their roles: what the user says decides, then a
// telling name, then what the argument is needed for.

#include "NextValues.h"
#include "UntrainedArguments.h"
#include "partopt/Import/Import.h"
#include "partopt/Support/NextValues.h"
#include "partopt/Support/UserLocation.h"
#include "partopt/Support/Warnings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace partopt {

#define GEN_PASS_DEF_ASSIGNROLESPASS
#include "partopt/Import/Passes.h.inc"

namespace {

constexpr StringRef kResultInfoAttr = "jax.result_info";

// `REGEX=role` from the command line.
struct Override {
  std::string text;
  llvm::Regex regex;
  Role role;
  bool used = false;
  // Another one that came first for an argument that this one matches too.
  const Override *before = nullptr;
};

LogicalResult parseOverrides(ArrayRef<std::string> texts, Location loc,
                             SmallVectorImpl<Override> &overrides) {
  for (StringRef text : texts) {
    auto [pattern, name] = text.rsplit('=');
    std::optional<Role> role = symbolizeRole(name);
    if (!role || pattern.empty())
      return emitError(loc) << "--arg-role '" << text
                            << "': expected REGEX=ROLE with a role of param, "
                               "opt, state, batch, rng or scalar";
    llvm::Regex regex(pattern);
    std::string why;
    if (!regex.isValid(why))
      return emitError(loc) << "--arg-role '" << text << "': '" << pattern
                            << "' is not a regular expression: " << why;
    overrides.push_back({text.str(), std::move(regex), *role});
  }
  return success();
}

class RoleAssigner {
public:
  RoleAssigner(func::FuncOp func, MutableArrayRef<Override> overrides)
      : func(func), overrides(overrides),
        roles(func.getNumArguments(), std::nullopt),
        reasons(func.getNumArguments()), scales(func.getNumArguments()),
        next(func.getNumArguments()) {}

  LogicalResult run(ArrayRef<std::string> carries, StringRef loss);

private:
  void setNames();
  void fromUserAndName(unsigned arg);
  void parametersByUse(const ArgumentUses &uses);
  SmallVector<Value> newValues(Role role) const;
  void carriedByUse(const ArgumentUses &uses);
  void freshByUse(const ArgumentUses &uses);
  bool mayBeBatch(unsigned arg, const ArgumentUses &uses) const;
  std::optional<int64_t> batchRows(const ArgumentUses &uses) const;
  LogicalResult checkOverrides();
  void warnOfRival(const ArgumentUses &uses);
  void write(const ArgumentUses &uses);

  RankedTensorType typeOf(unsigned arg) const {
    return cast<RankedTensorType>(func.getArgumentTypes()[arg]);
  }
  void set(unsigned arg, Role role, StringRef reason) {
    roles[arg] = role;
    reasons[arg] = reason.str();
  }
  void setCarried(unsigned arg, Role role, StringRef reason) {
    StringRef how = next.reason[arg] == "donated" ? "donated, " : "carried, ";
    set(arg, role, (how + reason).str());
  }
  bool isCarried(unsigned arg) const { return next.result[arg] >= 0; }
  bool isFloat(unsigned arg) const {
    return isa<FloatType>(typeOf(arg).getElementType());
  }
  // A raw key: two or four words.
  bool mayBeKey(unsigned arg) const {
    return typeOf(arg).getElementType().isInteger() &&
           typeOf(arg).getRank() <= 1 && typeOf(arg).getNumElements() <= 4;
  }

  mutable func::FuncOp func;
  MutableArrayRef<Override> overrides;
  SmallVector<std::string> names;
  SmallVector<std::optional<Role>> roles;
  SmallVector<std::string> reasons; ///< how the role was found, in words
  llvm::BitVector scales;           ///< arguments that are UntrainedKind::Scale
  NextValues next;
};

void RoleAssigner::setNames() {
  MLIRContext *context = func.getContext();
  llvm::StringSet<> taken;
  for (BlockArgument arg : func.getArguments()) {
    std::string name = locationName(arg.getLoc());
    if (name.empty() || !taken.insert(name).second)
      name = "arg" + std::to_string(arg.getArgNumber());
    names.push_back(name);
    func.setArgAttr(arg.getArgNumber(), kNameAttr,
                    StringAttr::get(context, name));
  }
  taken.clear();
  for (unsigned i = 0; i < func.getNumResults(); ++i) {
    auto info = func.getResultAttrOfType<StringAttr>(i, kResultInfoAttr);
    std::string name = info ? info.getValue().str() : "";
    if (name.empty() || !taken.insert(name).second)
      name = "out" + std::to_string(i);
    func.setResultAttr(i, kNameAttr, StringAttr::get(context, name));
  }
}

void RoleAssigner::fromUserAndName(unsigned arg) {
  const Override *first = nullptr;
  for (Override &item : overrides) {
    if (!item.regex.match(names[arg]) &&
        !item.regex.match("arg" + std::to_string(arg)))
      continue;
    if (first) {
      item.before = first;
      continue;
    }
    item.used = true;
    set(arg, item.role, "--arg-role");
    first = &item;
  }
  if (first)
    return;
  if (auto given = func.getArgAttrOfType<StringAttr>(arg, kRoleAttr)) {
    std::optional<Role> role = symbolizeRole(given.getValue());
    if (role && *role != Role::Unknown)
      return set(arg, *role, "partopt.role");
  }
  std::optional<Role> role = roleFromName(names[arg]);
  // A key is a few integers, a batch is new in every step.
  if ((role == Role::Rng && !mayBeKey(arg)) ||
      (role == Role::Batch && isCarried(arg)))
    role = std::nullopt;
  if (role == Role::Batch && typeOf(arg).getRank() == 0)
    role = Role::Scalar;
  if (role)
    set(arg, *role, "name");
}

/// Of those that go around and the forward part needs, the ones that gradients
/// are taken of.
void RoleAssigner::parametersByUse(const ArgumentUses &uses) {
  bool hasLoss = uses.lossResult() >= 0;
  SmallVector<unsigned> candidates;
  for (unsigned i = 0; i < roles.size(); ++i) {
    if (!isCarried(i) || roles[i])
      continue;
    bool forward = hasLoss ? uses.reachesLoss(i) : uses.reachesMatmul(i);
    if (mayBeKey(i) && typeOf(i).getRank() == 1 && uses.feedsRandom(i))
      set(i, Role::Rng, "feeds a random generator");
    else if (forward && isFloat(i) && !uses.isUpdatedInPlace(i))
      candidates.push_back(i);
    else if (forward)
      setCarried(i, Role::State, isFloat(i) ? "written in place" : "no float");
  }
  UntrainedArguments untrained(func, uses, next.result, candidates);
  SmallVector<std::optional<UntrainedKind>> kinds;
  for (unsigned argument : candidates)
    kinds.push_back(untrained.kindOf(argument));
  // A step trains something: where everything looks alike, nothing tells.
  bool tells = llvm::is_contained(kinds, std::nullopt) ||
               llvm::is_contained(roles, std::optional(Role::Param));
  for (auto [i, kind] : llvm::zip(candidates, kinds)) {
    if (!kind || !tells)
      setCarried(i, Role::Param,
                 hasLoss ? "the loss needs it" : "a matmul needs it");
    else if (kind != UntrainedKind::Scale)
      setCarried(i, Role::State, describe(*kind));
    else
      scales.set(i); // optimizer state if new parameters need it
  }
}

/// New values of the arguments of that role.
SmallVector<Value> RoleAssigner::newValues(Role role) const {
  SmallVector<Value> values;
  for (unsigned i = 0; i < roles.size(); ++i)
    if (isCarried(i) && roles[i] == role)
      values.push_back(
          func.front().getTerminator()->getOperand(next.result[i]));
  return values;
}

void RoleAssigner::carriedByUse(const ArgumentUses &uses) {
  parametersByUse(uses);
  SmallVector<Value> newParams = newValues(Role::Param);
  if (newParams.empty())
    return;
  auto setOptimizer = [&](ArrayRef<Value> values, StringRef reason) {
    llvm::BitVector needed = uses.reaching(values);
    bool isAny = false;
    for (unsigned i = 0; i < roles.size(); ++i)
      if (isCarried(i) && !roles[i] && needed.test(i)) {
        setCarried(i, Role::Opt,
                   scales.test(i) ? describe(UntrainedKind::Scale) : reason);
        isAny = true;
      }
    return isAny;
  };
  setOptimizer(newParams, "only new parameters need it");
  while (setOptimizer(newValues(Role::Opt), "only optimizer state needs it")) {
  }
  for (unsigned i = 0; i < roles.size(); ++i)
    if (isCarried(i) && !roles[i])
      setCarried(i, Role::State, "no new parameter needs it");
}

// A weight that is not trained is given anew in every step too, but the forward
// part sums over its rows.
bool RoleAssigner::mayBeBatch(unsigned arg, const ArgumentUses &uses) const {
  return !isCarried(arg) && typeOf(arg).getRank() > 0 &&
         !(isFloat(arg) && uses.contractsRows(arg));
}

// The number of rows of a batch: that of a named batch argument, else the most
// frequent size of dimension 0 among the arguments without a role; nothing
// where two sizes are equally frequent.
std::optional<int64_t> RoleAssigner::batchRows(const ArgumentUses &uses) const {
  SmallVector<std::pair<int64_t, unsigned>> counts;
  for (unsigned i = 0; i < roles.size(); ++i) {
    if (isCarried(i) || typeOf(i).getRank() == 0)
      continue;
    if (!roles[i] && !mayBeBatch(i, uses))
      continue;
    int64_t rows = typeOf(i).getDimSize(0);
    if (roles[i] == Role::Batch)
      return rows;
    if (roles[i])
      continue;
    auto *found =
        llvm::find_if(counts, [&](auto &c) { return c.first == rows; });
    if (found == counts.end())
      counts.emplace_back(rows, 1);
    else
      ++found->second;
  }
  if (counts.empty())
    return std::nullopt;
  auto *most = llvm::max_element(counts, llvm::less_second());
  if (llvm::count_if(counts,
                     [&](auto &c) { return c.second == most->second; }) > 1)
    return std::nullopt;
  return most->first;
}

void RoleAssigner::freshByUse(const ArgumentUses &uses) {
  for (unsigned i = 0; i < roles.size(); ++i) {
    if (roles[i] || isCarried(i))
      continue;
    if (mayBeKey(i) && typeOf(i).getRank() == 1 && uses.feedsRandom(i))
      set(i, Role::Rng, "feeds a random generator");
    else if (typeOf(i).getRank() == 0)
      set(i, Role::Scalar, "rank 0, new in every step");
  }
  // What is new in every step can only be told beside what is not.
  bool known = llvm::is_contained(roles, std::optional(Role::Param)) ||
               llvm::is_contained(roles, std::optional(Role::Batch));
  std::optional<int64_t> rows = batchRows(uses);
  for (unsigned i = 0; i < roles.size(); ++i)
    if (!roles[i] && known && mayBeBatch(i, uses) &&
        typeOf(i).getDimSize(0) == rows)
      set(i, Role::Batch,
          "new in every step, " + std::to_string(*rows) + " rows");
}

LogicalResult RoleAssigner::checkOverrides() {
  for (const Override &item : overrides) {
    if (item.used)
      continue;
    if (item.before)
      return emitError(func.getLoc())
             << "--arg-role '" << item.text << "' matches only arguments that '"
             << item.before->text
             << "' took before; a regular expression matches any part of a "
                "name, ^ and $ stand for its ends";
    return emitError(func.getLoc())
           << "--arg-role '" << item.text << "' matches none of the "
           << func.getNumArguments() << " arguments of @" << func.getSymName();
  }
  return success();
}

void RoleAssigner::write(const ArgumentUses &uses) {
  Builder builder(func.getContext());
  for (auto [index, role] : llvm::enumerate(roles)) {
    func.setArgAttr(
        index, kRoleAttr,
        builder.getStringAttr(stringifyRole(role.value_or(Role::Unknown))));
    func.setArgAttr(
        index, kRoleReasonAttr,
        builder.getStringAttr(role ? StringRef(reasons[index])
                                   : "nothing tells: give --arg-role"));
    if (next.result[index] == NextValues::kUnknown)
      continue;
    func.setArgAttr(index, kNextResultAttr,
                    builder.getI32IntegerAttr(
                        std::max(next.result[index], NextValues::kUnknown)));
    func.setArgAttr(index, kNextResultReasonAttr,
                    builder.getStringAttr(next.reason[index]));
  }
  if (uses.lossResult() >= 0)
    func.setResultAttr(uses.lossResult(), kLossAttr, builder.getUnitAttr());
}

/// The first of several is taken, which a step returns in front of what it
/// reports beside.
void RoleAssigner::warnOfRival(const ArgumentUses &uses) {
  if (uses.rivalOfLoss() < 0)
    return;
  auto nameOf = [&](int64_t result) {
    auto name = func.getResultAttrOfType<StringAttr>(result, kNameAttr);
    return "result " + std::to_string(result) + " ('" + name.str() + "')";
  };
  addWarning(func, "loss",
             "the loss is taken to be " + nameOf(uses.lossResult()) +
                 ", but the gradients may as well be derived from " +
                 nameOf(uses.rivalOfLoss()) + "; say which with --loss RESULT");
}

LogicalResult RoleAssigner::run(ArrayRef<std::string> carries, StringRef loss) {
  for (auto [index, type] : llvm::enumerate(func.getArgumentTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return func.emitOpError() << "argument " << index << " has the type "
                                << type << ", but only tensors of static "
                                << "shape are supported";
  setNames();
  if (failed(readGivenNextValues(func, carries, next)) ||
      failed(readGivenLoss(func, loss, next)))
    return failure();
  for (unsigned i = 0; i < roles.size(); ++i)
    fromUserAndName(i);
  if (failed(checkOverrides()))
    return failure();
  findNextValues(func, roles, next);
  ArgumentUses uses(func, next.result);
  carriedByUse(uses);
  freshByUse(uses);
  warnOfRival(uses);
  write(uses);
  return success();
}

struct AssignRolesPass : impl::AssignRolesPassBase<AssignRolesPass> {
  using AssignRolesPassBase::AssignRolesPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto func = module.lookupSymbol<func::FuncOp>(entry);
    if (!func || func.isExternal()) {
      module.emitError() << "the module has no function @" << entry
                         << " with a body";
      return signalPassFailure();
    }
    SmallVector<Override> overrides;
    if (failed(
            parseOverrides(SmallVector<std::string>(roles.begin(), roles.end()),
                           module.getLoc(), overrides)) ||
        failed(
            RoleAssigner(func, overrides)
                .run(SmallVector<std::string>(carries.begin(), carries.end()),
                     loss)))
      signalPassFailure();
  }
};

} // namespace
} // namespace partopt
