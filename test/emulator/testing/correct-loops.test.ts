import { describe, expect, it } from 'vitest'
import type { Emulator, EmulatorOptions } from '../../../src/index.js'
import { findingText, findingsIn } from '../../../src/emulator/testing/client-checks.js'
import type { TrainingCheckDefinition } from '../../../src/emulator/testing/training-check.js'
import type { checks } from '../../../src/emulator/testing/checks/index.js'
import type { CheckName } from '../../../src/service/scenario/check-names.js'
import { client, type Client } from './client.js'
import { formNames, loopIn, next, type Form, type Loop } from './loop-in-forms.js'
import { aRunThat, anUncommittedVersion, aVersion } from '../../support/platform-records.js'
import { question, type Message } from '../../support/rollouts.js'
import { groups } from '../../support/trainer.js'

/**
 * For each check, the correct loops that come nearest to its mistake. No check finds anything in them. How each mistake
 * is found is in `checks.test.ts`, `client-checks.test.ts` and `forms-of-answers.test.ts`.
 */

/** The checks of what jobs are trained on. Their loops run with each form of answers. */
type TrainingCheckName = {
  [Name in CheckName]: (typeof checks)[Name] extends TrainingCheckDefinition ? Name : never
}[CheckName]

type CallCheckName = Exclude<CheckName, TrainingCheckName>

const others = [{ trajectories: [{ reward: 0 }, { reward: 1 }] }]
const refused = { fault: 'status', status: 503, calls: 1 } as const
const lost = { fault: 'drop', stage: 'after', calls: 1 } as const

const callLoops: Readonly<
  Record<CallCheckName, Readonly<Record<string, (client: Client) => Promise<unknown>>>>
