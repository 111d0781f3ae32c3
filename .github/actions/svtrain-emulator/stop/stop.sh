#!/bin/sh
# Stops the emulators that start.sh started. If the job failed, it writes their reports before.
set -eu
. "$(dirname "$0")/../common.sh"

# Tenths of a second until the emulator is killed.
readonly PATIENCE=100

# By Node, because the kill of Git Bash on Windows knows other ids.
send() {
  node -e '
    const [pid, signal] = process.argv.slice(1)
    process.kill(Number(pid), signal === "none" ? 0 : signal)
  ' "$1" "$2" 2> /dev/null
}

has_ended() {
  if ! send "$1" none; then return 0; fi
  # In a container without an init process, nobody removes it from the list.
  case $(cat "/proc/$1/stat" 2> /dev/null) in *') Z '*) return 0 ;; esac
  return 1
}

# In a subshell, because each emulator has its own token.
write_report() (
  set --
  while IFS= read -r word; do set -- "$@" "$word"; done < "$folder/program"
  url=$(field "$ready" trainingUrl)
  token=$(field "$ready" variables SVTRAIN_CONTROL_TOKEN)
  if [ -n "$token" ]; then export SVTRAIN_CONTROL_TOKEN="$token"; fi
  "$@" report --url "$url" --to "$folder/report/report.html" || true
  "$@" trace --url "$url" > "$folder/report/trace.txt" || true
)

stop() {
  pid=$(field "$ready" pid)
  send "$pid" SIGTERM || true
  left=$PATIENCE
  until has_ended "$pid"; do
    if [ "$left" -eq 0 ]; then
      echo "::warning title=svtrain-emulator::The emulator with the process id $pid did not stop in time, and was killed."
      send "$pid" SIGKILL || true
      return
    fi
    left=$((left - 1))
    sleep 0.1
  done
}

stopped=${INPUT_FOLDER:-${SVTRAIN_ACTION_FOLDERS:-}}
if [ -z "$stopped" ]; then
  echo 'There is no emulator to stop: no step before has started one, or all were stopped.'
  exit 0
fi

needs_node
paths=''
while IFS= read -r folder <&3; do
  ready=$folder/ready.json
  isReady=no
  # An emulator that ends removes its file.
  if [ -s "$ready" ] && ! has_ended "$(field "$ready" pid)"; then isReady=yes; fi
  if [ "$INPUT_STATUS" != success ]; then
    if [ "$isReady" = yes ]; then write_report; fi
    paths=$(printf '%s\n%s' "$paths" "$folder/report")
    summary 'svtrain-emulator: what happened in the emulator' "$folder"
  fi
  if [ "$isReady" = no ]; then
    echo '::warning title=svtrain-emulator::The emulator ended before it was stopped. Its log:'
    cat "$folder/report/log.txt"
  else
    stop
  fi
  rm -f "$ready"
  if [ -f "$folder/before" ]; then cat "$folder/before" >> "$GITHUB_ENV"; fi
done 3<< EOF_FOLDERS
$stopped
EOF_FOLDERS

# Those that still run.
if [ -n "${SVTRAIN_ACTION_FOLDERS:-}" ]; then
  left=$(printf '%s\n' "$SVTRAIN_ACTION_FOLDERS" | grep -vxF "$stopped" || true)
  printf 'SVTRAIN_ACTION_FOLDERS<<end-of-folders\n%s\nend-of-folders\n' "$left" >> "$GITHUB_ENV"
fi
output path "${paths#?}"
