// Signals that end a program nobody grades: its report is written first.
#pragma once

namespace vram::runtime {

/// From now on this process calls `write_report`, on a thread of its own, before SIGINT, SIGTERM,
/// SIGHUP, SIGABRT, SIGFPE or SIGILL end it, unless the program handles or ignores the signal. It
/// still ends by that signal. Forks end without a report.
void report_before_signals(void (*write_report)());

/// For the handler of a fault that is about to end the process: waits until the report is written,
/// for a few seconds at most. Does nothing where no report is wanted.
void report_before_fault(int signal);

}  // namespace vram::runtime
