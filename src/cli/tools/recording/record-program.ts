import { stdin } from 'node:process'
import { SDK_MODE } from '../../../base/text/vendor/sdk-variables.js'
import { createInterception, type Interception } from '../../../emulator/intercept/interception.js'
import { RecordedService } from './recorded-service.js'
import type { Route } from '../../../emulator/adapters/routes.js'
import { RECORDING_LIMITS } from '../../../tools/recording/proxy.js'
import { runChild } from '../../child-process/child.js'
import type { ArgumentsOf, Run } from '../../command.js'
import type { record } from './record.js'
import type { Context } from '../../context.js'
import { secretsIn } from '../../environment.js'
import { printable, printableJson } from '../../terminal.js'
import { allowWith, RECORDED, reportHosts } from '../../run/interception.js'
import { needed } from './needed-option.js'
import { addressesOf, routesFor } from './recorded-routes.js'
import { CommandRecording } from './recording-output.js'

type Arguments = ArgumentsOf<typeof record>

/**
 * Runs a command that calls the real service, and records its calls.
 *
 * @throws {RecordingError} When the file cannot be created.
 * @throws {UsageError} When options contradict each other.
 */
export const recordCommand: Run<typeof record> = async (args, context) => {
  const { environment } = context
  const { recorded, passed } = routesFor(args)
  const to = needed('to', args.to)
  const interception = createInterception({
    routes: recorded,
    allowed: [...(args['allow-host-out'] ?? []), ...passed],
    environment,
    allowWith,
    limits: RECORDING_LIMITS,
  })
  try {
    return await recordThrough(interception, { to, recorded, args, context })
  } finally {
    await interception.end()
  }
}

interface Recording {
  /** The folder of the recording. */
  readonly to: string
  readonly recorded: readonly Route[]
  readonly args: Arguments
  readonly context: Context
}

async function recordThrough(
  interception: Interception,
  { to, recorded, args, context }: Recording,
): Promise<number> {
  const { terminal, environment, program } = context
  const { errors } = terminal
  const { '--': command = [], contents, log } = args
  const failed = (text: string): void => terminal.writeError(printable(text))
  const recording = new CommandRecording({
    ...addressesOf(recorded),
    to,
    // The command prints to the same terminal.
    log: log ?? 'silent',
    terminal,
    output: errors,
    contents,
    secrets: secretsIn(environment),
  })
  const { file, recorder, ended } = recording
  const service = await RecordedService.prepare({ routes: recorded, recorder, environment, ended })
  try {
    const { variables } = await interception.open(service.answer)
    const { code, failure } = await runChild(command, {
      // The user decides whether runs are logged.
      env: { ...environment, ...variables, [SDK_MODE]: environment[SDK_MODE] },
      interactive: stdin.isTTY,
    })
    await service.close()
    if (failure !== undefined) failed(`Failed to run ${command[0]!}: ${failure}`)
    else if (log === 'json') {
      errors.write(printableJson({ kind: 'hosts', hosts: interception.called }))
    } else if (log !== 'silent') reportHosts(interception, errors, RECORDED)
    if (log !== 'silent') recording.summarize({ program, none: NONE })
    return code === 0 && recording.isIncomplete ? 1 : code
  } finally {
    await service.close()
    if (recording.requests > 0) file.close()
    else file.remove()
  }
}

const NONE = 'Nothing was recorded, so the file is removed.'
