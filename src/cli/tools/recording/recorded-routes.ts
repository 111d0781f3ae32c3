import { addressOf, type Route } from '../../../emulator/adapters/routes.js'
import { routesOf } from '../../../emulator/intercept/read-route.js'
import type { ArgumentsOf } from '../../command.js'
import { UsageError } from '../../usage-error.js'
import type { record } from './record.js'

type Arguments = ArgumentsOf<typeof record>

/** Where the calls of a command lead. */
interface RecordedRoutes {
  readonly recorded: readonly Route[]
  /** The names of hosts whose calls are passed on unread. */
  readonly passed: readonly string[]
}

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
export function routesFor(args: Arguments): RecordedRoutes {
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

/** The addresses of the APIs that a recording names. */
export function addressesOf(
  routes: readonly Route[],
): Record<'trainingUrl' | 'inferenceUrl', string> {
  const of = (host: Route['host']): Route | undefined => routes.find((each) => each.host === host)
  const training = of('training') ?? routes[0]!
  return {
    trainingUrl: addressOf(training),
    inferenceUrl: addressOf(of('inference') ?? training),
  }
}
