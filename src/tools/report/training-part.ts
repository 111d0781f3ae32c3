import { counted, countsOf } from '../../base/text/counted.js'
import { lineageOf, type LineageAnswer, type LineageJob } from '../../emulator/lineage.js'
import { markup, type Content } from './markup.js'
import { foldable, latest, table } from './page.js'
import type { ShownWorld } from './shown-world.js'

/** How many jobs, and how many samples that no job used, are shown: the latest ones. */
const MOST_JOBS = 100

/** How many sources of the answers of one job are shown. */
const MOST_SOURCES = 10

/** What the jobs of a world trained on: the checkpoint of each answer, and how old it was. */
export function trainingPart(shown: ShownWorld): Content {
  const { engine } = shown.world
  const { jobs, unused, counts } = lineageOf(engine, { limit: MOST_JOBS })
  if (jobs.length === 0) return undefined
  const all = [...engine.lineage.jobs].length
  const name = shown.name === undefined ? '' : ` of ${shown.name}`
  const used = counts.samples - counts.unused
  return [
    latest(jobs.length, all, 'jobs'),
    table({
      label: `Training data${name}`,
      columns: [
        'Model',
        { name: 'Job', is: 'number' },
        { name: 'Answers', is: 'number' },
        'From',
        'Steps behind',
        { name: 'Changed', is: 'number' },
        { name: 'Unknown', is: 'number' },
        { name: 'Trained before', is: 'number' },
      ],
      rows: jobs.map((job) => rowOf(job, shown)),
    }),
    markup`<p>Jobs used ${used} of ${counted(counts.samples, 'answer')} that chats gave. <a href="#checks">Client checks</a> has what is wrong with training data.</p>`,
    unused.length > 0 &&
      foldable(
        unused.length < counts.unused
          ? `The latest ${unused.length} of ${counts.unused} answers that no job used`
          : `${counted(unused.length, 'answer')} that no job used`,
        unusedTable(unused, { shown, name }),
      ),
  ]
}

function rowOf({ job, model, groups }: LineageJob, shown: ShownWorld): Content[] {
  const trajectories = groups.flatMap((group) => group.trajectories)
  const answers = trajectories.flatMap((each) => each.answers)
  const sampled = answers.flatMap(({ sample }) => sample ?? [])
  const lags = answers.flatMap(({ lag }) => lag ?? [])
  const inState = (state: LineageAnswer['state']): number => {
    return answers.filter((answer) => answer.state === state).length
  }
  const from = withCounts(sampled.map((sample) => sourceOf(sample, model)))
  return [
    shown.text(model),
    shown.world.engine.store.jobs.get(job)?.ordinal ?? job.slice(0, 8),
    answers.length,
    shown.text(from),
    withCounts(lags.map(String)),
    inState('changed'),
    inState('unknown'),
    trajectories.filter(({ duplicate }) => duplicate !== null).length,
  ]
}

/** Where an answer came from: `step 3`, or another model with its step. */
function sourceOf(sample: { model: string; step: number | null }, model: string): string {
  const { model: name, step } = sample
  if (step === null) return name
  return name === model ? `step ${step}` : `${name}, step ${step}`
}

/** Counts equal texts, in their order: `step 0 (8), step 1 (2)`. */
function withCounts(texts: readonly string[]): string {
  const sorted = [...countsOf(texts)].toSorted(([one], [other]) =>
    one.localeCompare(other, 'en', { numeric: true }),
  )
  if (sorted.length === 1) return sorted[0]![0]
  const more = sorted.length - MOST_SOURCES
  const shown = sorted.slice(-MOST_SOURCES).map(([text, count]) => `${text} (${count})`)
  return [...(more > 0 ? [counted(more, 'other')] : []), ...shown].join(', ')
}

function unusedTable(
  samples: ReturnType<typeof lineageOf>['unused'],
  { shown, name }: { shown: ShownWorld; name: string },
): Content {
  return table({
    label: `Answers that no job used${name}`,
    columns: [
      'Model',
      { name: 'Step', is: 'number' },
      { name: 'Tokens', is: 'number' },
      { name: 'Ended with', is: 'short' },
      'Completion',
    ],
    rows: samples.map(({ model, step, tokens, finish, completion, request }) => [
      shown.text(model),
      step ?? '',
      tokens,
      finish,
      request === null ? completion : shown.linkTo({ id: request, kind: 'request' }, completion),
    ]),
  })
}
