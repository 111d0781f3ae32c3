#compdef svtrain-emulator
###-begin-svtrain-emulator-completions-###
#
# yargs command completion script
#
# Installation: svtrain-emulator completion >> ~/.zshrc
#    or svtrain-emulator completion >> ~/.zprofile on OSX.
#
_svtrain-emulator_yargs_completions()
{
  local reply
  local si=$IFS
  IFS=$'
' reply=($(COMP_CWORD="$((CURRENT-1))" COMP_LINE="$BUFFER" COMP_POINT="$CURSOR" svtrain-emulator --get-yargs-completions "${words[@]}"))
  IFS=$si
  if [[ ${#reply} -gt 0 ]]; then
    _describe 'values' reply
  else
    _default
  fi
}
if [[ "${zsh_eval_context[-1]}" == "loadautofunc" ]]; then
  _svtrain-emulator_yargs_completions "$@"
else
  compdef _svtrain-emulator_yargs_completions svtrain-emulator
fi
###-end-svtrain-emulator-completions-###

