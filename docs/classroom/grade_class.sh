#!/usr/bin/env bash
# Grades every folder in SUBMISSIONS, one a student, and prints a line for each.
#
#     docs/classroom/grade_class.sh SUBMISSIONS RESULTS [LAB...]
#
# RESULTS gets NAME.txt (the report for the student) and NAME.json (Gradescope's results.json).
# Ends with status 3 if a grading was a fault of the grader: that one has to be repeated.
set -u

submissions=$1
results=$2
shift 2
vram=${VRAM:-$(dirname -- "${BASH_SOURCE[0]}")/../../vram}
mkdir -p -- "$results"

faults=0
for folder in "$submissions"/*/; do
    student=$(basename -- "$folder")
    "$vram" grade "$@" --plain --submission "$folder" --json "$results/$student.json" \
        >"$results/$student.txt" 2>"$results/$student.log"
    status=$?
    case $status in
        0 | 1) result=$(tail -n 1 "$results/$student.txt") ;;
        2) result="not graded: $(tail -n 1 "$results/$student.log")" ;;
        *)
            result="FAULT of the grader: see $student.txt and $student.log"
            faults=1
            ;;
    esac
    printf '%-10s status %d  %s\n' "$student" "$status" "$result"
done
((faults == 0)) || exit 3
