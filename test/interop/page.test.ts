import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, inject, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { PAGE } from './matrix/table.js'
import { runPython, type EnvironmentName } from './python.js'

const execute = promisify(execFile)

/** The examples of docs/clients.md do what they say: each prints something and ends well. */
const pythons = inject('pythons')
const page = readFileSync(PAGE, 'utf8')

/** The Python examples have a name, which says which environment they run in. */
const environmentOf: Record<string, EnvironmentName> = {
  art: 'newest',
  openai: 'clients',
  litellm: 'litellm',
  'pydantic-ai': 'clients',
  'openai-agents': 'clients',
  'langchain-openai': 'clients',
}

const inPython = [...page.matchAll(/<!-- example: (\S+) -->\n\n```python\n(.*?)```/gs)].map(
  ([, name, source]) => ({ name: name!, source: source! }),
)
const inNode = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, source]) => source!)

async function withAddresses<T>(source: string, run: (source: string) => Promise<T>): Promise<T> {
  await using emulator = createEmulator()
  await emulator.listen()
  return await run(
    source
      .replaceAll('http://127.0.0.1:4600/v1', emulator.trainingUrl)
      .replaceAll('http://127.0.0.1:4601/v1', emulator.inferenceUrl),
  )
}

describe('docs/clients.md', () => {
  it('has an example for each client', () => {
    expect(inPython.map(({ name }) => name)).toEqual(Object.keys(environmentOf))
    expect(inNode).toHaveLength(2)
  })

  for (const { name, source } of inPython) {
    const { command } = pythons[environmentOf[name]!]
    it.skipIf(command === undefined)(`the example of ${name} runs`, async () => {
      const ran = await withAddresses(source, (program) =>
        runPython(command!, ['-c', program], { LITELLM_LOCAL_MODEL_COST_MAP: 'True' }),
      )
      if (ran.code !== 0) throw new Error(ran.stderr.slice(-3000))
      expect(ran.stdout.trim()).not.toBe('')
    })
  }

  it.each(inNode)('an example in TypeScript runs: %s', async (source) => {
    const run = (program: string) =>
      execute(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program])
    const { stdout } = await withAddresses(source, run)
    expect(stdout.trim()).not.toBe('')
  })
})
