import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import type { CheckDefinition } from '../../../src/emulator/testing/check-definition.js'
import { checks } from '../../../src/emulator/testing/checks/index.js'
import {
  checkKey,
  checkNames,
  errorChecks,
  type CheckName,
} from '../../../src/service/scenario/check-names.js'
import { failedClientChecks, findingText } from '../../../src/emulator/testing/client-checks.js'
import { clientOf, withKey } from '../../support/api-client.js'
import {
  question,
  rolloutsOf,
  sampleGroup,
  trajectory,
  type Rollouts,
} from '../../support/rollouts.js'
import { anUncommittedVersion, aRunThat } from '../../support/platform-records.js'
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
  const submit = async (trajectory_groups: readonly object[] = groups) => {
    const body = { model_id, trajectory_groups }
    const answer = await api.post('/preview/training-jobs', body, withKey('a-key'))
    return (answer.body as { id: string }).id
  }
  const id = await submit()
  emulator.jobs.finish()
  const events = emulator.job(id).events.map((event) => event.id)
  const read = (after = '', job = id) =>
    api.get(`/preview/training-jobs/${job}/events?limit=2&after=${after}`, withKey('a-key'))
  const poll = () => api.get(`/preview/training-jobs/${id}`, withKey('a-key'))
  const { submit: _submit, ...rollouts } = await rolloutsOf(emulator)
  return { emulator, client, submit, events, read, poll, ...rollouts, ...groupsOf(rollouts) }
}

/** What examples of training data are made of. */
function groupsOf(rollouts: Pick<Rollouts, 'ask'>) {
  const group = (content: string, more: object = {}) => sampleGroup(rollouts, content, { more })
  return { group, alone: (choice: object) => trajectory([...question('Sing.'), choice], 1) }
}

type Trained = Awaited<ReturnType<typeof trained>>

/** For each check, a client that makes its mistake. */
const examples: Readonly<Record<CheckName, (world: Trained) => Promise<unknown>>> = {
  duplicateJobs: ({ submit }) => submit(),
  async forgottenJobs({ submit, read }) {
    await read('', await submit())
    await submit([...groups, ...groups])
  },
  async backwardCursors({ events, read }) {
    await read()
    await read(events[1])
    await read(events[0])
  },
  async skippedEvents({ events, read }) {
    await read()
    await read(events[3])
  },
  async eventsReadAgain({ emulator, submit, read }) {
    const job = await submit()
    emulator.jobs.advance(job, 3)
    for (let polls = 0; polls < 4; polls++) await read('', job)
  },
  async pollsPastTheEnd({ poll }) {
    // A receiver may read the job once for each delivery, and this world has a few.
    for (let polls = 0; polls < 20; polls++) await poll()
  },
  async earlyRetries({ emulator, poll }) {
    emulator.faults.add({ fault: 'status', status: 429, retry_after: '5s', calls: 1 })
    await poll()
    await poll()
  },
  deliveries: ({ emulator }) => emulator.settle(),
  async baseModelAnswers({ group, train, base }) {
    await train(await group('Sing.'))
    await train(await group('Sing.', { model: base }))
  },
  async staleAnswers({ group, train }) {
    const old = await group('Sing.')
    await train(await group('Rhyme.'))
    await train(await group('Dream.'))
    await train(old)
  },
  async mixedCheckpoints({ ask, group, train }) {
    const choice = await ask(question('Sing.'))
    await train(await group('Rhyme.'))
    const again = question('Again.')
    const next = await ask([...question('Sing.'), choice.message, ...again])
    await train([trajectory([...question('Sing.'), choice, ...again, next])])
  },
  async mixedPrompts({ group, train }) {
    await train([...(await group('Sing.')), ...(await group('Rhyme.'))])
  },
  async changedAnswers({ ask, alone, train }) {
    const choice = await ask(question('Sing.'))
    const message = { ...choice.message, content: `${choice.message.content} Amen.` }
    await train([alone({ ...choice, message })])
  },
  async unknownAnswers({ ask, alone, train }) {
    const choice = await ask(question('Sing.'))
    const message = { role: 'assistant', content: 'Nobody said that.' }
    await train([alone({ ...choice, message, token_ids: [1, 2] }), alone(choice)])
  },
  async cutOffAnswers({ group, train }) {
    for (let job = 0; job < 4; job++) await train(await group('Sing.', { max_tokens: 2 }))
  },
  async failedCallsScored({ emulator, chat, train }) {
    emulator.faults.add({ fault: 'status', status: 503, calls: 1 })
    await chat(question('Sing.'))
    await train([trajectory(question('Sing.'), 0)])
  },
  async nonFiniteRewards({ group, train }) {
    const [first, second] = await group('Sing.')
    await train([first!, { ...second, reward: 'NaN' }])
  },
  async equalRewards({ ask, train }) {
    for (let job = 0; job < 8; job++) {
      await train([trajectory([...question('Sing.'), await ask(question('Sing.'))])])
    }
  },
  async missingLogprobs({ ask, alone, train }) {
    await train([alone({ ...(await ask(question('Sing.'))), logprobs: null })])
  },
  async duplicateTrajectories({ group, train }) {
    const [first] = await group('Sing.')
    await train([first!, first!])
  },
  async trainedValidation({ emulator, id, group, train }) {
    const trajectories = await group('Sing.')
    const body = { trajectory_groups: [{ trajectories }], split: 'val' }
    await clientOf(emulator).post(`/preview/models/${id}/log`, body)
    await train(trajectories)
  },
  async brokenToolCalls({ ask, train }) {
    const result = { role: 'tool', tool_call_id: 'call_0', content: 'fine' }
    const messages = [...question('Sing.'), result]
    await train([trajectory([...messages, await ask(messages)])])
  },
  async bestCheckpointDeleted({ emulator, id, group, train }) {
    await train(await group('Sing.'))
    const api = clientOf(emulator)
    await api.delete(`/preview/models/${id}/checkpoints`, { steps: [1] })
  },
  async unorderedMetrics({ emulator }) {
    aRunThat(emulator, { name: 'poem', rows: [{ _step: 5 }, { _step: 3 }], exitCode: 0 })
  },
  async unfinishedRuns({ emulator }) {
    aRunThat(emulator, { name: 'poem', rows: [{ _step: 0 }] })
  },
  async uncommittedArtifacts({ emulator }) {
    anUncommittedVersion(emulator)
  },
}

describe.each(checkNames)('the check %s', (name) => {
  const { mistake, legitimate } = checks[name]

  it('has words, which the reference and its option show', () => {
    expect(legitimate).toMatch(/^[A-Z].*\.$/)
    expect(reference('checks.md')).toContain(`| \`${name}\` | ${mistake} |`)
    const [, words] = new RegExp(
      `^\\| \`${name}\` \\(optional\\) \\| .*CheckSetting.* \\| (.*) \\|$`,
      'm',
    ).exec(reference('api/emulator.md'))!
    expect(words).toBe(mistake)
  })

  it('finds the mistake of its example, and can be turned off', async () => {
    const world = await trained()
    await examples[name](world)
    const { emulator, client } = world
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
  const { emulator } = await trained()
  const [first] = emulator.requests.all()
  expect(failedClientChecks(emulator, {}, all).map(findingText)).toContain(
    `request ${first!.id} (duplicateJobs: false allows it)`,
  )
})
