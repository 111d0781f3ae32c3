/** Trains a model by plain HTTP. Throws if the job fails. */
export async function train({ baseUrl, apiKey }) {
  async function call(path, body) {
    const response = await fetch(`${baseUrl}/preview/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return response.json()
  }
  const poet = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
  const { id: modelId } = await call('models', poet)
  const groups = [{ trajectories: [{ reward: 1 }, { reward: 0.5 }] }]
  const { id } = await call('training-jobs', { model_id: modelId, trajectory_groups: groups })
  for (;;) {
    const { status, error_message: message } = await call(`training-jobs/${id}`)
    if (status === 'failed') throw new Error(message)
    if (status === 'ended') return
  }
}
