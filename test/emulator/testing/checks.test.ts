import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { checkKey } from '../../../src/emulator/control/schemas.js'
import type { CheckDefinition } from '../../../src/emulator/testing/check-definition.js'
import { checks, checkNames, type CheckName } from '../../../src/emulator/testing/checks/index.js'
import { failedClientChecks } from '../../../src/emulator/testing/client-checks.js'
import { clientOf, withKey } from '../../support/api-client.js'
import { groups } from '../../support/trainer.js'
import { controlled } from '../control/control.js'

function reference(page: string): string {
  return readFileSync(join(import.meta.dirname, '../../../docs/reference', page), 'utf8')
}

/** An emulator whose receiver refuses webhooks, and the calls of a client that trained one model. */
async function trained() {
  const { emulator, client } = controlled({
    webhooks: [{ url: 'http://127.0.0.1:9/hook' }],
    send: () => Promise.resolve({ status: 500, body: '' }),
  })
  const { id: model_id } = await emulator.models.create({ name: 'poet' })
  const api = clientOf(emulator)
  const submit = async () => {
    const body = { model_id, trajectory_groups: groups }
    const answer = await api.post('/preview/training-jobs', body, withKey('a-key'))
    return (answer.body as { id: string }).id
  }
  const id = await submit()
  emulator.jobs.finish()
  const events = [0, 1, 2, 3].map((place) => {
    return emulator.engine.store.jobs.get(id)!.answeredAt(place).id
  })
  const read = (after = '') =>
    api.get(`/preview/training-jobs/${id}/events?limit=2&after=${after}`, withKey('a-key'))
  const poll = () => api.get(`/preview/training-jobs/${id}`, withKey('a-key'))
  return { emulator, client, submit, events, read, poll }
}

type Trained = Awaited<ReturnType<typeof trained>>

/** For each check, a client that makes its mistake. */
const examples: Readonly<Record<CheckName, (world: Trained) => Promise<unknown>>> = {
  duplicateJobs: ({ submit }) => submit(),
  async backwardCursors({ events, read }) {
    await read()
    await read(events[1])
    await read(events[0])
  },
  async skippedEvents({ events, read }) {
    await read()
    await read(events[3])
  },
  async pollsPastTheEnd({ poll }) {
    await poll()
    await poll()
  },
  deliveries: ({ emulator }) => emulator.settle(),
}

describe.each(checkNames)('the check %s', (name) => {
  const { mistake, legitimate } = checks[name]

  it('has words, which the reference and its option show', () => {
    expect(legitimate).toMatch(/^[A-Z].*\.$/)
    expect(reference('checks.md')).toContain(`| \`${name}\` | ${mistake} |`)
    expect(reference('api/emulator.md')).toContain(
      `| \`${name}\` (optional) | \`boolean\` | ${mistake} |`,
    )
  })

  it('finds the mistake of its example, and can be turned off', async () => {
    const world = await trained()
    await examples[name](world)
    const { emulator, client } = world
    expect(failedClientChecks(emulator).join('\n')).toContain(` (${name}: false allows it)`)
    expect(failedClientChecks(emulator, { [name]: false }).join('\n')).not.toContain(`(${name}:`)

    const key = checkKey(name)
    const found = (await client.clientChecks()).map(({ check }) => check)
    expect(found).toContain(key)
    const others = (await client.clientChecks({ [key]: false })).map(({ check }) => check)
    expect(others).toEqual(found.filter((check) => check !== key))
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
  const all = { ...checks, invented }
  const { emulator } = await trained()
  const [first] = emulator.requests.all()
  expect(failedClientChecks(emulator, {}, all)).toContain(
    `request ${first!.id} (invented: false allows it)`,
  )
})
