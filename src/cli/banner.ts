import type { Paint } from './paint.js'

/** What a user now has. */
export interface Started {
  version: string
  trainingUrl: string
  inferenceUrl: string
  /** The key to use; undefined where the user brought keys, which are not ours to print. */
  apiKey: string | undefined
  scenario: { name: string; description: string }
  seed: number
  clock: string
  notes: readonly string[]
}

export function banner(started: Started, paint: Paint): string {
  const { version, trainingUrl, inferenceUrl, apiKey, scenario, seed, clock, notes } = started
  const rows: [string, string][] = [
    ['Training API', paint('cyan', trainingUrl)],
    ['Inference API', paint('cyan', inferenceUrl)],
    [
      'API key',
      apiKey === undefined ? 'one of those given with --api-key' : `${apiKey} (any key works)`,
    ],
    ['Scenario', `${paint('bold', scenario.name)}: ${scenario.description}`],
    ['Seed', String(seed)],
    ['Clock', clock],
  ]
  const exported = [
    `export SVTRAIN_BASE_URL=${trainingUrl}`,
    `export SVTRAIN_INFERENCE_URL=${inferenceUrl}`,
    ...(apiKey === undefined ? [] : [`export SVTRAIN_API_KEY=${apiKey}`]),
  ]
  return [
    paint('bold', `svtrain-emulator ${version}`),
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(14)} ${value}`),
    '',
    ...exported.map((line) => `  ${line}`),
    '',
    ...notes.map((note) => paint('yellow', note)),
    'Ready. Stop with Ctrl-C.',
    '',
  ].join('\n')
}
