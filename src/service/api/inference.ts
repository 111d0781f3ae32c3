import { servedModelList, type ServedModel } from '../contract/model.js'
import { isServed } from '../engine/jobs/checkpoints.js'
import { artifactName } from '../engine/served-models.js'
import { inferenceChatOperations } from './chat.js'
import { operation } from './operation.js'
import { mayUse } from './ownership.js'

const listServedModels = operation({
  id: 'listServedModels',
  host: 'inference',
  method: 'GET',
  path: '/v1/models',
  name: 'list_models',
  tag: 'models',
  summary: 'List Models',
  auth: 'bearer',
  response: servedModelList,
  run({ engine, account }) {
    const { store, scenario, clock } = engine
    const ids = [...store.servedBaseModels]
    const now = clock.now()
    for (const model of store.modelStates) {
      if (!mayUse({ engine, account }, model.record.entity)) continue
      for (const checkpoint of model.checkpoints.all) {
        if (!isServed(checkpoint, now)) continue
        ids.push(artifactName(scenario.artifactScheme, model, checkpoint.step))
      }
    }
    return { object: 'list' as const, data: ids.map(servedModelJson) }
  },
})

function servedModelJson(id: string): ServedModel {
  // The documented examples have 0 and "system" for every entry.
  return { id, object: 'model', created: 0, owned_by: 'system', root: id }
}

export const inferenceOperations = [...inferenceChatOperations, listServedModels]
