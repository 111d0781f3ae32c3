import { expect, it } from 'vitest'
import { createEmulator, type BuiltInScenarioName, type Emulator } from '../../../src/index.js'
import { graphql } from '../../support/graphql.js'
import { openArtifact, openRun, put, streamRun } from '../../support/platform-client.js'

/** Repeats each call that gets 5xx or no answer, as the SDK does. Counts them. */
function persistent({ fetch }: Pick<Emulator, 'fetch'>) {
  const seen = { repeated: 0 }
  const persevere = async (...call: Parameters<typeof fetch>): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const response = await fetch(...call).catch(() => undefined)
      if (response && response.status < 500) return response
      if (attempt === 8) throw new Error('The platform does not answer.')
      seen.repeated++
    }
  }
  return { fetch: persevere, seen }
}

it.each<[BuiltInScenarioName, repeated: number, looks: string[]]>([
  ['upload-fails', 2, ['COMMITTED']],
  ['slow-commit', 1, ['PENDING', 'PENDING', 'PENDING', 'COMMITTED']],
  ['platform-down', 5, ['COMMITTED']],
])('%s loses nothing of a client that repeats its calls', async (scenario, repeated, looks) => {
  await using emulator = createEmulator({ scenario, clock: 'instant' })
  const { fetch, seen } = persistent(emulator)
  const api = { emulator, fetch }
  await openRun(api, { name: 'poem' })
  await streamRun(api, 'poem', { rows: [{ _step: 0, loss: 2 }] })
  const { id, url, commit } = await openArtifact(api, 'hello')
  await put(api, url, 'hello')
  await commit()
  const states: string[] = []
  while (states.at(-1) !== 'COMMITTED') {
    const { data } = await graphql(api, `query ArtifactByID { artifact(id: "${id}") { state } }`)
    states.push(data.artifact.state as string)
  }
  await streamRun(api, 'poem', { offset: 1, rows: [{ _step: 1, loss: 1 }], exitCode: 0 })
  expect({ ...seen, states }).toEqual({ repeated, states: looks })
  // Nothing is there twice, and nothing is missing.
  const versions = emulator.artifacts.list({ type: 'dataset' })
  expect(versions).toMatchObject([{ name: 'rows', version: 'v0' }])
  expect(emulator.runs.history('poem').map(({ values }) => values['loss'])).toEqual([2, 1])
})
