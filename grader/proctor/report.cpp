#include "grader/proctor/report.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "grader/proctor/folding.h"
#include "grader/proctor/text.h"

namespace vram::proctor {

namespace {

using protocol::Verdict;

constexpr std::size_t points_column = 77;  ///< where "8 / 20" ends
constexpr std::size_t story_indent = 8;
constexpr std::size_t label_width = 10;  ///< "expected  "
constexpr std::size_t most_output_lines = 12;

enum class Colour : unsigned char { none, red, green, yellow, dim, bold };

std::string spaces(std::size_t count) {
    return std::string(count, ' ');
}

class Writer {
  public:
    explicit Writer(const ReportStyle& style) : style_(style) {}

    std::string coloured(const std::string& text, Colour colour) const {
        if (!style_.colour || colour == Colour::none) {
            return text;
        }
        static constexpr const char* codes[] = {"0", "31;1", "32", "33", "2", "1"};
        return std::string("\x1b[") + codes[static_cast<int>(colour)] + "m" + text + "\x1b[0m";
    }

    void line(const std::string& text = {}) { text_ += text + "\n"; }

    /// A label and a text, broken into lines that begin below each other.
    void paragraph(std::size_t indent, const std::string& label, const std::string& text) {
        const std::size_t begin = indent + std::max(columns(label), std::size_t{0});
        const std::size_t room = style_.width > begin + 20 ? style_.width - begin : 20;
        bool first = true;
        for (const std::string& part : wrapped(printable(text), room)) {
            line(spaces(indent) + (first ? coloured(label, Colour::dim) : spaces(columns(label))) +
                 part);
            first = false;
        }
    }

    void labelled(const std::string& label, const std::string& text) {
        if (!text.empty()) {
            paragraph(story_indent, label + spaces(label_width - label.size()), text);
        }
    }

    /// `left`, then `right` so that it ends at the points' column.
    void to_points_column(const std::string& left, std::size_t left_columns,
                          const std::string& right, const std::string& behind = {}) {
        const std::size_t used = left_columns + columns(right);
        line(left + spaces(used + 1 < points_column ? points_column - used : 1) + right + behind);
    }

    std::string take() { return std::move(text_); }
    std::size_t width() const { return style_.width; }

  private:
    const ReportStyle& style_;
    std::string text_;
};

Colour colour_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass:
            return Colour::green;
        case Verdict::not_graded_here:
        case Verdict::inconclusive:
            return Colour::yellow;
        default:
            return Colour::red;
    }
}

std::string fraction(double earned, double points) {
    return number(earned) + " / " + number(points);
}

void write_quote(Writer& writer, const Quote& quote) {
    const std::string line_number = std::to_string(quote.line);
    const std::size_t indent = 15 - std::min<std::size_t>(line_number.size(), 4);
    writer.line(spaces(indent) + line_number + " | " +
                quote.text.substr(0, std::max<std::size_t>(writer.width(), 60) - 18));
    if (!quote.note.empty()) {
        writer.line(spaces(indent + line_number.size()) + " | " + spaces(quote.column) + "^ " +
                    printable(quote.note));
    }
}

void write_steps(Writer& writer, const PlacedFinding& finding) {
    std::size_t widest = 0;
    std::size_t widest_place = 0;
    for (const PlacedStep& step : finding.steps) {
        if (step.site.known()) {
            widest = std::max(widest, columns(printable(step.text)));
            widest_place = std::max(
                widest_place, columns(place_text(step.site)) + 2 + columns(step.site.function));
        }
    }
    constexpr std::size_t before_text = 13;  // "          1  "
    const std::size_t room = writer.width() > before_text + widest_place + 2
                                 ? writer.width() - before_text - widest_place - 2
                                 : 20;
    const std::size_t text_column = std::min(widest, std::max<std::size_t>(room, 30));
    writer.line();
    for (std::size_t i = 0; i < finding.steps.size(); ++i) {
        const PlacedStep& step = finding.steps[i];
        const std::string label = std::to_string(i + 1);
        const std::string head = spaces(11 - std::min<std::size_t>(label.size(), 3)) + label + "  ";
        const std::string text = printable(step.text);
        if (!step.site.known()) {
            writer.paragraph(0, head, text);
        } else {
            std::string place = "  " + place_text(step.site);
            if (!step.site.function.empty()) {
                place += "  " + step.site.function;
            }
            const std::size_t used = columns(text);
            writer.line(head + text + spaces(text_column > used ? text_column - used : 0) +
                        writer.coloured(place, Colour::dim));
        }
        if (i + 1 == finding.shown_step && finding.quote) {
            write_quote(writer, *finding.quote);
        }
    }
}

