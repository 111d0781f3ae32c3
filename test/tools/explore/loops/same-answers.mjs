// Trains a model for two steps, and is correct. If the model answers the same in both, the batches are the same.
//
//   SVTRAIN_BASE_URL=… SVTRAIN_API_KEY=… node same-answers.mjs
const { SVTRAIN_BASE_URL, SVTRAIN_API_KEY } = process.env

async function call(path, body) {
  const response = await fetch(`${SVTRAIN_BASE_URL}/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${SVTRAIN_API_KEY}`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(5000),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response.json()
}

const named = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
const { id, entity } = await call('preview/models', named)
const question = { role: 'user', content: 'Write a line about the sea.' }

async function rollOut(reward) {
  const model = `artifact:///${entity}/demo/poet:latest`
  const { choices } = await call('chat/completions', { model, messages: [question] })
  const answer = { role: 'assistant', content: choices[0].message.content }
  return { messages_and_choices: [question, answer], reward }
}

for (let step = 1; step <= 2; step++) {
  const trajectory_groups = [{ trajectories: [await rollOut(0), await rollOut(1)] }]
  const job = await call('preview/training-jobs', { model_id: id, trajectory_groups })
  for (let status = ''; status !== 'ended';) {
    ;({ status } = await call(`preview/training-jobs/${job.id}`))
  }
}
