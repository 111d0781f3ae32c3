import { describe, expect, it } from 'vitest'
import { createEmulator, type Bill, type Emulator } from '../../../src/index.js'
import { seeds } from '../../support/seeds.js'
import { ShortLoop, user } from '../../service/scenario/short-loop.js'
import { judge, meanRewards } from '../../service/training-loop.js'

/** The estimate from 3 steps contains the bill of 30, for loops like those of `test/interop/clients`. */

const PRICES = {
  currency: 'usd',
  models: { '*': { prompt: 0.5, completion: 1.5, trained: 4 } },
  storage: { gb_month: 0.03, checkpoint: '320MB' },
  training_hour: 2,
}

type Program = (emulator: Emulator, steps: number) => Promise<unknown>

const PROMPTS = ['How do I keep bread fresh?', 'Name a book for a long train ride.']

/** A conversation of some rounds, each of which sends all earlier turns again. */
async function conversation(
  loop: ShortLoop,
  { step, rounds, begin }: { step: number; rounds: number; begin: string },
): Promise<object[]> {
  const turns: object[] = [user(begin)]
  for (let round = 1; ; round++) {
    const { body } = await loop.ask(turns, { model: loop.named(step), logprobs: true })
    const [choice] = (body as { choices: { message: object }[] }).choices
    if (round === rounds) return [...turns, choice!]
    turns.push(choice!.message, user('Go on.'))
  }
}

const programs: Record<string, Program> = {
  'a judge gives the rewards, and a last evaluation follows': (emulator, steps) =>
    meanRewards(emulator, { steps, prompts: PROMPTS, rewards: judge, form: 'exchanges' }),

  'conversations have rounds, and old checkpoints are deleted': async (emulator, steps) => {
    const loop = new ShortLoop(emulator)
    for (let step = 0; step < steps; step++) {
      const group = []
      for (let reward = 0; reward < 4; reward++) {
        const rounds = 1 + (reward % 3)
        const items = await conversation(loop, { step, rounds, begin: PROMPTS[reward % 2]! })
        group.push({ messages_and_choices: items, reward })
      }
      await loop.train(group)
      await loop.keep(step, step + 1)
    }
  },
}

describe.each(Object.entries(programs))('a program in which %s', (_name, run) => {
  it.each(seeds.length > 3 ? seeds : [1])(
    'has a bill within its estimate, with the seed %i',
    async (seed) => {
      const bill = async (steps: number): Promise<Bill> => {
        const emulator = createEmulator({ seed })
        await run(emulator, steps)
        return emulator.bill({ prices: PRICES, steps: 30 })
      }
      const { estimate } = await bill(3)
      const { totals, time, storage, money } = await bill(30)
      const { prompt, completion, trained } = totals
      const real = {
        chats: totals.chats,
        prompt,
        completion,
        trained,
        tokens: prompt + completion + trained,
        time: time.total,
        checkpoints: storage.checkpoints,
        bytes: storage.bytes,
        money: money!.total,
      }
      const outside = Object.entries(real).filter(([name, value]) => {
        const { low, high } = estimate![name as keyof typeof real]!
        return value < low || value > high
      })
      expect(outside).toEqual([])
    },
  )
})