> = {
  duplicateJobs: {
    async 'the same batch for two models'({ emulator, submit }) {
      const twin = await emulator.models.create({ name: 'twin' })
      await submit()
      await submit(groups, twin.id)
    },
    async 'the same batch again after its job ended'({ emulator, submit, poll }) {
      for (const end of ['fail', 'finish', 'finish'] as const) {
        const id = await submit()
        emulator.jobs[end]()
        await poll(id)
      }
    },
    async 'the same batch again after an answer that showed the end'({ emulator, submit }) {
      emulator.useClock('instant')
      await submit()
      await submit()
    },
  },
  forgottenJobs: {
    async 'jobs in a queue that nobody polls yet'({ submit }) {
      await submit()
      await submit(others)
    },
    async 'a poll that is refused, and made again'({ emulator, submit, poll }) {
      const id = await submit()
      await poll(id)
      emulator.faults.add(refused)
      await poll(id)
      emulator.jobs.finish()
      await poll(id)
      await submit(others)
    },
    async 'a job whose end the checkpoints tell'({ emulator, submit, poll, checkpoints }) {
      const id = await submit()
      await poll(id)
      emulator.jobs.finish()
      await checkpoints()
      await submit(others)
    },
    async 'a look at the checkpoints after a lost answer'({ emulator, submit, checkpoints }) {
      emulator.faults.add(lost)
      await submit().catch(() => 'lost')
      emulator.jobs.finish()
      await checkpoints()
      await submit(others)
    },
    async 'two models that are trained side by side'({ emulator, submit, poll }) {
      const twin = await emulator.models.create({ name: 'twin' })
      const ids = [await submit(), await submit(others, twin.id)]
      for (const id of ids) await poll(id)
    },
  },
  backwardCursors: {
    async 'a program that starts again from the first event'({ emulator, submit, follow }) {
      const id = await submit()
      emulator.jobs.advance(id, 3)
      await follow(id)
      await follow(id)
    },
    async 'a reader with another key'({ emulator, submit, events, follow }) {
      const id = await submit()
      emulator.jobs.advance(id, 4)
      const { data } = await events(id)
      await follow(id)
      await events(id, '', 'another-key')
      await events(id, data[0].id, 'another-key')
    },
    async 'two readers of one key, each with a cursor of its own'({ emulator, submit, events }) {
      const id = await submit()
      emulator.jobs.advance(id, 4)
      const [fast, slow] = [await events(id), await events(id)]
      await events(id, (await events(id, fast.last_id)).last_id)
      await events(id, slow.last_id)
    },
    async 'the same cursor until there is news'({ emulator, submit, events }) {
      const id = await submit()
      emulator.jobs.advance(id, 1)
      const { last_id } = await events(id)
      for (let polls = 0; polls < 5; polls++) await events(id, last_id)
    },
  },
  skippedEvents: {
    async 'a page that is lost, and read again'({ emulator, submit, events, follow }) {
      const id = await submit()
      emulator.jobs.advance(id, 4)
      const { last_id } = await events(id)
      emulator.faults.add(lost)
      await events(id, last_id).catch(() => 'lost')
      await follow(id, last_id)
    },
    async 'a second reader that begins later'({ emulator, submit, events, follow }) {
      const id = await submit()
      emulator.jobs.advance(id, 4)
      const { last_id } = await events(id)
      await follow(id)
      await follow(id, last_id)
    },
  },
  eventsReadAgain: {
    // Some clients go on from the first step.
    async 'a job that waits in the queue, and has no step yet'({ emulator, submit, events }) {
      const id = await submit()
      for (let polls = 0; polls < 10; polls++) await events(id)
      emulator.jobs.advance(id, 1)
      for (let polls = 0; polls < 6; polls++) await events(id)
    },
    async 'a slow job, with the cursor of the last event'({ emulator, submit, events, follow }) {
      const id = await submit()
      emulator.jobs.advance(id, 2)
      const cursor = await follow(id)
      for (let polls = 0; polls < 10; polls++) await events(id, cursor)
    },
    async 'a table of all events after the end'({ emulator, submit, follow }) {
      const id = await submit()
      emulator.jobs.finish()
      await follow(id)
      await follow(id)
    },
  },
  pollsPastTheEnd: {
    async 'the events, after the status showed the end'({ emulator, submit, poll, follow }) {
      const id = await submit()
      emulator.jobs.finish()
      await poll(id)
      await follow(id)
    },
    async 'two readers of the events, to the end'({ emulator, submit, follow, events }) {
      const id = await submit()
      emulator.jobs.advance(id, 2)
      const { last_id } = await events(id)
      emulator.jobs.finish()
      await follow(id)
      await follow(id, last_id)
    },
    async 'another program that asks, too'({ emulator, submit, poll }) {
      const id = await submit()
      emulator.jobs.finish()
      await poll(id)
      await poll(id, 'another-key')
    },
  },
  // This loop is also near the mistake of duplicateJobs.
  earlyRetries: {
    async 'a retry that nobody told to wait'({ emulator, submit }) {
      emulator.faults.add(refused)
      await submit()
      await submit()
    },
  },
  deliveries: {
    async 'a receiver that refuses the first attempt'({ emulator, submit, poll }) {
      const id = await submit()
      await emulator.settle()
      await poll(id)
      const attempts = emulator.journal.entries.filter((entry) => entry.kind === 'delivery')
      expect(attempts.map(({ status }) => status)).toContain(500)
    },
  },
  bestCheckpointDeleted: {
    async 'the last ones, without the best one'({ emulator, deleteCheckpoints, submit, poll }) {
      for (const reward of [0.2, 0.9, 0.4]) {
        const id = await submit([{ trajectories: [{ reward }, { reward: reward + 0.01 }] }])
        emulator.jobs.finish()
        await poll(id)
      }
      await deleteCheckpoints([1, 3])
    },
    async 'all but the best one by a metric of a run'({ emulator, deleteCheckpoints, submit }) {
      aRunThat(emulator, { name: 'poem', rows: [{ _step: 0, 'val/reward': 0.5 }], exitCode: 0 })
      await threeSteps(submit, emulator)
      await deleteCheckpoints([1, 2])
    },
    async 'all but the one with the best rewards'({ emulator, deleteCheckpoints, submit }) {
      await threeSteps(submit, emulator)
      await deleteCheckpoints([2, 3])
    },
  },
  unorderedMetrics: {
    async 'a run that goes on at its step, and one that leaves steps out'({ emulator }) {
      const rows = [{ _step: 0 }, { _step: 4 }, { _step: 4 }, { _step: 9 }]
      aRunThat(emulator, { name: 'poem', rows, exitCode: 0 })
    },
    async 'two runs that each begin at 0'({ emulator }) {
      aRunThat(emulator, { name: 'poem', rows: [{ _step: 5 }], exitCode: 0 })
      aRunThat(emulator, { name: 'song', rows: [{ _step: 0 }], exitCode: 0 })
    },
  },
  unfinishedRuns: {
    async 'a run that ended with an error'({ emulator }) {
      aRunThat(emulator, { name: 'poem', rows: [{ _step: 0 }], exitCode: 1 })
    },
  },
  uncommittedArtifacts: {
    async 'a version that was committed'({ emulator }) {
      aVersion(emulator)
    },
    async 'a draft that was deleted'({ emulator }) {
      const draft = anUncommittedVersion(emulator)
      emulator.engine.platformWithCheckpoints().artifacts.delete(draft, {}, { user: 'ada' })
    },
  },
}

