import { environments, type Environment } from '../python.js'

/** A version of the client that the matrix runs. */
export interface Version {
  version: string
  /** The Python it runs on, as users have it: 12 is Python 3.12. */
  python: number
  environment: Environment
  /** What a user of this version must know. */
  note?: string
}

const NO_NUMPY = 'Install numpy too: it imports it without requiring it.'
const OLD_OPENAI = 'Needs openai 2.30 or older: with newer ones it sends no key.'

/** The newest version first. Each older one sends something else than the version after it. */
export const versions: readonly Version[] = [
  { version: '0.5.23', python: 12, environment: environments.newest },
  older('0.5.18', 13),
  older('0.5.17', 12, `${NO_NUMPY} ${OLD_OPENAI}`),
  older('0.5.11', 11, `${NO_NUMPY} ${OLD_OPENAI}`),
  older('0.5.9', 11, 'Runs only with PyTorch: it imports it without requiring it.'),
  older('0.5.3', 10),
  older('0.5.0', 10),
]

function older(version: string, python: number, note?: string): Version {
  const requirements = `matrix/${version}.txt`
  const environment = { oldest: python, newest: python, requirements }
  return { version, python, environment, ...(note !== undefined && { note }) }
}
