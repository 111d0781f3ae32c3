import { call } from './control.js'
import type { JsonSchema } from './json-schema.js'
import { useLoaded, type LoadState } from './use-loaded.js'

/** The schema of scenarios. */
export function useScenarioSchema(): LoadState<JsonSchema> {
  return useLoaded(async () => (await call('GET /scenario/schema')) as JsonSchema)
}

interface ControlDocument {
  components: { schemas: Readonly<Record<string, JsonSchema>> }
}

/** The schema of a body of the control API: `ModelRequest`. */
export function useBodySchema(name: string): LoadState<JsonSchema> {
  return useLoaded(async () => {
    const { components } = (await call('GET /openapi.json')) as ControlDocument
    return components.schemas[name] ?? {}
  }, name)
}
