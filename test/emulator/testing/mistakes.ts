import type { EmulatorOptions } from '../../../src/index.js'
import type { CheckName } from '../../../src/service/scenario/check-names.js'
import { foreign, next, type Form, type Loop, type Turn } from './loop-in-forms.js'
import { BASE_MODEL } from '../../support/api-client.js'
import { question, type Choice } from '../../support/rollouts.js'

export interface Mistake {
  readonly make: (loop: Loop) => Promise<unknown>
  /** Default: all. */
  readonly forms?: readonly Form[]
  /** The checks that find it. */
  readonly found?: readonly CheckName[]
  /** The same for forms in which it looks different. */
  readonly foundIn?: Partial<Record<Form, readonly CheckName[]>>
  /** How the reference lists it, in the forms in which no check finds it. */
  readonly listed?: string
  readonly scenario?: EmulatorOptions['scenario']
}

const SYSTEM = { role: 'system', content: 'You are a bird of few words, and sing about the sea.' }
const withSystem = [SYSTEM, ...question('Sing.')]
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
const padded = { name: 'padded', chat: { rules: [{ answer: '\n  The sea is green today.  \n' }] } }
const long = {
  name: 'long',
  chat: {
    rules: [{ answer: 'The sea is green today. The sea was blue before. It will be gray.' }],
  },
}

/** Changes the message of the answer of a turn. */
function edited(turn: Turn, edit: (message: Choice['message']) => object): Turn {
  const [choice, ...others] = turn.body.choices
  const message = edit(choice.message) as Choice['message']
  return { ...turn, body: { ...turn.body, choices: [{ ...choice, message }, ...others] } }
}

function trimmed(turn: Turn): Turn {
  return edited(turn, (message) => ({ ...message, content: message.content!.trim() }))
}