void write_finding(Writer& writer, const PlacedFinding& finding) {
    writer.paragraph(story_indent, "", finding.diagnosis + ": " + finding.first_line);
    if (!finding.steps.empty()) {
        write_steps(writer, finding);
    }
    for (const std::string& detail : finding.details) {
        writer.paragraph(story_indent, "", detail);
    }
    if (!finding.expected.empty() || !finding.found.empty() || !finding.why.empty()) {
        writer.line();
    }
    writer.labelled("expected", finding.expected);
    writer.labelled("found", finding.found);
    writer.labelled("why", finding.why);
}

void write_findings(Writer& writer, const CheckGrade& check) {
    constexpr std::size_t most_others = 3;
    if (!check.findings.empty()) {
        write_finding(writer, check.findings.front());
    }
    for (std::size_t i = 1; i < check.findings.size() && i <= most_others; ++i) {
        writer.labelled("also", check.findings[i].diagnosis + ": " + check.findings[i].first_line);
    }
    if (check.findings.size() > most_others + 1) {
        writer.labelled("and", counted(check.findings.size() - most_others - 1, "more finding"));
    }
    if (!check.remark.empty()) {
        writer.paragraph(story_indent, "", check.remark);
    }
}

std::string check_name_alone(const std::string& check) {
    return check.substr(check.find('.') + 1);
}

std::string lab_number(const LabGrade& grade) {
    return grade.lab.substr(0, grade.lab.find('-'));
}

void write_check_line(Writer& writer, const CheckGrade& check) {
    const std::string word = verdict_word(check.verdict);
    const std::string padded = word + spaces(word.size() < 6 ? 6 - word.size() : 1);
    const std::string left = "  " + writer.coloured(padded, colour_of(check.verdict)) + check.check;
    const std::size_t used = 2 + padded.size() + columns(check.check);
    if (check.verdict == Verdict::not_graded_here) {
        writer.to_points_column(left, used, "not graded here");
    } else {
        writer.to_points_column(left, used, fraction(check.earned, check.points));
    }
}

void write_folded(Writer& writer, const FailureGroup& group) {
    if (group.folded.empty()) {
        return;
    }
    writer.line();
    const bool one = group.folded.size() == 1;
    writer.line(spaces(story_indent) + counted(group.folded.size(), "more check") +
                (one ? " fails" : " fail") + " for the same reason:");
    for (const CheckGrade* check : group.folded) {
        const std::string left = spaces(story_indent + 2) + check->check;
        writer.to_points_column(left, columns(left), fraction(check->earned, check->points));
    }
}

void write_failures(Writer& writer, const LabGrade& grade) {
    for (const FailureGroup& group : folded_failures(grade)) {
        writer.line();
        write_check_line(writer, *group.first);
        if (grade.devices.size() > 1 && !group.first->device.empty()) {
            writer.line(spaces(story_indent) + "on the " + group.first->device + ":");
        }
        write_findings(writer, *group.first);
        if (group.first->verdict != Verdict::grader_fault) {
            writer.labelled("hint", "./vram hint " + lab_number(grade) + " " +
                                        check_name_alone(group.first->check));
        }
        write_folded(writer, group);
    }
}

void write_others(Writer& writer, const LabGrade& grade) {
    bool first = true;
    for (const CheckGrade& check : grade.checks) {
        if (is_failure(check)) {
            continue;
        }
        if (first) {
            writer.line();
            first = false;
        }
        write_check_line(writer, check);
        if (!check.remark.empty()) {
            writer.paragraph(story_indent, "", check.remark);
        }
    }
}

