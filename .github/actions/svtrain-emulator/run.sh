#!/bin/sh
# Runs the command of the input run with its own emulator, and exits as it does.
set -eu
. "$(dirname "$0")/common.sh"

make_folder
command=$INPUT_RUN

set --
while IFS= read -r word; do set -- "$@" "$word"; done < "$folder/program"
set -- "$@" exec
while IFS= read -r word; do
  if [ -n "$word" ]; then set -- "$@" "$word"; fi
done < "$folder/options"
set -- "$@" --report "$folder/report/report.html" --trace "$folder/report/trace.txt"
set -- "$@" --junit "$folder/report/junit.xml"

# The command gets the variables of the emulator, but not those of this script.
report=$INPUT_REPORT
unset INPUT_RUN INPUT_SCENARIO INPUT_CLOCK INPUT_SEED INPUT_ARGS INPUT_VERSION INPUT_REPORT
unset INPUT_INTERCEPT INPUT_ALLOW_HOSTS_OUT
code=0
"$@" -- bash --noprofile --norc -eo pipefail -c "$command" || code=$?
if [ "$code" -eq 0 ]; then exit 0; fi

INPUT_REPORT=$report
output path "$folder/report"
summary "svtrain-emulator: the command exited with code $code" "$folder"
exit "$code"
