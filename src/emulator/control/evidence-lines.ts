import { counted, countsOf } from '../../base/text/counted.js'
import { shortened } from '../../base/text/shortened.js'
import { groupedFindings } from '../testing/grouped-findings.js'
import { NO_CALLS } from '../testing/reach.js'
import type { ClientCheckFinding, ClientCheckFindings } from './schemas/client-checks.js'
import type { LineageAnswer, LineageJob, LineageReport, LineageSample } from '../lineage.js'

/** Describes mistakes of clients for people, a line for those that say the same, and what was not judged. */
export function findingLines({ findings, calls, not_judged: not }: ClientCheckFindings): string[] {
  const found = groupedFindings(findings).map(findingLine)
  const where = not.length === 0 ? '' : ' in what they judged'
  const none = calls === 0 ? NO_CALLS : `The client checks found no mistake${where}.`
  const lines = found.length > 0 ? found : [none]
  return [...lines, ...not.map((what) => `Not judged: ${what}.`)]
}

function findingLine({ check, severity, text, requests }: ClientCheckFinding): string {
  const about = requests.length === 0 ? '' : shortened(`, requests ${requests.join(', ')}`, 60)
  return `${severity === 'fail' ? 'Mistake' : 'Warning'}: ${text} (${check}${about})`
}

/** Describes a lineage for people: a line for each job, newest first, and one for each trajectory of a single job. */
export function lineageLines({ counts, checkpoint, jobs, unused }: LineageReport): string[] {
  if (!checkpoint && jobs.length + unused.length === 0) return [NO_LINEAGE]
  const isOne = jobs.length === 1
  const left = unused.length > 0 ? counts.unused - unused.length : 0
  return [
    ...(checkpoint
      ? [`${checkpointText(checkpoint)}: ${ORIGINS[checkpoint.from]}${checkpoint.job ?? ''}`]
      : []),
    ...jobs.toReversed().flatMap((job) => [jobLine(job), ...(isOne ? trajectoryLines(job) : [])]),
    ...(unused.length > 0 ? [`No job trained on ${counted(counts.unused, 'sample')}:`] : []),
    ...unused.map(({ request, text, ...sample }) => {
      const from = request === null ? '' : `request ${request}, `
      return `  ${from}of ${checkpointText(sample)}: ${JSON.stringify(shortened(text, 60))}`
    }),
    ...(left > 0 ? [`  … and ${counted(left, 'older one')}`] : []),
  ]
}

const ORIGINS = {
  job: 'made by job ',
  base_model: 'the base model, before any training',
  upload: 'an upload: no job made it',
}

const NO_LINEAGE =
  'No lineage: only chats that were answered, and RL jobs with trajectories, have one.'

function jobLine({ job, model, status, step, latest, groups }: LineageJob): string {
  const answers = groups.flatMap(({ trajectories }) => trajectories.flatMap((each) => each.answers))
  const origins = Array.from(countsOf(answers.map(originText)), ([origin, count]) => {
    return `${counted(count, 'answer')} ${origin}`
  })
  const made = step === null ? 'made no checkpoint' : `made step ${step}`
  const trained = origins.join(', ') || 'no answers'
  return `Job ${job} of ${model}, ${status}, ${made}, submitted when step ${latest} was the newest: trained on ${trained}`
}

function trajectoryLines({ groups }: LineageJob): string[] {
  return groups.flatMap(({ trajectories }, group) => {
    return trajectories.map(({ reward, answers, duplicate, failed }, index) => {
      const turns = answers.map((each) => {
        const request = each.sample?.request ?? null
        const from = request === null ? '' : `, request ${request}`
        const why = each.changed === null ? '' : `: ${each.changed}`
        const said = each.sample ? `: ${JSON.stringify(shortened(each.sample.text, 60))}` : ''
        return `turn ${each.turn} ${originText(each)}${why}${from}${said}`
      })
      const notes = [
        failed !== null && `although ${failed} failed`,
        duplicate &&
          `as job ${duplicate.job}, group ${duplicate.group}, trajectory ${duplicate.trajectory}`,
      ]
      const parts = [`reward ${reward ?? 'not finite'}`, ...notes, ...turns].filter(Boolean)
      return `  group ${group}, trajectory ${index}: ${parts.join('; ')}`
    })
  })
}

/** Says which checkpoint gave an answer. */
function originText({ state, lag, sample }: LineageAnswer): string {
  if (state === 'unknown') return 'from no chat'
  const from = sample === null ? 'of a forgotten chat' : `of ${checkpointText(sample)}`
  return `${from}${lag ? ` (${lag} behind)` : ''}${state === 'changed' ? ', changed since' : ''}`
}

function checkpointText({ model, step }: Pick<LineageSample, 'model' | 'step'>): string {
  return step === null ? `the base model ${model}` : `${model} step ${step}`
}
