import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { checkKey, type CheckName } from '../../src/service/scenario/check-names.js'
import { assertBuilt } from '../cli/command.js'
import { resultOf, runPython } from './python.js'

/**
 * Training loops of the newest openpipe-art that go wrong without an error, run by `exec --checks`: what its user
 * reads about each, and nothing about the same loop done right. All loops run at once, each in a world of its own.
 */

interface Expected {
  loop: string
  /** What the user reads of each check, up to `<check>: false allows it`. A number that depends on draws is `#`. */
  found?: Partial<Record<CheckName, string>>
  /** What the program gets to know in another way, as it goes wrong and as it goes right. */
  returned?: [careless: unknown, careful: unknown]
}

const expected: readonly Expected[] = [
  {
    loop: 'answers of the base model',
    found: {
      baseModelAnswers:
        '4 answers came from the base model, although the model had a checkpoint from training: job …, group 0, trajectory 0, turn 0 (example/base-8b-instruct), and 3 more places; name the trained model in the chats of a rollout, and find out whether its adapter is applied',
    },
  },
  {
    loop: 'a group with different prompts',
    found: {
      mixedPrompts:
        '1 group had trajectories of different prompts: job …, group 0 (2 prompts); put trajectories of one prompt into one group, because rewards are compared within a group',
    },
  },
  {
    loop: 'answers of two checkpoints',
    found: {
      mixedCheckpoints:
        '2 trajectories had answers of several checkpoints: job …, group 0, trajectory 0 (steps 0 and 1), and 1 more place; name the step in the chats of a rollout, such as the model name with :step3',
    },
  },
  {
    loop: 'an answer that was never sampled',
    found: {
      unknownAnswers:
        '1 answer came from no chat with the model: job …, group 0, trajectory 1, turn 1; submit the choices that the chats returned',
      // Nobody knows the log probabilities of what was never sampled, so the job skips it.
      missingLogprobs:
        '1 answer had no log probabilities: job …, group 0, trajectory 1, turn 1; ask chats with logprobs: true, and submit the whole choice, not only its message',
    },
  },
  {
    loop: 'tokens that drift between turns',
    found: {
      changedAnswers:
        '2 answers differed from what was sampled: job …, group 0, trajectory 0, turn 1 (its prompt does not continue the turn before: token # was #, and the prompt has #), and 1 more place; submit each answer as it came, and send it back as it came; if tokens drift, give each turn a history of its own',
    },
  },
  {
    loop: 'tokens that drift between turns of text',
    found: {
      changedAnswers:
        '2 answers differed from what was sampled: job …, group 0, trajectory 0, turn 3 (its prompt does not continue the turn before: token # was #, and the prompt has #), and 1 more place; submit each answer as it came, and send it back as it came; if tokens drift, give each turn a history of its own',
    },
  },
  {
    loop: 'old rollouts',
    found: {
      staleAnswers:
        '2 answers came from checkpoints that were out of date: job …, group 0, trajectory 0, turn 0 (step 0, 2 steps behind), and 1 more place; sample again after each training step, or drop what is too old',
    },
  },
  {
    loop: 'an outage of the judge',
    found: {
      failedCallsScored:
        '6 trajectories got a reward although a call failed: job …, group 0, trajectory 0 (the call of the judge got 503, the reward is 0), and 5 more places; repeat the call, or leave the trajectory out',
      equalRewards:
        '2 of 2 groups had equal rewards; 2 jobs had no other groups: job …, group 0 (each is 0), and 1 more place; check the reward function, and choose tasks that the model solves only some of the time',
    },
  },
  {
    loop: 'answers that were cut off',
    found: {
      cutOffAnswers:
        '# of 16 answers ended with finish_reason length: job …, group 0, trajectory 0, turn 0, and # more places; raise max_tokens, ask for shorter answers, or leave such trajectories out',
    },
  },
  {
    loop: 'an adapter that is not applied',
    found: {
      baseModelAnswers:
        '4 answers came from the base model, although the model had a checkpoint from training: job …, group 0, trajectory 0, turn 0 (example/base-8b-instruct), and 3 more places; name the trained model in the chats of a rollout, and find out whether its adapter is applied',
    },
    returned: [null, 'the trained model answers like its base model'],
  },
  // The metrics of the job say how many of the six trajectories were dropped.
  { loop: 'rows that are too long', returned: [{ dropped: 2 }, { dropped: 0 }] },
  // The error stops the rollout.
  {
    loop: 'a conversation that outgrows its context',
    returned: [expect.stringContaining("This model's maximum context length is 240 tokens."), null],
  },
  {
    loop: 'the best checkpoint',
    found: {
      bestCheckpointDeleted:
        'request # (DELETE /v1/preview/models/…/checkpoints 200) deleted the best checkpoint of singer: step 1 has train/reward 0.9, and the best one that is left is step 3 with 0.2; keep the best one, or name another metric',
    },
    returned: [[3], [1, 3]],
  },
  {
    loop: 'a checkpoint that is still asked',
    found: {
      bestCheckpointDeleted:
        'request # (DELETE /v1/preview/models/…/checkpoints 200) deleted the checkpoint step1 of singer, and request # (POST /v1/chat/completions 404) asked for it; delete a checkpoint after its last chat',
    },
    returned: ['NotFoundError', null],
  },
]

