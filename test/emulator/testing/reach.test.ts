import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { checkedLines } from '../../../src/cli/report/checked-lines.js'
import { checks } from '../../../src/emulator/testing/checks/index.js'
import { findingsIn, judgedIn } from '../../../src/emulator/testing/client-checks.js'
import { notJudgedTexts } from '../../../src/emulator/testing/reach.js'
import { isTrainingCheck } from '../../../src/emulator/testing/training-check.js'
import { checkTrainingFile } from '../../../src/emulator/testing/training-file/check-file.js'
import { notJudged } from '../../../src/emulator/testing/training-file/file-report.js'
import { checkNames, type CheckName } from '../../../src/service/scenario/check-names.js'
import {
  foreign,
  formNames,
  forms,
  loopIn,
  next,
  STRICT,
  type Form,
  type Loop,
} from './loop-in-forms.js'
import { clientOf } from '../../support/api-client.js'
import { aRunThat } from '../../support/platform-records.js'
import { question, type Message } from '../../support/rollouts.js'

/** A check says how much it judged, and `No mistake found` is there only if each check judged all. */

const trainingChecks = checkNames.filter((name) => isTrainingCheck(checks[name]))

/** The column of the table in which the reference says when a check judges a form of answers. */
const columns: Readonly<Record<Form, number>> = {
  choices: 2,
  histories: 2,
  exchanges: 2,
  messages: 3,
}

/** The cells of the reference about what is judged, by check. */
const table = new Map(
  readFileSync(join(import.meta.dirname, '../../../docs/reference/checks.md'), 'utf8')
    .split('## What is judged')[1]!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, name = '', ...cells]) => [name.replaceAll('`', ''), ['', ...cells]] as const),
)

interface Situation {
  readonly isSampled: boolean
  readonly isDecided: boolean
}

/** Whether a cell of the table says that answers are judged. */
function says(cell: string, { isSampled, isDecided }: Situation): boolean {
  if (cell === 'yes') return true
  if (cell === 'if a chat of this emulator gave them') return isSampled
  if (cell === 'if the body has `allow_training_without_logprobs`') return isDecided
  throw new Error(`The table says "${cell}", and this test does not know what that means.`)
}

/** Trains two groups whose rewards differ, of conversations with two turns. */
async function trainIn({ ask, trajectory, train }: Loop, { isSampled }: Situation) {
  let made = 0
  // Short answers of one prompt may be equal by chance.
  const answer: Loop['ask'] = async (prompt) => {
    if (isSampled) return ask(prompt)
    return foreign(`La ${made++} ${'la '.repeat(80)}`, [...(prompt as readonly Message[])])
  }
  const conversation = async (reward: number) => {
    const first = await answer(question('Sing.'))
    return trajectory([first, await answer(next(first, 'Again.'))], reward)
  }
  const group = async () => [await conversation(0), await conversation(1)]
  await train(await group(), await group())
}

describe('the table of the reference', () => {
  const situations = [true, false].flatMap((isSampled) => {
    return [true, false].map((isDecided) => ({ isSampled, isDecided }))
  })
  const cases = situations.flatMap((situation) => {
    return formNames.map((form) => ({ form, ...situation }))
  })

  it.each(cases)(
    'says what is judged: $form, sampled $isSampled, with a setting $isDecided',
    async ({ form, ...situation }) => {
      const loop = await loopIn(form, { config: situation.isDecided ? STRICT : {} })
      await trainIn(loop, situation)
      const isAll = judgedIn(loop.emulator).map(({ check, not }) => [check, not.length === 0])
      const expected = trainingChecks.map((check) => {
        return [check, says(table.get(check)![columns[form]]!, situation)]
      })
      expect(Object.fromEntries(isAll)).toEqual(Object.fromEntries(expected))
    },
  )

  it('has each check of training data, with its unit', () => {
    expect([...table.keys()]).toEqual(trainingChecks)
    for (const check of trainingChecks) {
      const { training } = checks[check] as { training: { judges: string } }
      expect(table.get(check)![1]).toBe(`each ${training.judges}`)
    }
  })

  it('says which checks read a file', async () => {
    const rows = [0, 1].map((row) => ({
      trajectories: [0, 1].map((at) => ({
        ...forms.choices([foreign(`La ${row} ${at}`)]),
        reward: at,
      })),
    }))
    const { judged } = await checkTrainingFile(linesOf(rows))
    const read = trainingChecks.filter((check) => table.get(check)![5] !== '')
    expect(judged.map(({ check }) => check)).toEqual(read)
    expect(judged.filter(({ not }) => not.length > 0)).toEqual([])
  })
})

async function* linesOf(rows: readonly object[]): AsyncGenerator<string> {
  for (const row of rows) yield JSON.stringify(row)
}

