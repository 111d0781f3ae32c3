import { call } from './control.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { useLoaded, type LoadState } from './use-loaded.js'

/** The schema of scenarios. */
export function useScenarioSchema(): LoadState<JsonSchema> {
  return useLoaded(scenarioSchema)
}

interface ControlDocument {
  components: { schemas: Readonly<Record<string, JsonSchema>> }
}

/** The schema of a body of the control API: `ModelRequest`. */
export function useBodySchema(name: string): LoadState<JsonSchema> {
  return useLoaded(async () => (await controlDocument()).components.schemas[name] ?? {}, name)
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
