import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/index.js'
import { runPython } from './python.js'

/** A policy that learns, and a judge that gives 1 to each trajectory that names the requested number. */
const scenario: EmulatorOptions['scenario'] = {
  name: 'learning-policy-with-judge',
  chat: {
    rules: [
      {
        match: { user: 'Trajectories:' },
        answer: ({ user }) => {
          const found = [...user.matchAll(/<trajectory id="(\d+)">(.*?)<\/trajectory>/gs)]
          const scores = found.map(([, id, text]) => ({
            trajectory_id: id!,
            explanation: 'It was read.',
            score: text!.includes('The answer is') && !text!.includes('unknown') ? 1 : 0,
          }))
          return JSON.stringify({ scores })
        },
      },
      {
        match: { user: { matches: '(?P<number>\\d+)' } },
        policy: {
          chance: { curve: 'sigmoid', from: 0.05, to: 0.95, midpoint: 0.5, steepness: 8 },
          steps: 6,
          learns_from: 'rewards',
          better: 'The answer is {{match.number}}.',
          worse: ['The answer is unknown.', 'I would have to guess.', 'It depends.'],
        },
      },
    ],
  },
}

const { newest } = inject('pythons')

describe.skipIf(newest.why !== undefined)('openpipe-art 0.5.23, the newest', () => {
  it('runs a whole loop with a judge, whose reward rises within five steps', async () => {
    await using emulator = createEmulator({ scenario, clock: 'instant' })
    await emulator.listen()
    const ran = await runPython(newest.command!, [join('clients', 'art_loop.py')], {
      SVTRAIN_BASE_URL: emulator.trainingUrl,
      SVTRAIN_API_KEY: emulator.apiKey,
      OPENAI_BASE_URL: emulator.inferenceUrl,
      OPENAI_API_KEY: emulator.apiKey,
      // The client brings a price list along and would look for a newer one.
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      // The storage that SFT data goes to is not emulated.
      WANDB_MODE: 'disabled',
    })
    if (ran.code !== 0) throw new Error(`The loop failed: ${ran.stderr.slice(-3000)}`)
    expect(JSON.parse(ran.stdout.trim().split('\n').at(-1)!)).toMatchObject({ step: 6 })
  })
})
