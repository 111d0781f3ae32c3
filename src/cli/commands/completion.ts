import { command } from '../command.js'
import { optionalArgument } from '../options/declare.js'
import { oneOf } from '../values.js'

export const completion = command({
  name: 'completion',
  argument: optionalArgument('shell', oneOf(['bash', 'zsh']), {
    describe: 'The shell that runs the script',
    defaultDescription: 'from SHELL',
    takes: 'a shell',
  }),
  describe: 'Print the completion script of your shell',
  examples: [['completion bash > completion.bash', 'save the script; source it in ~/.bashrc']],
})
