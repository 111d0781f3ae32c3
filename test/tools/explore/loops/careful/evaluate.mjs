// Asks a base model the questions of an exam, two at a time, and counts the good answers. It trains nothing.
import { Api, mayPass } from './api.mjs'
import { BASE_MODEL } from './training.mjs'

const AT_ONCE = 2
const MOST_ATTEMPTS = 12
const QUESTIONS = [
  'Is water wet?',
  'Is fire cold?',
  'Is ice warm?',
  'Is grass green?',
  'Is coal white?',
  'Is snow black?',
]

/** Asks until there is a whole answer. A question without an answer has no score. */
async function answerTo(api, content) {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    try {
      const { choices } = await api.chat({
        model: BASE_MODEL,
        messages: [{ role: 'user', content }],
        max_tokens: 100,
      })
      const [{ message, finish_reason }] = choices
      if (message.content && finish_reason !== 'length') return message.content
    } catch (error) {
      if (!mayPass(error) || attempt === MOST_ATTEMPTS) throw error
      await api.pause(attempt, error)
    }
  }
  return undefined
}

export default async function main(service) {
  const api = new Api(service)
  const left = [...QUESTIONS]
  const scores = new Map()
  const ask = async () => {
    for (let question = left.shift(); question !== undefined; question = left.shift()) {
      const text = await answerTo(api, question)
      if (text !== undefined) scores.set(question, text.length < 200 ? 1 : 0)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  if (scores.size === 0) throw new Error('No question was answered.')
}
