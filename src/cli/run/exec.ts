import { stdin } from 'node:process'
import { wallNow, withLimit } from '../../base/clock/wall.js'
import type { Emulator } from '../../emulator/emulator.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import { readyFileEntry } from '../announce.js'
import { runChild } from '../child.js'
import { warnOfVariables } from '../clients-variables.js'
import type { Environment } from '../environment.js'
import { settingsFrom, type Settings } from '../options/settings.js'
import { milliseconds } from '../../base/text/duration.js'
import type { WarningOptions } from '../../service/engine/warnings.js'
import { CHAT_KEY } from '../../base/text/vendor/sdk-variables.js'
import { version } from '../../base/text/version.js'
import { GRACE } from '../../webhooks/sending/webhooks.js'
import { chooseReceiverPort } from '../receiver-port.js'
import type { PendingRow } from '../failure/failure.js'
import { pendingNow } from '../failure/pending.js'
import { reproduction } from '../report/reproduction.js'
import { printable } from '../terminal.js'
import { requestLog } from '../request-log.js'
import { ownLogins, type OwnLogins } from '../own-logins.js'
import { openPorts } from '../serve.js'
import { UsageError } from '../usage-error.js'
import type { Run } from '../command.js'
import { exec } from '../commands/exec.js'
import { billOfCommand, OVER_BUDGET, type ExecBill } from '../tools/bill/exec-bill.js'
import { assertKnown, environmentFor, secretsOfCommand } from './exec-environment.js'
import type { Interception } from '../../emulator/intercept/interception.js'
import { reportHosts, startInterception } from './interception.js'
import { withNetworkOf } from './no-network.js'
import { CommandLog } from './command-log.js'
import { junit, reportEnd } from './exec-reports.js'

/** Runs a command with its own emulator, and exits as the command does. */
export const runCommand: Run<typeof exec> = (args, context) => {
  if (!args['--']?.length) {
    throw new UsageError('exec takes a command after two dashes: exec -- pytest -x')
  }
  return withNetworkOf(args, context.environment, () => runHere(args, context))
}

const runHere: Run<typeof exec> = async (args, context) => {
  const { terminal, environment, program } = context
  const { env: mappings = [], timeout, log = 'silent', '--': command = [] } = args
  const given = settingsFrom(args)
  assertKnown(mappings, given)
  const { webhooks, port: webhookPort } = await chooseReceiverPort(given.webhooks, mappings)
  const settings = { ...given, webhooks }
  const { port = 0, inferencePort = 0, sinkPort = 0 } = settings
  // Stdout belongs to the command.
  const { errors } = terminal
  const watched = new CommandLog(requestLog(log, errors))
  const { emulator, listening, readyFile, stop, abandon } = await openPorts(
    { ...settings, port, inferencePort, sinkPort, log },
    { terminal, log: watched.log, usualWarnings: usualWarningsOf(settings) },
  )
  watched.watch(emulator)
  let late: PendingRow[] | undefined
  let interception: Interception | undefined
  let logins: OwnLogins | undefined
  let end = abandon
  const start = wallNow()
  try {
    const bill = await billOfCommand(args, emulator, errors)
    interception = await startInterception(args, environment)
    logins = ownLogins(environment, interception?.hostnames)
    const proxy = await interception?.openTo(emulator)
    readyFile.write(readyFileEntry({ emulator, settings, listening, version }))
    if (!interception) warnOfVariables({ args, by: 'exec' }, context)
    const needs = { mappings, port: webhookPort, intercepted: proxy?.variables }
    const led = environmentFor(emulator, environment, needs)
    const env: Environment = { ...environment, ...logins.variables, ...led }
    end = stop
    const ran = await runChild(command, {
      env,
      interactive: stdin.isTTY,
      timeout: timeout === undefined ? undefined : milliseconds(timeout),
      onTimeout: () => void (late = pendingNow(emulator)),
      // A page is read by somebody who does not see the terminal. On a terminal, the command keeps its colors.
      keepsErrors: args.report !== undefined && errors.columns === undefined,
    })
    const took = wallNow() - start
    await commandEnded(emulator)
    if (interception) reportHosts(interception, errors)
    const { code, failure } = ran
    if (failure !== undefined) {
      const why = `Failed to run ${printable(command[0]!)}: ${failure}`
      terminal.writeError(why)
      await junit(emulator, { args, run: { command, code, took: 0, again: [] }, why }, errors)
      return code
    }
    const again = [program, ...reproduction(exec, args, { seed: emulator.seed })]
    const called = interception?.called
    const run = { command, code, took, again, late, called, lacksChatKey: !env[CHAT_KEY] }
    // Its own keys are unknown to the emulator.
    const redactor = new Redactor({ secrets: secretsOfCommand(environment, mappings) })
    const stderr = redactor.redact(ran.stderr ?? '')
    return withBill(bill, await reportEnd(emulator, { args, run, watched, stderr }, errors))
  } finally {
    await endAll({ logins, interception, end })
  }
}

interface Parts {
  readonly logins: OwnLogins | undefined
  readonly interception: Interception | undefined
  readonly end: () => Promise<void>
}

/** Ends each part, even if one before it fails to. */
async function endAll({ logins, interception, end }: Parts): Promise<void> {
  try {
    logins?.remove()
  } finally {
    try {
      await interception?.end()
    } finally {
      await end()
    }
  }
}

/** Waits a moment for the answers to deliveries: a command may end right after the call that caused them. */
async function commandEnded(emulator: Emulator): Promise<void> {
  const worlds = [emulator, ...emulator.worlds]
  for (const { webhooks } of worlds) webhooks.commandEnded()
  await withLimit(Promise.all(worlds.map(({ webhooks }) => webhooks.idle())), GRACE)
}

/** Ends the bill of a command, and returns the exit code. */
function withBill(bill: ExecBill | undefined, code: number): number {
  const isWithin = bill?.end() ?? true
  return code === 0 && !isWithin ? OVER_BUDGET : code
}

/** A user who chose real time knows that it passes. */
function usualWarningsOf({ clock, speed }: Settings): WarningOptions['usual'] {
  return clock === 'real' || speed !== undefined ? ['real-time-polls'] : undefined
}