/** What became of a loop, and what the client checks say about its world. */
interface Outcome {
  name: string
  careful: boolean
  returned: unknown
  findings: { check: string; text: string }[]
}

/** Matches a text with ids for each `…`, and numbers for each `#`. */
function patternOf(says: string): RegExp {
  const escaped = says.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
  return new RegExp(`^${escaped.replaceAll('…', '[0-9a-f-]+').replaceAll('#', String.raw`\d+`)}$`)
}

const { newest } = inject('pythons')

describe.skipIf(newest.why !== undefined)('a loop of openpipe-art 0.5.23, the newest,', () => {
  let outcomes: Outcome[]
  /** What the command prints, without the name of the world. */
  let warnings: string[]

  beforeAll(async () => {
    assertBuilt()
    const emulator = join(import.meta.dirname, '..', '..', 'bin', 'svtrain-emulator.js')
    const program = [newest.command!, ...newest.copy, join('clients', 'art_mistakes.py')]
    const exec = ['exec', '--checks', '--isolate=api-key', '--clock=auto', '--', ...program]
    const run = await runPython(process.execPath, [emulator, ...exec], {
      WANDB_MODE: 'disabled',
    })
    warnings = [...run.stderr.matchAll(/^Warning: world-\d+: (.*)$/gm)].map(([, text]) => text!)
    outcomes = resultOf(run)
  }, 300_000)

  function outcomeOf(loop: string, careful: boolean): Outcome {
    return outcomes.find((each) => each.name === loop && each.careful === careful)!
  }

  it.each(expected)('warns its user: $loop', ({ loop, found, returned }) => {
    const outcome = outcomeOf(loop, false)
    const all = Object.entries(found ?? {}) as [CheckName, string][]
    expect(outcome.findings).toEqual(
      all.map(([check, says]) => {
        return { check: checkKey(check), text: expect.stringMatching(patternOf(says)) }
      }),
    )
    for (const [index, { text }] of outcome.findings.entries()) {
      expect(warnings).toContain(`${text} (${all[index]![0]}: false allows it)`)
    }
    expect(outcome.returned).toEqual(returned?.[0] ?? null)
  })

  it.each(expected)('warns of nothing if it is right: $loop', ({ loop, returned }) => {
    expect(outcomeOf(loop, true)).toMatchObject({ findings: [], returned: returned?.[1] ?? null })
  })

  it('has a test for each loop of the program, and a warning for each finding', () => {
    expect([...new Set(outcomes.map(({ name }) => name))]).toEqual(expected.map(({ loop }) => loop))
    expect(warnings).toHaveLength(outcomes.flatMap(({ findings }) => findings).length)
  })
})
