//===- Status.h - The outcome of a runtime call ---------------------------===//
//
// Errors are values: a code that is also the driver's exit code, and one clear
// message. No exception crosses the runtime's boundary.
//
//===----------------------------------------------------------------------===//

#ifndef PARTOPT_RT_STATUS_H
#define PARTOPT_RT_STATUS_H

#include <memory>
#include <string>
#include <utility>

namespace partopt::rt {

/// Values are the exit codes of the command line.
enum class Code {
  Ok = 0,
  Differs = 1,    ///< results or counts differ from what was expected
  BadInput = 2,   ///< a file, an array or an option is wrong
  RankFailed = 4, ///< a rank failed or timed out at run time
  Internal = 70
};

class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string message)
      : statusCode(code), text(std::move(message)) {}

  static Status badInput(std::string message) {
    return {Code::BadInput, std::move(message)};
  }
  static Status rankFailed(std::string message) {
    return {Code::RankFailed, std::move(message)};
  }
  static Status differs(std::string message) {
    return {Code::Differs, std::move(message)};
  }

  bool ok() const { return statusCode == Code::Ok; }
  Code code() const { return statusCode; }
  const std::string &message() const { return text; }

private:
  Code statusCode = Code::Ok;
  std::string text;
};

/// A value or the status that explains its absence.
template <typename T> class [[nodiscard]] StatusOr {
public:
  StatusOr(Status status) : failure(std::move(status)) {}
  StatusOr(T value) : held(std::make_unique<T>(std::move(value))) {}

  bool ok() const { return held != nullptr; }
  const Status &status() const { return failure; }
  T &operator*() { return *held; }
  T *operator->() { return held.get(); }

private:
  Status failure;
  std::unique_ptr<T> held;
};

} // namespace partopt::rt

#endif // PARTOPT_RT_STATUS_H
