// Two steps of reinforcement learning, with a model as the judge. A group without scores is left out.
import { Api, mayPass } from './api.mjs'
import { ask, differs, follow, isTrainable, nameOf, openModel, trainSteps } from './training.mjs'

const STEPS = 2
const MOST_JUDGMENTS = 10
const TASKS = ['Explain rain in one sentence.', 'Explain snow in one sentence.']

const scoresSchema = {
  type: 'object',
  properties: {
    scores: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          trajectory_id: { type: 'string' },
          explanation: { type: 'string' },
          score: { type: 'number', minimum: 0, maximum: 1 },
        },
        required: ['trajectory_id', 'explanation', 'score'],
      },
    },
  },
  required: ['scores'],
}

function questionFor(texts) {
  const ids = texts.map((_, index) => String(index + 1))
  const quoted = texts.map(
    (text, index) => `<trajectory id="${ids[index]}">\n${text}\n</trajectory>`,
  )
  const content = `Give each text a score between 0 and 1.\nThe trajectory IDs: ${ids.join(', ')}\n\n${quoted.join('\n')}`
  return {
    model: 'example/base-8b-instruct',
    messages: [{ role: 'user', content }],
    response_format: { type: 'json_schema', json_schema: { name: 'Scores', schema: scoresSchema } },
  }
}

/** The scores in an answer of the judge. Undefined if it made a mistake. */
function scoresIn(answer, count) {
  try {
    const { scores } = JSON.parse(answer.choices[0].message.content)
    const byId = new Map(scores.map(({ trajectory_id, score }) => [trajectory_id, score]))
    if (byId.size !== count || scores.length !== count) return undefined
    const sorted = Array.from({ length: count }, (_, index) => byId.get(String(index + 1)))
    return sorted.every((score) => score >= 0 && score <= 1) ? sorted : undefined
  } catch {
    return undefined
  }
}

/** Asks until the scores can be used. Returns undefined if the judge never gives them. */
async function judge(api, texts) {
  for (let attempt = 1; attempt <= MOST_JUDGMENTS; attempt++) {
    try {
      const scores = scoresIn(await api.retrying(() => api.chat(questionFor(texts))), texts.length)
      if (scores) return scores
    } catch (error) {
      if (!mayPass(error)) throw error
    }
    await api.pause(attempt)
  }
  return undefined
}

async function gather(api, model, step) {
  const groups = []
  for (const content of TASKS) {
    const choices = []
    for (let tries = 0; tries < 10 && choices.length < 3; tries++) {
      const answer = await ask(api, nameOf(model, step), [{ role: 'user', content }])
      if (isTrainable(answer)) choices.push(answer.choices[0])
    }
    const scores = await judge(
      api,
      choices.map(({ message }) => message.content),
    )
    if (!scores) continue
    const trajectories = choices.map((choice, index) => {
      return { messages_and_choices: [{ role: 'user', content }, choice], reward: scores[index] }
    })
    groups.push({ trajectories })
  }
  const useful = groups.filter(differs)
  if (useful.length === 0) throw new Error('The judge tells nothing apart.')
  return { trajectory_groups: useful }
}

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'teacher')
  await trainSteps(api, model, {
    steps: STEPS,
    gather: (policy) => gather(api, model, policy),
    follow: (job) => follow(api, job),
  })
}