/** Mistakes of training loops. */
export const mistakes = {
  'chats without logprobs: true': {
    async make({ rollouts, train }) {
      await train(await rollouts('Sing.', [0, 1], { logprobs: false }))
    },
    found: ['missingLogprobs'],
    // Messages never have any.
    forms: ['choices', 'histories', 'exchanges'],
  },
  'chats with the base model after a training step': {
    async make({ rollouts, train, base }) {
      await train(await rollouts('Sing.', [0, 1]))
      await train(await rollouts('Sing.', [0, 1], { model: base }))
    },
    found: ['baseModelAnswers'],
  },
  'rollouts that are sampled once, before all steps': {
    async make({ rollouts, train }) {
      const batches = [
        await rollouts('Sing.', [0, 1]),
        await rollouts('Rhyme.', [0, 1]),
        await rollouts('Dream.', [0, 1]),
      ]
      for (const batch of batches) await train(batch)
    },
    found: ['staleAnswers'],
  },
  'a conversation goes on after a training step': {
    async make({ ask, rollouts, trajectory, train }) {
      const first = await ask('Sing.')
      await train(await rollouts('Rhyme.', [0, 1]))
      const second = await ask(next(first, 'Again.'))
      await train([trajectory([first, second], 0), ...(await rollouts('Sing.', [1]))])
    },
    found: ['mixedCheckpoints'],
  },
  'answers of another program are submitted with those of the model': {
    async make({ rollouts, trajectory, train }) {
      const group = await rollouts('Sing.', [0])
      await train([...group, trajectory(foreign('Nobody said that.'), 1)])
    },
    found: ['unknownAnswers'],
  },
  'a chat that failed gets the reward 0': {
    async make({ emulator, ask, rollouts, train }) {
      emulator.faults.add({ fault: 'status', status: 503, calls: 1 })
      await ask('Sing.')
      const failed = { messages_and_choices: question('Sing.'), reward: 0 }
      await train([failed, ...(await rollouts('Sing.', [1, 2]))])
    },
    found: ['failedCallsScored'],
  },
  'a reward function that always returns the same': {
    async make({ rollouts, train }) {
      for (let step = 0; step < 3; step++) await train(await rollouts('Sing.', [1, 1]))
    },
    found: ['equalRewards'],
  },
  'validation rollouts in the training batch': {
    async make({ rollouts, train, log }) {
      const validation = await rollouts('Rhyme.', [0, 1])
      await log('val', validation)
      await train(await rollouts('Sing.', [0, 1]), validation)
    },
    found: ['trainedValidation'],
  },
  'validation rollouts that are logged after they were trained': {
    async make({ rollouts, train, log }) {
      const validation = await rollouts('Sing.', [0, 1])
      await train(validation)
      await log('val', validation)
    },
    found: ['trainedValidation'],
  },
  'max_tokens of a test that stays in': {
    async make({ rollouts, train }) {
      await train(await rollouts('Sing.', [0, 1, 2], { max_tokens: 2 }))
    },
    found: ['cutOffAnswers'],
  },
  'the last message is changed after the second chat': {
    async make({ twoTurns, pair, train }) {
      const changed = async () => {
        const [first, second] = await twoTurns('Sing.')
        const messages = [...second.messages.slice(0, -1), ...question('Once more, please.')]
        return [first, { ...second, messages }] as const
      }
      await train(await pair(changed))
    },
    found: ['changedAnswers'],
  },
  'answers of a conversation are edited after its last chat': {
    scenario: padded,
    async make({ twoTurns, pair, train }) {
      const stripped = async () => {
        const [first, second] = await twoTurns('Sing.')
        const messages = next(trimmed(first), 'Again.')
        return [trimmed(first), { ...trimmed(second), messages }] as const
      }
      await train(await pair(stripped))
    },
    // Their later answers are not reported a second time, as those that no chat gave.
    found: ['changedAnswers'],
  },
  'a division by zero in the rewards': {
    async make({ rollouts, train }) {
      const [first, second] = await rollouts('Sing.', [0, 1])
      await train([first!, { ...second!, reward: 'NaN' }])
    },
    found: ['nonFiniteRewards'],
  },
  'one of two jobs has nothing to train': {
    async make({ rollouts, train }) {
      await train(await rollouts('Sing.', [0, 1]))
      await train(await rollouts('Sing.', [0, 0]))
    },
    found: ['equalRewards'],
  },
  'the system prompt is dropped at training': {
    async make({ ask, pair, train }) {
      const bare = async () => ({ ...(await ask(withSystem)), messages: question('Sing.') })
      await train(await pair(bare))
    },
    found: ['changedAnswers'],
  },
  'the second turns of two trajectories are swapped': {
    async make({ twoTurns, trajectory, train }) {
      const one = await twoTurns('Sing.')
      const other = await twoTurns('Sing.')
      const mixed = (first: typeof one, second: typeof one) => {
        const [question0, , question1] = first[1].messages
        const [{ message }] = [first[0].body.choices[0]]
        const messages = [question0!, message, question1!]
        return [first[0], { messages, body: second[1].body }] as const
      }
      await train([trajectory(mixed(one, other), 0), trajectory(mixed(other, one), 1)])
    },
    found: ['changedAnswers'],
  },
  'an answer is cut at its first full stop': {
    scenario: long,
    async make({ ask, pair, train }) {
      const cut = async () => {
        return edited(await ask('Sing.'), (message) => {
          return { ...message, content: message.content!.split('.')[0]! }
        })
      }
      await train(await pair(cut))
    },
    found: ['changedAnswers'],
  },
  'answers are stripped': {
    scenario: padded,
    async make({ ask, pair, train }) {
      await train(await pair(async () => trimmed(await ask('Sing.'))))
    },
    found: ['changedAnswers'],
  },
  'calls of tools are dropped': {
    async make({ ask, pair, train }) {
      const withoutCalls = async () => {
        const first = await ask('Sing.', { tools, tool_choice: 'required' })
        const [{ message }] = first.body.choices
        const [call] = message.tool_calls as [{ id: string }]
        const result = { role: 'tool', tool_call_id: call.id, content: 'a bird' }
        const second = await ask([...first.messages, message, result], { tools })
        const bare = edited(first, ({ role }) => ({ role, content: 'I look.' }))
        const messages = [...first.messages, bare.body.choices[0].message, result]
        return [bare, { ...second, messages }] as const
      }
      await train(await pair(withoutCalls))
    },
    found: ['changedAnswers', 'brokenToolCalls'],
  },
  'an answer loses its full stop, beside a shorter one that begins alike': {
    scenario: {
      name: 'alike',
      chat: { rules: [{ answers: ['A storm in one line.', 'A storm in one'] }] },
    },
    async make({ ask, trajectory, train }) {
      const [longer, shorter] = [await ask('Sing.'), await ask('Sing.')]
      const bare = edited(longer, (message) => {
        return { ...message, content: message.content!.replace(/\.$/, '') }
      })
      await train([trajectory(bare, 0), trajectory(shorter, 1)])
    },
    // The shorter one is no duplicate of what the longer one was taken for.
    found: ['changedAnswers'],
  },
  'the first of four choices is kept four times': {
    async make({ ask, trajectory, train }) {
      const turn = await ask('Sing.', { n: 4 })
      await train([0, 1, 2, 3].map((reward) => trajectory(turn, reward)))
    },
    found: ['duplicateTrajectories'],
  },
  'the batch of the step before is submitted again with the new one': {
    async make({ rollouts, train }) {
      const old = await rollouts('Sing.', [0, 1])
      await train(old)
      await train(old, await rollouts('Rhyme.', [0, 1]))
    },
    found: ['duplicateTrajectories'],
  },
  'the messages of a try that broke off stay in the list': {
    async make({ ask, pair, train }) {
      const retried = async () => {
        const broken = await ask('Sing.')
        return { ...(await ask('Sing.')), messages: next(broken, 'Sing.') }
      }
      await train(await pair(retried))
    },
    found: ['changedAnswers', 'missingLogprobs'],
    foundIn: {
      // Each message is an answer of its own.
      messages: ['changedAnswers'],
      // Captured calls have no messages that are only context.
      exchanges: ['mixedPrompts', 'changedAnswers'],
    },
  },
  'each group has one trajectory': {
    async make({ rollouts, train }) {
      for (let step = 0; step < 3; step++) await train(await rollouts('Sing.', [step]))
    },
    found: ['equalRewards'],
  },
  'groups are made in the order of rewards': {
    async make({ rollouts, train }) {
      const all = [...(await rollouts('Sing.', [0, 1])), ...(await rollouts('Rhyme.', [0, 1]))]
      await train([all[0]!, all[2]!], [all[1]!, all[3]!])
    },
    found: ['mixedPrompts', 'equalRewards'],
  },
  'a stream that broke is kept as far as it came': {
    async make({ emulator, chat, trajectory, train, rollouts }) {
      emulator.faults.add({ fault: 'drop', stage: 'mid_body', calls: 1 })
      await chat(question('Sing.'), { stream: true }).catch(() => 'broken')
      const { text } = emulator.engine.lineage.samples.get(1)!
      const message = { role: 'assistant', content: text.slice(0, 20) }
      const choice = { index: 0, message, finish_reason: 'stop', logprobs: null }
      const part = { messages: question('Sing.'), body: { id: 'part', choices: [choice] } } as const
      await train([trajectory(part, 0), ...(await rollouts('Sing.', [1]))])
    },
    found: ['changedAnswers', 'missingLogprobs'],
    foundIn: { messages: ['changedAnswers'] },
  },
  'the list of rewards is off by one': {
    async make({ ask, trajectory, train }) {
      const turns = [await ask('Sing.'), await ask('Sing.'), await ask('Sing.')]
      const rewards = [0, 1, 0.5]
      await train(turns.map((turn, at) => trajectory(turn, rewards[(at + 1) % 3]!)))
    },
    listed: 'Rewards of one trajectory on another one of the same group.',
  },
  'trajectories of another model are submitted': {
    async make({ emulator, rollouts, submit }) {
      const twin = await emulator.models.create({ name: 'twin' })
      await submit(twin.id, [await rollouts('Sing.', [0, 1])])
      emulator.jobs.finish()
    },
    listed: 'Answers of another model',
  },
  'a judge is asked in the conversation that it judges': {
    scenario: { name: 'judged', base_models: [BASE_MODEL, 'example/judge'] },
    async make({ ask, pair, train }) {
      const judged = async () => {
        const turn = await ask('Sing.')
        return [turn, await ask(next(turn, 'How good is it?'), { model: 'example/judge' })] as const
      }
      await train(await pair(judged))
    },
    listed: 'Answers of another model',
  },
  'all chats have the temperature 0, and a judge rates equal answers by chance': {
    scenario: long,
    async make({ rollouts, train }) {
      await train(await rollouts('Sing.', [0.3, 0.4, 0.5], { temperature: 0 }))
    },
    listed: 'Different rewards of equal answers',
  },
  'log probabilities are those of another answer': {
    scenario: long,
    async make({ ask, trajectory, train }) {
      const turns = [await ask('Sing.'), await ask('Sing.')] as const
      const withScores = ({ messages, body }: Turn, other: Turn): Turn => {
        const [{ logprobs }] = other.body.choices
        return { messages, body: { ...body, choices: [{ ...body.choices[0], logprobs }] } }
      }
      await train([
        trajectory(withScores(turns[0], turns[1]), 0),
        trajectory(withScores(turns[1], turns[0]), 1),
      ])
    },
    listed: 'Log probabilities of another answer',
  },
} satisfies Readonly<Record<string, Mistake>>