/** Trains three steps. The second batch has the best rewards, which are those of step 1. */
async function threeSteps(submit: Client['submit'], emulator: Emulator): Promise<void> {
  for (const reward of [0.2, 0.9, 0.4]) {
    await submit([{ trajectories: [{ reward }, { reward: reward + 0.01 }] }])
    emulator.jobs.finish()
  }
}

/** A receiver that refuses the first attempt of each delivery. */
function refusingFirst(): EmulatorOptions {
  const seen = new Set<string>()
  return {
    scenario: { name: 'retried', webhooks: [{ name: 'hook', retries: ['1s'] }] },
    webhooks: [{ url: 'http://127.0.0.1:9/hook' }],
    send({ body }) {
      const status = seen.has(String(body)) ? 204 : 500
      seen.add(String(body))
      return Promise.resolve({ status, body: '' })
    },
  }
}

const callOptions: Partial<Record<string, () => EmulatorOptions>> = { deliveries: refusingFirst }

type Run = (loop: Loop) => Promise<unknown>

/** A correct loop of rollouts. It runs with each form of answers, or with those that it names. */
interface TrainingLoop {
  readonly run: Run
  readonly forms?: readonly Form[]
  readonly scenario?: EmulatorOptions['scenario']
}

const yes = { name: 'yes', chat: { rules: [{ answer: 'yes' }] } }
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]

/** Two rollouts with the same first chat as one whose second chat fails, and which is left out. */
async function leavesOutFailed({ emulator, ask, twoTurns, pair, train }: Loop): Promise<void> {
  const first = await ask('Sing.')
  emulator.faults.add(refused)
  await ask(next(first, 'Again.'))
  await train(await pair(() => twoTurns('Sing.')))
}

const trainingLoops: Readonly<
  Record<TrainingCheckName, Readonly<Record<string, Run | TrainingLoop>>>
