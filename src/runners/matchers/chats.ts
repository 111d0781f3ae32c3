import { checkArgument, nonEmptyText, Options, wholeNumber } from '../../base/text/options.js'
import { shown } from '../../base/text/shown.js'
import type { LineageReport, LineageSample } from '../../emulator/lineage.js'
import { notFor, type Verdict } from './verdict.js'

/** What has a lineage: an emulator. */
export interface WithLineage {
  /** Returns what was sampled, and which jobs trained on it. */
  readonly lineage: () => LineageReport
}

/** The options of `toHaveAnsweredBy` and `assertAnsweredBy`. */
export interface AnsweringModel {
  /** The name of the model. Default: that of the latest answer. */
  model?: string
}

export const answeringModel = new Options<AnsweringModel>('toHaveAnsweredBy', {
  model: nonEmptyText,
})

/** The most answers in a message. */
const MOST_ANSWERS = 5

/** Whether the checkpoint of a step gave the latest answer to a chat, or the latest of a model. */
export function toHaveAnsweredBy(
  emulator: WithLineage,
  step: number,
  options: AnsweringModel = {},
): Verdict {
  if (typeof (emulator as Partial<WithLineage> | null)?.lineage !== 'function') {
    return notFor(emulator, 'an emulator', 'Pass the emulator.')
  }
  checkArgument('toHaveAnsweredBy', { name: 'step', value: step, kind: wholeNumber() })
  answeringModel.check(options)
  const { model } = options
  const samples = samplesIn(emulator.lineage())
  const ofModel = samples.filter((each) => model === undefined || each.model === model)
  const [latest] = ofModel
  const pass = latest?.step === step
  return {
    pass,
    message: () => {
      const of = model === undefined ? '' : ` of model ${shown(model)}`
      const wanted = `expected step ${step}${of} ${pass ? 'not ' : ''}to have given the latest answer`
      if (samples.length === 0) return `${wanted}, but no chat was answered`
      const lines = (latest ? ofModel : samples)
        .slice(0, MOST_ANSWERS)
        .map((each) => `  ${giverOf(each)}: ${shown(each.text)}`)
      return [`${wanted}. The latest answers:`, ...lines].join('\n')
    },
  }
}

/** The answers to chats, the latest first, whether a job trained on them or not. */
function samplesIn({ jobs, unused }: LineageReport): LineageSample[] {
  const trained = jobs.flatMap(({ groups }) =>
    groups.flatMap(({ trajectories }) =>
      trajectories.flatMap(({ answers }) => answers.flatMap(({ sample }) => sample ?? [])),
    ),
  )
  // Several jobs may train on one answer.
  const samples = new Map(
    [...trained, ...unused].map((each) => [`${each.completion} ${each.choice}`, each]),
  )
  return [...samples.values()].sort((one, other) => {
    return other.at.localeCompare(one.at) || (other.request ?? 0) - (one.request ?? 0)
  })
}

function giverOf({ model, step }: LineageSample): string {
  return `${model}, ${step === null ? 'base model' : `step ${step}`}`
}
