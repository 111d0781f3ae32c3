import type { JsonSchema } from '../kit/json-schema.js'
import { call } from './control.js'
import { useLoaded, type LoadState } from './use-loaded.js'

/** The schema of scenarios. */
export function useScenarioSchema(): LoadState<JsonSchema> {
  return useLoaded(scenarioSchema)
}

interface ControlDocument {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Readonly<Record<string, JsonSchema>> }
}

interface Operation {
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } }
}

/** The schema of the body of a row of the control API: `POST /models`. */
export function useRowSchema(row: string): LoadState<JsonSchema> {
  return useLoaded(async () => {
    const { paths, components } = await controlDocument()
    const [method = '', path = ''] = row.split(' ')
    const body = paths[`/_emulator${path}`]?.[method.toLowerCase()]?.requestBody
    const { $ref = '' } = body?.content['application/json'].schema ?? {}
    return components.schemas[$ref.split('/').at(-1)!] ?? {}
  }, row)
}

const scenarioSchema = once(async () => (await call('GET /scenario/schema')) as JsonSchema)
const controlDocument = once(async () => (await call('GET /openapi.json')) as ControlDocument)

/** Loads what never changes once for all forms. What failed is loaded again. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined
  return async () => {
    try {
      return await (loaded ??= load())
    } catch (error) {
      loaded = undefined
      throw error
    }
  }
}
