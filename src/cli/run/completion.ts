import yargs from 'yargs'
import type { Run } from '../command.js'
import type { completion } from '../commands/completion.js'

/** Prints the script of yargs for the shell. With it, the shell calls the program for completions. */
export const runCommand: Run<typeof completion> = async ({ shell }) => {
  // yargs chooses the script by this variable.
  if (shell !== undefined) process.env.SHELL = shell
  yargs().scriptName('svtrain-emulator').showCompletionScript()
  return 0
}
