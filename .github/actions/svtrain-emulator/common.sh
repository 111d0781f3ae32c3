# shellcheck shell=sh
# What the scripts of both actions share. Values of inputs come as variables only, and none is evaluated.

# Ends the step with an error that the page of the workflow shows.
fail() {
  echo "::error title=svtrain-emulator::$(printf '%s' "$1" | sed 's/%/%25/g' | tr '\n' ' ')"
  exit 1
}

needs_node() {
  if ! command -v node > /dev/null; then
    fail 'This action needs Node.js, which is not on the PATH. Add a step with actions/setup-node before it.'
  fi
}

# Prints the words of the program that runs the emulator, one in each line.
find_program() {
  if [ -n "${INPUT_VERSION:-}" ]; then
    case $INPUT_VERSION in
      *[!A-Za-z0-9._^~+-]*)
        echo "The input version takes a version or a tag, such as 0.2 or latest, not \"$INPUT_VERSION\"."
        return 1
        ;;
    esac
    printf '%s\n' npx --yes "svtrain-emulator@$INPUT_VERSION"
    return
  fi
  place=$PWD
  while :; do
    if [ -x "$place/node_modules/.bin/svtrain-emulator" ]; then
      printf '%s\n' "$place/node_modules/.bin/svtrain-emulator"
      return
    fi
    above=$(dirname "$place")
    if [ "$above" = "$place" ]; then break; fi
    place=$above
  done
  if command -v svtrain-emulator > /dev/null; then
    printf '%s\n' svtrain-emulator
  else
    printf '%s\n' npx --yes svtrain-emulator@latest
  fi
}

# Prints an option for each word: each --allow-host-out 'pypi.org huggingface.co'
each() {
  printf '%s\n' "$2" | tr -s ' ,' '\n\n' | while IFS= read -r word; do
    if [ -n "$word" ]; then printf '%s\n' "$1" "$word"; fi
  done
}

# Prints the options that the inputs set, one word in each line.
options() {
  if [ -n "${INPUT_SCENARIO:-}" ]; then printf '%s\n' --scenario "$INPUT_SCENARIO"; fi
  if [ -n "${INPUT_CLOCK:-}" ]; then printf '%s\n' --clock "$INPUT_CLOCK"; fi
  if [ -n "${INPUT_SEED:-}" ]; then printf '%s\n' --seed "$INPUT_SEED"; fi
  case ${INPUT_INTERCEPT:-} in
    '' | false) ;;
    true) echo --intercept ;;
    *) each --intercept "$INPUT_INTERCEPT" ;;
  esac
  each --allow-host-out "${INPUT_ALLOW_HOSTS_OUT:-}"
  # xargs splits words and removes quotes as a shell does, and evaluates nothing.
  if ! printf '%s\n' "${INPUT_ARGS:-}" | xargs printf '%s\n' 2> /dev/null; then
    echo "The input args has a quote without its end: ${INPUT_ARGS:-}"
    return 1
  fi
}

# Makes the folder of this emulator. Only what is in its folder report is uploaded: the rest has keys.
make_folder() {
  folder=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/svtrain-emulator.XXXXXX")
  mkdir "$folder/report"
  if ! find_program > "$folder/program"; then fail "$(cat "$folder/program")"; fi
  if ! options > "$folder/options"; then fail "$(tail -n 1 "$folder/options")"; fi
}

# Appends an output of the step. The value may have several lines.
output() {
  printf '%s<<end-of-%s\n%s\nend-of-%s\n' "$1" "$1" "$2" "$1" >> "$GITHUB_OUTPUT"
}

# Prints a field of a file of --ready-file: field ready.json variables SVTRAIN_BASE_URL
field() {
  node -e '
    const [file, ...path] = process.argv.slice(1)
    const entry = JSON.parse(require("fs").readFileSync(file, "utf8"))
    console.log(path.reduce((value, name) => value?.[name], entry) ?? "")
  ' "$@"
}

# Adds what happened to the page of the workflow: summary <headline> <folder>
summary() {
  {
    echo "### $1"
    echo
    echo "The artifact \`$INPUT_REPORT\` of this run has \`report.html\`, which shows everything that happened."
    if [ -s "$2/report/trace.txt" ]; then
      echo
      echo 'The end of the trace:'
      echo
      echo '~~~~~~~~text'
      tail -n 60 "$2/report/trace.txt" | cut -c 1-300
      echo '~~~~~~~~'
    fi
  } >> "$GITHUB_STEP_SUMMARY"
}