void write_rejection(Writer& writer, const LabGrade& grade) {
    writer.line();
    const std::string word = grade.grader_fault ? "FAULT" : "FAIL";
    writer.line("  " + writer.coloured(word + spaces(6 - word.size()), Colour::red) + grade.file);
    write_finding(writer, *grade.rejection);
    writer.line();
    if (grade.grader_fault) {
        writer.paragraph(story_indent, "",
                         "This is a fault of the grader or its set-up, not of your file.");
        return;
    }
    const auto affected = static_cast<std::size_t>(
        std::count_if(grade.checks.begin(), grade.checks.end(), is_failure));
    writer.line(spaces(story_indent) + counted(affected, "check") +
                " could not run because of this.");
}

void write_output(Writer& writer, const LabGrade& grade) {
    if (trimmed(grade.program_output).empty()) {
        return;
    }
    const auto lines = lines_of(grade.program_output);
    writer.line();
    const bool cut = grade.output_cut || lines.size() > most_output_lines;
    writer.line(spaces(2) + grade.file + " printed" +
                (cut ? " (the first lines of it):" : std::string(":")));
    for (std::size_t i = 0; i < lines.size() && i < most_output_lines; ++i) {
        writer.line(spaces(story_indent) + printable(lines[i]).substr(0, writer.width() - 10));
    }
}

void write_heading(Writer& writer, const LabGrade& grade) {
    constexpr std::size_t device_column = 54;
    const std::string title = "Lab " + lab_number(grade) + "  " + grade.title;
    const std::string device = joined(grade.devices, ", ");
    const std::size_t used = columns(title);
    std::string left = writer.coloured(title, Colour::bold);
    std::size_t left_columns = used;
    if (!device.empty()) {
        const std::size_t gap = used + 2 < device_column ? device_column - used : 2;
        left += spaces(gap) + device;
        left_columns += gap + columns(device);
    }
    writer.to_points_column(left, left_columns, fraction(grade.earned(), grade.points()),
                            " points");
}

}  // namespace

ReportStyle style_for_output(bool plain) {
    ReportStyle style;
    const char* no_colour = std::getenv("NO_COLOR");
    const bool wants_none = no_colour != nullptr && *no_colour != '\0';
    const bool terminal = isatty(STDOUT_FILENO) != 0;
    style.colour = terminal && !wants_none && !plain;
    winsize size{};
    if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 60) {
        style.width = std::min<std::size_t>(size.ws_col, style.width);
    }
    return style;
}

std::string verdict_word(Verdict verdict) {
    switch (verdict) {
        case Verdict::pass:
            return "ok";
        case Verdict::crashed:
            return "CRASH";
        case Verdict::hung:
            return "HANG";
        case Verdict::not_graded_here:
            return "--";
        case Verdict::inconclusive:
            return "?";
        case Verdict::grader_fault:
            return "FAULT";
        case Verdict::fail:
        case Verdict::does_not_compile:
            break;
    }
    return "FAIL";
}

std::string lab_report(const LabGrade& grade, const ReportStyle& style) {
    Writer writer(style);
    write_heading(writer, grade);
    if (grade.rejection) {
        write_rejection(writer, grade);
    } else {
        write_failures(writer, grade);
        write_others(writer, grade);
        if (!grade.complete()) {
            write_output(writer, grade);
        }
    }
    return writer.take();
}

std::string check_story(const LabGrade& grade, const CheckGrade& check) {
    const ReportStyle style;
    Writer writer(style);
    if (grade.rejection) {
        write_finding(writer, *grade.rejection);
    } else {
        write_findings(writer, check);
    }
    // The indentation is for a place below the check's name.
    std::string text;
    for (const std::string& line : lines_of(writer.take())) {
        text +=
            line.substr(std::min({story_indent, line.size(), line.find_first_not_of(' ')})) + "\n";
    }
    return text;
}

std::string score_line(const std::vector<LabGrade>& grades) {
    double earned = 0;
    double points = 0;
    std::size_t complete = 0;
    for (const LabGrade& grade : grades) {
        earned += grade.earned();
        points += grade.points();
        complete += grade.complete() ? 1 : 0;
    }
    return "Score: " + fraction(earned, points) + " points, " + std::to_string(complete) + " of " +
           std::to_string(grades.size()) + " labs complete";
}

}  // namespace vram::proctor
