import type { Route } from '../../emulator/control/client/call.js'
import type { CONTROL_ROOT } from '../../emulator/control/control-path.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { call } from './control.js'

interface ControlDocument {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Readonly<Record<string, JsonSchema>> }
}

interface Operation {
  requestBody?: { content: { 'application/json': { schema: JsonSchema } } }
}

/** The page has no code of the emulator, so the type compares them. */
const ROOT: typeof CONTROL_ROOT = '/_emulator'

/** Rows whose body is an item of a list of scenarios. */
const ITEMS: Readonly<Partial<Record<Route, string>>> = {
  'POST /webhooks': 'webhooks',
  'POST /automations': 'automations',
  'POST /faults': 'faults',
}

/** The schema of the body of a row of the control API: `POST /models`. */
export async function rowSchema(row: Route): Promise<JsonSchema> {
  const list = ITEMS[row]
  if (list !== undefined) return (await scenarioSchema()).properties?.[list]?.items ?? {}
  const { paths, components } = await controlDocument()
  const [method = '', path = ''] = row.split(' ')
  const body = paths[ROOT + path]?.[method.toLowerCase()]?.requestBody
  const { $ref = '' } = body?.content['application/json'].schema ?? {}
  return components.schemas[$ref.split('/').at(-1)!] ?? {}
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
