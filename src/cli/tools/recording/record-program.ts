import { stdin } from 'node:process'
import { SDK_MODE } from '../../../base/text/vendor/sdk-variables.js'
import { createInterception, type Interception } from '../../../emulator/intercept/interception.js'
import { RecordedService } from './recorded-service.js'
import { addressOf, type Route } from '../../../emulator/adapters/routes.js'
import { routesOf } from '../../../emulator/intercept/read-route.js'
import { RECORDING_LIMITS } from '../../../tools/recording/proxy.js'
import { runChild } from '../../child.js'
import type { ArgumentsOf, Run } from '../../command.js'
import type { record } from './record.js'
import type { Context } from '../../context.js'
import { secretsIn } from '../../environment.js'
import { printable, printableJson } from '../../terminal.js'
import { UsageError } from '../../usage-error.js'
import { allowWith, RECORDED, reportHosts } from '../../run/interception.js'
import { needed } from './needed-option.js'
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

/** Options of the ports, which a command does not need. */
const OF_PORTS = [
  'training-url',
  'inference-url',
  'port',
  'inference-port',
  'allow-host',
  'cors',
  'ready-file',
] as const

/** A scenario has nothing of runs and artifacts, so their calls are passed on unread. */
function routesFor(args: Arguments) {
  const { intercept, '--': command = [] } = args
  if (!intercept) {
    if (args['allow-host-out'] !== undefined) throw new UsageError(ALLOWED_ALONE)
    throw new UsageError(COMMAND_ALONE)
  }
  if (command.length === 0) throw new UsageError(NO_COMMAND)
  const useless = OF_PORTS.find((name) => args[name] !== undefined)
  if (useless) {
    throw new UsageError(
      `--${useless} is for the ports of record, and --intercept opens none. Leave one of them out. For another address, use --intercept training=https://api.example.com/v1.`,
    )
  }
  const routes = routesOf(intercept)
  const recorded = routes.filter(({ api }) => api !== 'platform')
  if (recorded.length === 0) throw new UsageError(NOTHING_TO_RECORD)
  const passed = routes.filter(({ api }) => api === 'platform')
  return { recorded, passed: passed.map(({ hostname }) => hostname) }
}

const NO_COMMAND =
  'record --intercept takes a command after two dashes: record --to recording --intercept -- python train.py'
const COMMAND_ALONE =
  'record runs a command only with --intercept. Without it, start record, set the variables that it prints, and run the command in another terminal.'
const ALLOWED_ALONE = '--allow-host-out needs --intercept. Without it, clients may call all hosts.'
const NOTHING_TO_RECORD =
  'record records calls to the training and the inference API. Calls to the platform are only passed on. Add --intercept training=https://api.example.com/v1.'

function addressesOf(routes: readonly Route[]): Record<'trainingUrl' | 'inferenceUrl', string> {
  const of = (host: Route['host']): Route | undefined => routes.find((each) => each.host === host)
  const training = of('training') ?? routes[0]!
  return {
    trainingUrl: addressOf(training),
    inferenceUrl: addressOf(of('inference') ?? training),
  }
}
