import type { TrialResult } from '../exploration.js'
import { hanging, normalized, type Judgment, type Mistake } from '../judge.js'
import {
  causesAmong,
  compareWork,
  leftOver,
  missingRows,
  type Difference,
  type Facet,
} from './compare-work.js'
import { killText, type Kill } from './kill.js'
import type { Work } from './work.js'

/** What a program makes without a kill. */
export interface UsualWork {
  readonly work: Work
  /** What differs between two runs without a kill, so that it says nothing about a third. */
  readonly unstable: ReadonlySet<Facet>
}

/** Decides whether a program survived a kill, by what it made without one. */
export function judgeKill(kill: Kill, result: TrialResult, before: UsualWork): Judgment {
  const { ended, observed, killed = false } = result
  const reason = (text: string): string => `Killed ${killText(kill)}. ${text}`
  if (!killed) return unkilled(kill, result)
  if (ended === 'timeout') {
    const { signature, reason: why } = hanging(result)
    const title = 'the code does not end after a restart'
    return failed({
      signature: `restart ${signature}`,
      verdict: 'hung',
      title,
      reason: reason(why),
    })
  }
  if (ended === 'error') {
    const { error = '' } = result
    const text = error === '' ? 'Then it ended with an error' : error
    const title = 'the code fails after a restart'
    const signature = `restart failed ${normalized(text)}`
    return failed({ signature, verdict: 'failed', title, reason: reason(text) })
  }
  const { work } = observed
  if (!work) return { verdict: 'passed', mistakes: [] }
  const differences = compareWork(before.work, work)
  const found = causesAmong(differences.filter(({ facet }) => !before.unstable.has(facet)))
  // Metrics that nobody read are lost, as rows that a client had not sent. The model is trained all the same.
  const first = found.find(({ facet }) => facet !== 'events')
  if (first) {
    const { title, cause } = first
    const more = cause === undefined ? [] : [cause, 'Read more: svtrain-emulator docs crashes']
    const text = reason([...found.map((each) => each.text), ...more].join(' '))
    return failed({ signature: `restart ${title}`, verdict: 'failed', title, reason: text })
  }
  const remarks = [
    ...found.map(({ text }) => text),
    before.unstable.has('checkpoints') ? undefined : leftOver(before.work, work),
    before.unstable.has('metrics') ? undefined : missingRows(before.work, work),
  ].filter((each) => each !== undefined)
  return {
    verdict: 'passed',
    mistakes: [],
    ...(remarks.length > 0 && { remark: remarks.join(' ') }),
  }
}

/** Judges a second run without a kill. Code that does other work in it cannot be compared. */
export function judgeAgain(differences: readonly Difference[]): Judgment {
  const found = differences.find(({ facet }) => facet === 'models' || facet === 'jobs')
  if (found) {
    const title = 'the code does other work than in the first run'
    const reason = `${found.text} If it stores something on this machine, say where with the option state.`
    return failed({ signature: title, verdict: 'failed', title, reason })
  }
  const facets = [...new Set(differences.map(({ facet }) => FACETS[facet]))]
  if (facets.length === 0) return { verdict: 'passed', mistakes: [] }
  const remark = `Not compared, because they differ without a kill: ${facets.join(', ')}. A seed in the code makes runs equal.`
  return { verdict: 'passed', mistakes: [], remark }
}

const FACETS: Readonly<Record<Facet, string>> = {
  models: 'models',
  runs: 'runs',
  batches: 'the prompts of batches',
  jobs: 'the number of jobs',
  steps: 'steps',
  source: 'the checkpoints that are sampled',
  checkpoints: 'checkpoints',
  metrics: 'metrics',
  events: 'events that are read',
}

function failed(mistake: Mistake): Judgment {
  return { verdict: mistake.verdict, mistakes: [mistake] }
}

/** A program may make fewer calls than in the run without a kill, because chats run side by side. */
function unkilled({ operation, call, moment }: Kill, { ended, error }: TrialResult): Judgment {
  const missing =
    moment === 'before'
      ? `call ${call} of ${operation} never came`
      : `no call came after call ${call} of ${operation}`
  if (ended === 'success') return { verdict: 'passed', mistakes: [], unapplied: missing }
  const title = 'the code fails without a kill, and did not before'
  const why = ended === 'timeout' ? 'It did not end.' : (error ?? '')
  const verdict = ended === 'timeout' ? 'hung' : 'failed'
  return failed({
    signature: title,
    verdict,
    title,
    reason: `Nothing was killed: ${missing}. ${why}`,
  })
}
