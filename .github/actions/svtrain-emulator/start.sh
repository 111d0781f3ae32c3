#!/bin/sh
# Starts the emulator in the background, waits until it is ready, and exports its variables.
set -eu
here=$(dirname "$0")
. "$here/common.sh"

case $INPUT_START_TIMEOUT in
  '' | *[!0-9]*) fail "The input start-timeout takes a number of seconds, not \"$INPUT_START_TIMEOUT\"." ;;
esac
needs_node
make_folder
ready=$folder/ready.json
log=$folder/report/log.txt

set --
while IFS= read -r word; do set -- "$@" "$word"; done < "$folder/program"
while IFS= read -r word; do
  if [ -n "$word" ]; then set -- "$@" "$word"; fi
done < "$folder/options"

# As variables, so that args can set the same options. A silent log has errors only, and no keys.
export SVTRAIN_EMULATOR_PORT="${SVTRAIN_EMULATOR_PORT:-0}"
export SVTRAIN_EMULATOR_INFERENCE_PORT="${SVTRAIN_EMULATOR_INFERENCE_PORT:-0}"
export SVTRAIN_EMULATOR_LOG="${SVTRAIN_EMULATOR_LOG:-silent}"
if [ -n "${INPUT_INTERCEPT#false}" ]; then
  export SVTRAIN_EMULATOR_INTERCEPT_PORT="${SVTRAIN_EMULATOR_INTERCEPT_PORT:-0}"
fi
unset INPUT_SCENARIO INPUT_CLOCK INPUT_SEED INPUT_ARGS INPUT_VERSION INPUT_INTERCEPT INPUT_ALLOW_HOSTS_OUT
nohup "$@" --ready-file "$ready" < /dev/null > "$log" 2>&1 &
process=$!

not_ready() {
  echo '::group::The log of the emulator'
  if [ -s "$log" ]; then cat "$log"; else echo 'It is empty.'; fi
  echo '::endgroup::'
  fail "$1"
}

end=$(($(date +%s) + INPUT_START_TIMEOUT))
until [ -s "$ready" ]; do
  if ! kill -0 "$process" 2> /dev/null; then
    not_ready "The emulator ended before it was ready: $(tail -n 3 "$log")"
  fi
  if [ "$(date +%s)" -ge "$end" ]; then
    kill "$process" 2> /dev/null || true
    not_ready "The emulator was not ready after $INPUT_START_TIMEOUT seconds. The input start-timeout sets another limit."
  fi
  sleep 0.2
done

node "$here/export.mjs" "$folder"
