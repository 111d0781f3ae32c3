import type { Engine } from '../../../service/engine/engine.js'

/** Whether a client logs metrics of a validation to a run, such as `val/reward`. */
export function logsValidation({ clientPlatform }: Pick<Engine, 'clientPlatform'>): boolean {
  return [...clientPlatform.runs.all].some(({ history }) => {
    return [...history.keys().keys()].some((key) => key.startsWith('val/'))
  })
}
