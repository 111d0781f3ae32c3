import { prepare } from '../python.js'

/** The Python that has the library of chat templates and its tokenizers, installed as it was tried. */
export async function tokenizersPython(): Promise<string> {
  const python = await prepare('tokenizers', {
    oldest: 11,
    requirements: 'tokenizers/requirements.txt',
    constraints: 'tokenizers/constraints.txt',
  })
  if (python.why !== undefined) throw new Error(python.why)
  return python.command
}
