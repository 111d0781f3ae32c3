import { call } from './control.js'

/** The ids of the base models of the scenario. */
export async function baseModels(): Promise<string[]> {
  const { scenario } = await call('GET /scenario')
  return scenario.base_models.map((each) => (typeof each === 'string' ? each : each.id))
}
