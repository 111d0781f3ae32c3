import { environments, type Environment } from '../python.js'

/** A version of the client that the matrix runs. */
export interface Version {
  version: string
  /** The Python it runs on, as users have it: 12 is Python 3.12. */
  python: number
  environment: Environment
  /** What a user installs beside it, as arguments of pip. */
  beside?: string
  /** What fails in it without that. */
  note?: string
}

const OLD = 'numpy openai==2.30.0 "polars<2"'
const NO_NUMPY = 'It imports numpy without requiring it.'
const OLD_OPENAI = 'With newer versions of openai, it sends no key.'
const OTHER_TIMEOUTS = 'With openai 3, each chat fails with a `TypeError`.'
const OLD_POLARS = 'With polars 2, `delete_checkpoints()` fails after a second step is logged.'

/** The newest version first. Each older one sends something else than the version after it. */
export const versions: readonly Version[] = [
  { version: '0.5.23', python: 12, environment: environments.newest },
  older(
    '0.5.18',
    12,
    'numpy openai==2.54.0 "polars<2"',
    `${NO_NUMPY} ${OTHER_TIMEOUTS} ${OLD_POLARS} On Python 3.13.0, an error beside an open progress bar ends in a segmentation fault, also without the emulator.`,
  ),
  older('0.5.17', 12, OLD, `${NO_NUMPY} ${OLD_OPENAI} ${OLD_POLARS}`),
  older('0.5.11', 11, OLD, `${NO_NUMPY} ${OLD_OPENAI} ${OLD_POLARS}`),
  older(
    '0.5.9',
    11,
    undefined,
    `${NO_NUMPY} The same goes for PyTorch, and we did not run it with it.`,
  ),
  older('0.5.3', 10),
  older('0.5.0', 10),
]

function older(version: string, python: number, beside?: string, note?: string): Version {
  const requirements = `matrix/${version}.txt`
  const environment = { oldest: python, newest: python, requirements }
  return { version, python, environment, ...(beside && { beside }), ...(note && { note }) }
}
