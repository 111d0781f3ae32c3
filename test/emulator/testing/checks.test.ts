import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import type { CheckDefinition } from '../../../src/emulator/testing/check-definition.js'
import { checks } from '../../../src/emulator/testing/checks/index.js'
import {
  checkKey,
  checkNames,
  errorChecks,
  type CheckName,
} from '../../../src/service/scenario/check-names.js'
import { failedClientChecks, findingText } from '../../../src/emulator/testing/client-checks.js'
import { anUncommittedVersion, aRunThat } from '../../support/platform-records.js'
import { groups } from '../../support/trainer.js'
import { controlled } from '../control/control.js'
import { clientOn } from './client.js'
import { loopOn } from './loop-in-forms.js'
import { mistakes, type Mistake } from './mistakes.js'

function reference(page: string): string {
  return readFileSync(join(import.meta.dirname, '../../../docs/reference', page), 'utf8')
}

/** An emulator whose receiver refuses webhooks. */
const refusing = () =>
  controlled({
    webhooks: [{ url: 'http://127.0.0.1:9/hook' }],
    send: () => Promise.resolve({ status: 500, body: '' }),
  })

/** A client that trained a model once. */
async function trained(emulator: Emulator) {
  const calls = await clientOn(emulator)
  const id = await calls.submit()
  emulator.jobs.finish()
  return { id, cursors: emulator.job(id).events.map((event) => event.id), ...calls }
}

type Trained = Awaited<ReturnType<typeof trained>>

/** For each check of calls, a client that makes its mistake. */
const mistakesOfCalls: Partial<Record<CheckName, (world: Trained) => unknown>> = {
  duplicateJobs: ({ submit }) => submit(),
  async forgottenJobs({ submit, events }) {
    await events(await submit())
    await submit([...groups, ...groups])
  },
  async backwardCursors({ id, cursors, events }) {
    await events(id)
    await events(id, cursors[1])
    await events(id, cursors[0])
  },
  async skippedEvents({ id, cursors, events }) {
    await events(id)
    await events(id, cursors[3])
  },
  async eventsReadAgain({ emulator, submit, events }) {
    const job = await submit()
    emulator.jobs.advance(job, 3)
    for (let polls = 0; polls < 4; polls++) await events(job)
  },
  async pollsPastTheEnd({ id, poll }) {
    // A receiver may read the job once for each delivery, and this world has a few.
    for (let polls = 0; polls < 20; polls++) await poll(id)
  },
  async earlyRetries({ emulator, id, poll }) {
    emulator.faults.add({ fault: 'status', status: 429, retry_after: '5s', calls: 1 })
    await poll(id)
    await poll(id)
  },
  deliveries: ({ emulator }) => emulator.settle(),
  bestCheckpointDeleted: ({ deleteCheckpoints }) => deleteCheckpoints([1]),
  unorderedMetrics({ emulator }) {
    aRunThat(emulator, { name: 'poem', rows: [{ _step: 5 }, { _step: 3 }], exitCode: 0 })
  },
  unfinishedRuns({ emulator }) {
    aRunThat(emulator, { name: 'poem', rows: [{ _step: 0 }] })
  },
  uncommittedArtifacts({ emulator }) {
    anUncommittedVersion(emulator)
  },
}

/** Makes the mistake that a check looks for. */
async function makeMistake(name: CheckName, emulator: Emulator): Promise<void> {
  const ofLoop = Object.values<Mistake>(mistakes).find(({ found }) => found?.includes(name))
  if (ofLoop) await ofLoop.make(await loopOn(emulator, 'choices'))
  else await mistakesOfCalls[name]!(await trained(emulator))
}

describe.each(checkNames)('the check %s', (name) => {
  const { mistake, legitimate } = checks[name]

  it('has words, which the reference and its option show', () => {
    expect(legitimate).toMatch(/^[A-Z].*\.$/)
    expect(reference('checks.md')).toContain(`| \`${name}\` | ${mistake} |`)
    const inOneLine = reference('api/emulator.md').replaceAll(/\n +\* /g, ' ')
    const [, words] = new RegExp(`^  /\\*\\* (.*)\\s+\\*/\n  ${name}\\?: .*CheckSetting`, 'm').exec(
      inOneLine,
    )!
    expect(words).toBe(mistake)
  })

  it('finds a mistake, and can be turned off', async () => {
    const { emulator, client } = refusing()
    await makeMistake(name, emulator)
    const found = (setting: boolean | 'fail') =>
      failedClientChecks(emulator, { [name]: setting })
        .map(findingText)
        .join('\n')
    expect(found('fail')).toContain(` (${name}: false allows it)`)
    expect(found(false)).not.toContain(`(${name}:`)
    const isError = errorChecks.includes(name)
    expect(found(true).includes(`(${name}:`)).toBe(isError)

    const key = checkKey(name)
    const listed = await client.clientChecks()
    expect(listed).toContainEqual(
      expect.objectContaining({ check: key, severity: isError ? 'fail' : 'warn' }),
    )
    const others = await client.clientChecks({ [key]: false })
    expect(others).toEqual(listed.filter(({ check }) => check !== key))
  })
})

it('lists all checks for one that does not exist', () => {
  const wrong = { invented: false } as object
  expect(() => createEmulator().assertClientChecks(wrong)).toThrow(
    `Options: ${checkNames.join(', ')}.`,
  )
})

it('runs and reports each check that is given', async () => {
  const invented: CheckDefinition = {
    mistake: 'Any request.',
    legitimate: 'Never.',
    find: (_world, requests) =>
      requests.map(({ id }) => ({ text: `request ${id}`, requests: [id] })),
  }
  const all = { ...checks, duplicateJobs: invented }
  const { emulator } = await trained(createEmulator({ clock: 'manual' }))
  const [first] = emulator.requests.all()
  expect(failedClientChecks(emulator, {}, all).map(findingText)).toContain(
    `request ${first!.id} (duplicateJobs: false allows it)`,
  )
})
