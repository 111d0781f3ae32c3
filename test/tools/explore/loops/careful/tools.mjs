// Two steps of reinforcement learning with an agent, which asks a tool before it answers.
import { Api } from './api.mjs'
import { ask, differs, nameOf, openModel, trainSteps, wait } from './training.mjs'

const STEPS = 2
const MOST_TURNS = 3

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]

/** What the tool says. It tells the model what is wrong with a call. */
function resultOf({ name, arguments: text }) {
  if (name !== 'get_weather') return `There is no tool ${name}.`
  try {
    const { city } = JSON.parse(text)
    return city ? `It rains in ${city}.` : 'Which city?'
  } catch {
    return 'The arguments are not JSON.'
  }
}

async function rollOut(api, model, step) {
  const items = [{ role: 'user', content: 'How is the weather in Paris?' }]
  let calls = 0
  for (let turn = 1; turn <= MOST_TURNS; turn++) {
    const messages = items.map((item) => item.message ?? item)
    const answer = await ask(api, nameOf(model, step), messages, { tools })
    const [choice] = answer.choices
    // A rollout with an answer that was cut off, or without log probabilities, is left out.
    if (choice.finish_reason === 'length') return undefined
    if (!choice.message.content && !choice.message.tool_calls?.length) return undefined
    if (choice.logprobs?.content?.length !== answer.usage?.completion_tokens) return undefined
    items.push(choice)
    const wanted = choice.message.tool_calls ?? []
    if (wanted.length === 0) break
    for (const call of wanted) {
      calls++
      items.push({ role: 'tool', tool_call_id: call.id, content: resultOf(call.function) })
    }
  }
  const reward = JSON.stringify(items).length / 10_000 + (calls === 1 ? 1 : 0)
  return { messages_and_choices: items, tools, reward }
}

async function gather(api, model, step) {
  const trajectories = []
  for (let tries = 0; tries < 8 && trajectories.length < 3; tries++) {
    const trajectory = await rollOut(api, model, step)
    if (trajectory) trajectories.push(trajectory)
  }
  if (!differs({ trajectories })) throw new Error('All rollouts are alike.')
  return { trajectory_groups: [{ trajectories }] }
}

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'guide')
  await trainSteps(api, model, {
    steps: STEPS,
    gather: (policy) => gather(api, model, policy),
    follow: (job) => wait(api, job),
  })
}
