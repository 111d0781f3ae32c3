import { checkKey, checkNames } from '../../service/scenario/check-names.js'
import { ApiError } from '../../service/contract/errors.js'
import { control } from '../../emulator/control/row.js'
import type { Emulator } from '../../emulator/emulator.js'
import { clientChecks, type ClientChecks } from '../../emulator/testing/client-checks.js'
import { milliseconds } from '../../base/text/duration.js'
import { aDuration, checkArgument } from '../../base/text/options.js'
import {
  exploreRequest,
  exploreStep,
  trialEndRequest,
  type ExploreStep,
} from './control-schemas.js'
import { crashKind, crashOptions, formatKill } from './crash/kill.js'
import type { TrialEnd } from './exploration.js'
import type { Step } from './stepped.js'

const startExploration = control({
  id: 'startExploration',
  method: 'POST',
  path: '/_emulator/explore',
  summary: 'Starts to explore what your code survives, and answers the first trial',
  body: exploreRequest,
  response: exploreStep,
  async run({ emulator: world, body: { runs, time, seed, crash = false, checks = {} } }) {
    if (time !== undefined) {
      checkArgument('explore', { name: 'time', value: time, kind: aDuration })
    }
    checkArgument('explore', { name: 'crash', value: crash, kind: crashKind })
    const wanted = checksIn(checks)
    const { startSteps } = await loaded(world)
    const limit = time === undefined ? undefined : milliseconds(time)
    return stepJson(
      await startSteps(world, { ...crashOptions(crash, runs), time: limit, seed, checks: wanted }),
    )
  },
})

const nextTrial = control({
  id: 'nextTrial',
  method: 'POST',
  path: '/_emulator/explore/next',
  summary: 'Ends the trial, and answers the next one or the report; 409 if none has begun',
  refusals: [409],
  body: trialEndRequest,
  response: exploreStep,
  async run({ emulator: world, body }) {
    const { nextStep, NoTrialError } = await loaded(world)
    try {
      return await stepJson(await nextStep(world, body satisfies TrialEnd))
    } catch (error) {
      if (error instanceof NoTrialError) return new ApiError(409, error.message)
      throw error
    }
  },
})

/** Reads the names of this API: `duplicate_jobs`. */
function checksIn(given: Readonly<Record<string, boolean>>): ClientChecks {
  const names = Object.entries(given).map(([key, on]) => {
    return [checkNames.find((name) => checkKey(name) === key) ?? key, on]
  })
  const checks = Object.fromEntries(names) as ClientChecks
  clientChecks.check(checks)
  return checks
}

/** Most emulators never explore. */
async function loaded({ checks }: Emulator) {
  await checks.load()
  return import('./stepped.js')
}

async function stepJson(step: Step): Promise<ExploreStep> {
  if (!step.report) {
    const { kill, compares: _, timeLeft, ...trial } = step.trial
    const killed = kill ? formatKill(kill) : null
    return { trial: { ...trial, time_left: timeLeft, kill: killed }, report: null }
  }
  const { formatReport } = await import('./report.js')
  const { runs, failures, skipped, untried, ...rest } = step.report
  return {
    trial: null,
    report: {
      ...rest,
      runs: runs.map((run) => {
        const { reason = null, failure = null, remark = null, kind: _, ...shown } = run
        return { ...shown, reason, failure, remark }
      }),
      failures: failures.map(({ shrinking, flaky = false, runs: numbers, kill, ...failure }) => {
        // It is about a command, and here is none.
        const { needsBaseline: _, signature: _signature, ...shown } = failure
        const killed = kill ? formatKill(kill) : null
        return { ...shown, kill: killed, flaky, runs: [...numbers], ...shrinking }
      }),
      skipped: [...skipped],
      untried: untried ? { time: null, ...untried } : null,
      text: formatReport(step.report),
    },
  }
}

/** The rows of explorations in the control API. */
export const exploreOperations = [startExploration, nextTrial]