> = {
  baseModelAnswers: {
    async 'the base model before the first step'({ rollouts, train, base }) {
      await train(await rollouts('Sing.', [0, 1], { model: base }))
    },
    async 'the base model as a judge, and as a baseline that is only logged'({
      ask,
      rollouts,
      train,
      log,
      base,
    }) {
      await train(await rollouts('Sing.', [0, 1]))
      await ask('Which song is the best?', { model: base })
      await log('val', await rollouts('Rhyme.', [0, 1], { model: base }))
      await train(await rollouts('Sing.', [0, 1]))
    },
  },
  staleAnswers: {
    async 'rollouts that are sampled while the job before is trained'({ rollouts, train }) {
      let ready = await rollouts('Sing.', [0, 1])
      for (let step = 0; step < 3; step++) {
        const later = await rollouts('Sing.', [0, 1])
        await train(ready)
        ready = later
      }
    },
  },
  mixedCheckpoints: {
    async 'a conversation that names its step, while a job ends'({
      ask,
      twoTurns,
      rollouts,
      trajectory,
      train,
      policy,
    }) {
      await train(await rollouts('Rhyme.', [0, 1]))
      const pinned = { model: `${policy}:step1` }
      const first = await ask('Sing.', pinned)
      await train(await rollouts('Rhyme.', [0, 1]))
      const second = await ask(next(first, 'Again.'), pinned)
      const other = await twoTurns('Sing.', pinned)
      await train([trajectory([first, second], 0), trajectory(other, 1)])
    },
    async 'a group whose trajectories come from two steps'({ rollouts, train }) {
      const old = await rollouts('Sing.', [0, 1])
      await train(await rollouts('Rhyme.', [0, 1]))
      await train([...old, ...(await rollouts('Sing.', [0, 1]))])
    },
  },
  mixedPrompts: {
    async 'conversations that begin alike, and then differ'({ ask, twoTurns, trajectory, train }) {
      const first = await ask('Sing.')
      const louder = [first, await ask(next(first, 'Louder.'))] as const
      await train([trajectory(await twoTurns('Sing.'), 0), trajectory(louder, 1)])
    },
    async 'one prompt that is written as a text, and in parts'({ rollouts, train }) {
      const parts = [{ role: 'user', content: [{ type: 'text', text: 'Sing.' }] }]
      await train([...(await rollouts('Sing.', [0])), ...(await rollouts(parts, [1]))])
    },
  },
  changedAnswers: {
    'a conversation that is shortened, and whose chats are kept apart': {
      forms: ['histories', 'exchanges'],
      async run({ ask, pair, train }) {
        const system = { role: 'system', content: 'Be brief.' }
        const chats = async () =>
          [
            await ask([system, ...question('Sing.')]),
            await ask([system, ...question('You sang before. Again.')]),
          ] as const
        await train(await pair(chats))
      },
    },
    'several answers to one chat': {
      forms: ['choices'],
      async run({ chat, train }) {
        const { body } = await chat(question('Sing.'), { n: 4 })
        const choices = body.choices as object[]
        await train(
          choices.map((choice, reward) => {
            return { messages_and_choices: [...question('Sing.'), choice], reward }
          }),
        )
      },
    },
    async 'an answer that a fault changed on its way'({ emulator, rollouts, train }) {
      const set = { 'choices.0.message.content': 'Nothing of it.' }
      emulator.faults.add({ fault: 'edit', match: { operation: '*ChatCompletion*' }, set })
      await train(await rollouts('Sing.', [0, 1]))
    },
  },
  unknownAnswers: {
    async 'a prompt with an example'({ rollouts, train }) {
      const example = { role: 'assistant', content: 'La la la.' }
      const messages = [...question('Hum.'), example, ...question('Sing.')]
      await train(await rollouts(messages, [0, 1]))
    },
    async 'data from elsewhere before the first chat'({ trajectory, train }) {
      const scores = { content: [{ token: 'La', logprob: -0.1, bytes: null, top_logprobs: [] }] }
      const offline = (content: string, reward: number) => {
        const message = { role: 'assistant', content }
        const choice = { index: 0, message, finish_reason: 'stop', logprobs: scores }
        const body = { id: `other-${content}`, choices: [choice] } as const
        return trajectory({ messages: question('Sing.'), body }, reward)
      }
      await train([offline('La', 0), offline('Lo', 1)])
    },
  },
  cutOffAnswers: {
    async 'a few answers that reach the limit'({ rollouts, train }) {
      await train(
        [
          ...(await rollouts('Sing.', [0, 1, 2], { max_tokens: 2 })),
          ...(await rollouts('Sing.', [3])),
        ],
        await rollouts('Rhyme.', [0, 1, 2, 3]),
      )
    },
  },
  failedCallsScored: {
    async 'a chat that is repeated until it is answered'({ emulator, ask, rollouts, train }) {
      emulator.faults.add({ ...refused, calls: [1, 2] })
      await ask('Sing.')
      await ask('Sing.')
      await train(await rollouts('Sing.', [0, 1]))
    },
    'a rollout that fails in its second chat, and is left out': leavesOutFailed,
    'the same, if all answers are equal': { run: leavesOutFailed, scenario: yes },
    async 'a judge that is asked again'({ emulator, base, ask, pair, train }) {
      const rated = async () => {
        const turn = await ask('Sing.')
        const rate = `Rate this answer: ${turn.body.choices[0].message.content}`
        emulator.faults.add({ ...refused, status: 429 })
        await ask(rate, { model: base })
        await ask(rate, { model: base })
        return turn
      }
      await train(await pair(rated))
    },
  },
  nonFiniteRewards: {
    async 'rewards of any size'({ rollouts, train }) {
      await train(await rollouts('Sing.', [-1e9, 0, 1e9]))
    },
  },
  equalRewards: {
    async 'a few groups that teach nothing'({ rollouts, train }) {
      for (let step = 0; step < 4; step++) {
        await train(
          await rollouts('Sing.', step === 0 ? [1, 1] : [0, 1]),
          await rollouts('Rhyme.', [0, 0.001]),
        )
      }
    },
    async 'groups that teach nothing, and are left out'({ rollouts, train }) {
      for (let step = 0; step < 4; step++) {
        await rollouts('Sing.', [1, 1])
        await train(await rollouts('Rhyme.', [0, 1]))
      }
    },
  },
  missingLogprobs: {
    async 'chats of a judge without them'({ base, ask, rollouts, train }) {
      const group = await rollouts('Sing.', [0, 1])
      await ask('Which song is the best?', { model: base, logprobs: false })
      await train(group)
    },
    async 'an earlier answer of the model as an example in a prompt'({ ask, rollouts, train }) {
      const example = await ask('Hum.')
      await train(await rollouts(next(example, 'Sing.'), [0, 1]))
    },
    async 'an answer with nothing but a call of a tool'({ rollouts, train }) {
      await train(await rollouts('Sing.', [0, 1], { tools, tool_choice: 'required' }))
    },
  },
  duplicateTrajectories: {
    'rollouts with the same short answers': {
      scenario: yes,
      async run({ rollouts, train }) {
        for (let step = 0; step < 3; step++) await train(await rollouts('Sing.', [0, 1, 2]))
      },
    },
    async 'a batch again after its job failed'({
      emulator,
      id,
      client: api,
      rollouts,
      submit,
      train,
    }) {
      const batch = await rollouts('Sing.', [0, 1])
      const job = await submit(id, [batch])
      emulator.jobs.fail()
      await api.get(`/preview/training-jobs/${job}`)
      await train(batch)
    },
    async 'the same rollouts of a base model for two models'({
      emulator,
      base,
      rollouts,
      submit,
      train,
    }) {
      const twin = await emulator.models.create({ name: 'twin' })
      const batch = await rollouts('Sing.', [0, 1], { model: base })
      await train(batch)
      await submit(twin.id, [batch])
      emulator.jobs.finish()
    },
  },
  trainedValidation: {
    'validation with the same short answers': {
      scenario: yes,
      async run({ rollouts, train, log }) {
        const batch = await rollouts('Sing.', [0, 1])
        await log('val', await rollouts('Sing.', [0, 1]))
        await train(batch)
        await train(await rollouts('Sing.', [0, 1]))
        await log('val', await rollouts('Sing.', [0, 1]))
      },
    },
    async 'tasks that are logged by how hard they are'({ rollouts, train, log }) {
      const [easy, hard] = [await rollouts('Sing.', [0, 1]), await rollouts('Rhyme.', [0, 1])]
      await log('train-easy', easy)
      await log('train-hard', hard)
      await train(easy, hard)
    },
    async 'a batch that is logged with no split of its own'({ client: api, id, rollouts, train }) {
      const trajectories = await rollouts('Sing.', [0, 1])
      await api.post(`/preview/models/${id}/log`, { trajectory_groups: [{ trajectories }] })
      await train(trajectories)
    },
  },
  brokenToolCalls: {
    async 'two calls at once, whose results come in the other order'({ ask, pair, train }) {
      const chats = async () => {
        const more = { tools, tool_choice: 'required', parallel_tool_calls: true }
        const first = await ask('Sing.', more)
        const [choice] = first.body.choices
        const calls = choice.message.tool_calls as { id: string }[]
        const results = calls.toReversed().map(({ id }) => {
          return { role: 'tool', tool_call_id: id, content: 'a bird' }
        })
        const messages = [...first.messages, choice.message as Message, ...results]
        return [first, await ask(messages, { tools })] as const
      }
      await train(await pair(chats))
    },
  },
}

function textsOf({ emulator }: Pick<Loop, 'emulator'>): string[] {
  return findingsIn(emulator).map(findingText)
}

describe.each(Object.entries(callLoops))('near the mistake of %s', (check, loops) => {
  it.each(Object.entries(loops))('is correct: %s', async (_what, run) => {
    const own = await client(callOptions[check]?.())
    await run(own)
    expect(textsOf(own)).toEqual([])
  })
})

/** Messages never have log probabilities, so a job of messages must allow that. */
const configs: Partial<Record<Form, object>> = {
  messages: { allow_training_without_logprobs: true },
}

describe.each(Object.entries(trainingLoops))('near the mistake of %s', (_check, loops) => {
  const cases = Object.entries(loops).flatMap(([what, given]) => {
    const loop: TrainingLoop = typeof given === 'function' ? { run: given } : given
    return (loop.forms ?? formNames).map((form) => [what, form, loop] as const)
  })
  it.each(cases)('is correct: %s, as %s', async (_what, form, { run, scenario }) => {
    const config = configs[form]
    const loop = await loopIn(form, { ...(config && { config }), ...(scenario && { scenario }) })
    await run(loop)
    expect(textsOf(loop)).toEqual([])
  })
})