describe('what was judged, and what was not', () => {
  it.each([
    [
      'answers of chats',
      async ({ rollouts, train }: Loop) => train(await rollouts('Sing.', [0, 1])),
    ],
    [
      'answers from elsewhere',
      (loop: Loop) => trainIn(loop, { isSampled: false, isDecided: true }),
    ],
    [
      'a trajectory without an answer',
      async ({ rollouts, train }: Loop) => {
        const empty = { messages_and_choices: question('Sing.'), reward: 0 }
        await train([...(await rollouts('Sing.', [0, 1])), empty])
      },
    ],
    [
      'too few groups',
      async ({ rollouts, train }: Loop) => {
        await train(await rollouts('Sing.', [1, 1]), await rollouts('Sing.', [0, 1]))
      },
    ],
    ['no trajectory', ({ train }: Loop) => train([])],
  ])('are all that there is, for %s', async (_what, run) => {
    for (const form of formNames) {
      const loop = await loopIn(form)
      await run(loop)
      const judged = judgedIn(loop.emulator)
      expect(judged.map(({ check }) => check)).toEqual(trainingChecks)
      for (const { judged: count, of, not } of judged) {
        expect(count + not.reduce((sum, each) => sum + each.count, 0)).toBe(of)
      }
      const last = checkedLines(loop.emulator, findingsIn(loop.emulator)).at(-1)!
      const isWhole = judged.every(({ judged: count, of }) => count === of)
      const isClean = loop.found().length === 0
      expect(last === 'No mistake found.').toBe(isWhole && isClean)
    }
  })

  it('leave out validation, if only its metrics arrive', async () => {
    const loop = await loopIn('choices')
    await loop.train(await loop.rollouts('Sing.', [0, 1]))
    const leftOut = () => judgedIn(loop.emulator).filter(({ not }) => not.length > 0)
    expect(leftOut()).toEqual([])
    aRunThat(loop.emulator, { name: 'poem', rows: [{ _step: 0, 'val/reward': 0.5 }] })
    const why = 'metrics of a validation were logged, but not its trajectories'
    expect(leftOut()).toMatchObject([
      { check: 'trainedValidation', judged: 0, not: [{ count: 2, why }] },
    ])
  })

  it('leave out answers whose log probabilities a fault removed', async () => {
    const loop = await loopIn('choices')
    const match = { operation: '*ChatCompletion*' }
    loop.emulator.faults.add({ fault: 'edit', match, remove: 'choices.*.logprobs' })
    await loop.train(await loop.rollouts('Sing.', [0, 1]))
    expect(loop.found()).not.toContain('missingLogprobs')
    const why = 'the job skips them, but a fault removed their log probabilities'
    expect(judgedIn(loop.emulator)).toContainEqual(
      expect.objectContaining({ check: 'missingLogprobs', judged: 0, not: [{ count: 2, why }] }),
    )
  })

  it.each([
    ['one page that shows the end', 'finish', ['try --clock real, or explore']],
    ['a page before the end', 'advance', []],
  ] as const)(
    'leave out cursors, unless a job was polled again: %s',
    async (_what, act, advice) => {
      const emulator = createEmulator({ clock: 'manual' })
      const { id } = await emulator.jobs.start({ model: 'poet' })
      emulator.jobs[act](id)
      const lines = () => checkedLines(emulator, []).filter((line) => line.includes('cursors'))
      expect(lines()).toEqual([])
      const read = () => clientOf(emulator).get(`/preview/training-jobs/${id}/events`)
      for (let polls = 0; polls < 2; polls++) await read()
      expect(lines()).toEqual(
        advice.map((text) => {
          return `Not judged: cursors: no job was polled again before its end; ${text}.`
        }),
      )
    },
  )

  it('is nothing if no call came', () => {
    expect(checkedLines(createEmulator(), []).at(-1)).toBe('Nothing was judged.')
  })

  it.each([
    [1, 1, 'found'],
    [2, 2, 'found'],
    [3, 4, '4 groups are too few for equalRewards, which needs 8, or all of a job'],
    [6, 7, '7 groups are too few for equalRewards, which needs 8, or all of a job'],
    [0, 1, undefined],
    [3, 3, 'found'],
    [3, 8, undefined],
    [4, 8, 'found'],
  ])(
    'depends on the threshold: %i of %i groups have equal rewards',
    async (equal, all, expected) => {
      const { emulator, trajectory, train, found } = await loopIn('choices', { config: {} })
      const groups = Array.from({ length: all }, (_, at) => {
        const turns = [foreign(`La ${at}`), foreign(`Lo ${at}`)]
        return turns.map((turn, reward) => trajectory(turn, at < equal ? 1 : reward))
      })
      await train(...groups)
      const rows = groups.map((trajectories) => ({ trajectories }))
      const report = await checkTrainingFile(linesOf(rows))
      const name: CheckName = 'equalRewards'
      expect(found().includes(name)).toBe(expected === 'found')
      expect(report.findings.some(({ check }) => check === name)).toBe(expected === 'found')
      const why = expected === 'found' || expected === undefined ? [] : [`${name}: ${expected}`]
      const said = [notJudgedTexts(judgedIn(emulator)), notJudged(report)]
      for (const texts of said) expect(texts.filter((text) => text.startsWith(name))).toEqual(why)
    },
  )
})
