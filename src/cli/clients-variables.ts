import { Redactor } from '../base/text/redaction/redact.js'
import { CLIENTS_VARIABLES } from '../base/text/vendor/keys.js'
import { isSdkKey } from '../emulator/sdk-variables.js'
import type { Mapping } from './run/exec-environment.js'
import type { Context } from './context.js'
import { sameCommand, type Arguments } from './report/reproduction.js'
import { printable } from './terminal.js'

interface CommandWithVariables {
  readonly args: Arguments & { readonly env?: readonly Mapping[] | undefined }
  readonly by: 'exec' | 'explore'
}

/**
 * Warns about variables that the command inherits and that send a client past the emulator, with the command line
 * that removes them. Keys that are too short are replaced, so nothing warns of them. The values are never shown.
 */
export function warnOfVariables(
  { args, by }: CommandWithVariables,
  {
    terminal,
    environment,
    program,
    given,
  }: Pick<Context, 'terminal' | 'environment' | 'program' | 'given'>,
): void {
  const { write, paint } = terminal.errors
  const replaced = new Set(args.env?.map(({ variable }) => variable))
  for (const { name, effect, instead } of CLIENTS_VARIABLES) {
    const { [name]: value = '' } = environment
    if (!isSdkKey(value) || replaced.has(name)) continue
    const line = ['env', '-u', name, program, ...sameCommand(args, { by, given })].join(' ')
    const shown = new Redactor({ secrets: [value] }).redact(line)
    write(`${paint('yellow', `Warning: ${name} is set.`)} ${effect}`)
    write('Run the command without it:')
    write(`  ${printable(shown)}`)
    write(`${instead} Read more: ${program} docs pytest`)
  }
}
