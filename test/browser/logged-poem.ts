import type { Emulator } from '../../src/index.js'
import { aRunThat } from '../support/platform-records.js'

/** What the functions of `emulator` have to show. */
export interface LoggedPoem {
  /** `entity/project/name` of a run that finished. */
  readonly run: string
  /** `entity/project/name:v1` of the training data that it used. */
  readonly rows: string
  /** What `training_data_url` takes. */
  readonly url: string
}

const EXAMPLE =
  '{"messages":[{"role":"user","content":"2 + 2?"},{"role":"assistant","content":"4"}]}\n'

/** Logs a run with curves and files, two others, and two versions of training data. */
export async function logPoem(emulator: Emulator): Promise<LoggedPoem> {
  const rows = Array.from({ length: 120 }, (_, step) => ({
    _step: step,
    'train/loss': 2 / (1 + step / 10),
    'val/reward': step / 120,
    lr: step === 60 ? 'NaN' : 1e-5,
  }))
  const poem = aRunThat(emulator, {
    name: 'poem',
    facts: {
      displayName: 'A poem in May',
      tags: ['nightly'],
      group: 'sweep',
      notes: 'It rhymes.',
      config: '{"lr": {"value": 0.1}}',
    },
    rows,
    files: { 'config.yaml': 'lr: 0.1\n' },
    exitCode: 0,
  })
  aRunThat(emulator, { name: 'broken', rows: rows.slice(0, 20), exitCode: 1 })
  aRunThat(emulator, { name: 'draft' })
  const place = { name: 'rows', project: 'verse' }
  const { artifacts } = emulator
  await artifacts.put({ ...place, files: { 'train.jsonl': EXAMPLE } })
  const { path, url } = await artifacts.put({
    ...place,
    files: { 'train.jsonl': EXAMPLE.repeat(6), 'data/notes.txt': 'Six rows.' },
    description: 'Questions and answers.',
    metadata: { rows: 6 },
    aliases: ['best'],
    tags: ['clean'],
  })
  emulator.engine
    .platformWithCheckpoints()
    .artifacts.use(artifacts.find(path, 'find').artifact, poem)
  return { run: poem.path, rows: path, url }
}
