import type { ControlModel } from '../schemas/models.js'
import type { BodyOf, Call } from './call.js'

/** What `models.create` accepts. */
export type ModelWanted = BodyOf<'POST /models'>

/** The methods of a client for models. */
export const modelsMethods = (call: Call) => ({
  models: {
    /** Returns the models with their checkpoints, oldest first. */
    list: async (): Promise<ControlModel[]> => (await call('GET /models')).models,
    /**
     * Creates a model. Refused with 409 if the name is taken.
     *
     * @example
     * const { id } = await client.models.create({ name: 'poet' })
     */
    create: async (model: ModelWanted): Promise<ControlModel> =>
      (await call('POST /models', { body: model })).models[0]!,
    /** Deletes a model (id or name) with its checkpoints. Its unfinished jobs fail. */
    async delete(which: string): Promise<void> {
      await call('DELETE /models/{model_id}', { params: { model_id: which } })
    },
    /** Deletes one checkpoint of a model (id or name). Refused with 404 if it has none of that step. */
    deleteCheckpoint: async (which: string, step: number): Promise<ControlModel> =>
      (
        await call('DELETE /models/{model_id}/checkpoints/{step}', {
          params: { model_id: which, step },
        })
      ).models[0]!,
  },
})
