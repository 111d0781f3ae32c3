import yargs from 'yargs'
import type { Run } from '../context.js'

/** Prints the script that yargs makes for the shell. The shell then calls the program for completions. */
export const completion: Run<{ shell: 'bash' | 'zsh' | undefined }> = async ({ shell }) => {
  // yargs decides by this variable.
  if (shell !== undefined) process.env.SHELL = shell
  yargs().scriptName('svtrain-emulator').showCompletionScript()
  return 0
}
