import { stdin, stdout } from 'node:process'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { clientVariables } from '../../../emulator/control/client-variables.js'
import * as docs from '../../../emulator/adapters/docs-pages.js'
import type { Call } from '../../../emulator/control/client/call.js'
import { callOf } from '../../../emulator/control/client/http-call.js'
import { LOCAL_API_KEY } from '../../../emulator/local-key.js'
import { createServer } from '../../../tools/mcp/server.js'
import { tools } from '../../../tools/mcp/tools.js'
import type { ArgumentsOf, Run } from '../../command.js'
import type { mcp } from './command.js'
import type { Context } from '../../context.js'
import { readVariable } from '../../environment.js'
import { messageLines } from './message-lines.js'
import { commandTool } from './command-tool.js'
import { runningOptions } from '../../options/running.js'
import { settingsFrom } from '../../options/settings.js'
import { ownLogins } from '../../own-logins.js'
import { requestLog } from '../../request-log.js'
import { openPorts } from '../../serve.js'
import { interruption, printable } from '../../terminal.js'
import { UsageError } from '../../usage-error.js'
import { token as tokenValue } from '../../values.js'
import { environmentFor, proxyExceptions, secretsOfCommand } from '../../run/exec-environment.js'

type Arguments = ArgumentsOf<typeof mcp>

/** The emulator that the tools act on. */
interface ToolTarget {
  readonly call: Call
  /** The variables of commands that a client of the emulator needs. */
  readonly variables: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly stop: () => Promise<void>
}

/** Serves MCP over stdio, with an emulator of its own or a running one, until stdin ends. */
export const runCommand: Run<typeof mcp> = async (args, context) => {
  const { terminal, environment } = context
  // Before the emulator starts: a client may stop the server at once.
  const ended = Promise.race([interruption(), endOfInput()])
  const { call, variables, secrets, stop } =
    args.emulator === undefined
      ? await ownEmulator(args, { terminal, environment })
      : await runningEmulator({ ...args, emulator: args.emulator }, context)
  const stopping = new AbortController()
  const logins = ownLogins(environment)
  const runs = commandTool({
    environment: { ...environment, ...logins.variables, ...variables },
    secrets: [...secrets, ...secretsOfCommand(environment)],
    stopping: stopping.signal,
  })
  const all = [...tools, runs]
  const { write } = terminal.errors
  const server = serveStdio(() => createServer(all, { call, docs }), {
    transport: new StdioServerTransport(messageLines(stdin, stdout), stdout, {
      // Messages that are too long do not reach it.
      maxBufferSize: Infinity,
    }),
    onerror: (error) => write(`MCP: ${printable(error.message)}`),
  })
  write(`MCP server on stdin and stdout, for the emulator at ${variables.SVTRAIN_CONTROL_URL!}.`)
  try {
    await ended
    return 0
  } finally {
    stopping.abort()
    logins.remove()
    await server.close()
    await stop()
    // A pipe that the client leaves open would keep the process alive.
    stdin.destroy()
  }
}

function endOfInput(): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error'] as const) stdin.once(event, () => resolve())
  })
}

async function ownEmulator(
  args: Arguments,
  { terminal, environment }: Pick<Context, 'terminal' | 'environment'>,
): Promise<ToolTarget> {
  if (args.world !== undefined) {
    throw new UsageError('--world needs --emulator, the address of a running emulator.')
  }
  const { clock = 'instant', log = 'silent', ...values } = args
  const settings = settingsFrom({ ...values, clock, log })
  const { port = 0, inferencePort = 0, sinkPort = 0 } = settings
  // Stdout belongs to the protocol.
  const { errors } = terminal
  const { log: logged } = requestLog(log, errors)
  const { emulator, stop } = await openPorts(
    { ...settings, port, inferencePort, sinkPort },
    { terminal: { ...errors, errors, writeError: terminal.writeError }, log: logged },
  )
  const { journal, controlToken: token } = emulator
  journal.subscribe((entry) => logged(entry, { journal }))
  return {
    call: callOf({ url: emulator.trainingUrl, fetch: emulator.fetch, token }),
    variables: environmentFor(emulator, environment),
    secrets: [...(token === undefined ? [] : [token]), ...settings.apiKeys],
    stop,
  }
}

/** @throws {UsageError} When an option would change an emulator that runs already. */
async function runningEmulator(
  args: Arguments & { emulator: string },
  { environment, given: options }: Pick<Context, 'environment' | 'given'>,
): Promise<ToolTarget> {
  const startOption = [...options.keys()].find((name) => !Object.hasOwn(runningOptions, name))
  if (startOption !== undefined) {
    throw new UsageError(
      `--emulator names an emulator that runs already, so --${startOption} cannot be used. Leave one of them out.`,
    )
  }
  const { SVTRAIN_API_KEY: given = '' } = environment
  const apiKey = given === '' ? LOCAL_API_KEY : given
  // What is set for starts is the token of another emulator.
  const ofRunning = readVariable(environment, 'SVTRAIN_CONTROL_TOKEN', tokenValue)
  const { emulator: url, world, 'control-token': ofArguments } = args
  const token = options.has('control-token') ? ofArguments : (ofRunning ?? ofArguments)
  const call = callOf({ url, token, world })
  const { training_url: trainingUrl, inference_url: inferenceUrl } = await call('GET /info')
  return {
    call,
    variables: {
      ...proxyExceptions({ trainingUrl, inferenceUrl, sink: undefined }, environment),
      ...clientVariables({ trainingUrl, inferenceUrl, apiKey, controlToken: token }, environment),
    },
    secrets: [...(token === undefined ? [] : [token]), ...(given === '' ? [] : [given])],
    stop: () => Promise.resolve(),
  }
}
