import type { Draw } from '../../support/draw.js'
import { bodyText, raw, UUID } from './odd-values.js'
import { JSON_TYPE, KEY, type Categories, type Recipe } from './recipe.js'

const MODELS = '/v1/preview/models'
const JOBS = '/v1/preview/training-jobs'
const CHECKPOINTS = `${MODELS}/${UUID}/checkpoints`
const GOOD: readonly (readonly [method: string, path: string, body: Record<string, unknown>])[] = [
  ['POST', '/v1/chat/completions', { model: 'm', messages: [] }],
  ['POST', MODELS, { project: 'p', name: 'n', base_model: 'b' }],
  ['DELETE', CHECKPOINTS, { steps: [1] }],
  ['POST', `${MODELS}/${UUID}/log`, { split: 'val', trajectory_groups: [] }],
  ['POST', JOBS, { model_id: UUID, trajectory_groups: [] }],
  ['POST', '/v1/preview/sft-training-jobs', { model_id: UUID, training_data_url: 'artifact:///x' }],
]
const COUNT = 220

/** One row for each documented refusal, with a request that gets it. */
const refusals: readonly (readonly [row: string, recipe: Recipe])[] = [
  [
    'bad JSON',
    (draw) => {
      const [method, path, body] = draw.oneOf(GOOD)
      const text = JSON.stringify(body)
      return sent(method, path, text.slice(0, 1 + draw.upTo(text.length - 2)))
    },
  ],
  [
    'no body',
    (draw) => {
      const [method, path] = draw.oneOf(GOOD)
      if (draw.isHit(0.3)) return sent(method, path, 'null')
      return { method, path, headers: draw.isHit(0.5) ? JSON_TYPE : KEY }
    },
  ],
  [
    'body is no object',
    (draw) => {
      const [method, path, body] = draw.oneOf(GOOD)
      if (draw.isHit(0.5)) {
        const headers = { ...KEY, 'content-type': 'text/plain' }
        return { method, path, headers, body: JSON.stringify(body) }
      }
      return sent(method, path, bodyText(draw.oneOf([[], [body], 'x', 1, true, raw('1.0'), ''])))
    },
  ],
  [
    'missing field',
    (draw) => {
      const [method, path, body] = draw.oneOf(GOOD)
      const gone = draw.oneOf(Object.keys(body))
      const left = Object.fromEntries(Object.entries(body).filter(([name]) => name !== gone))
      return sent(method, path, JSON.stringify(draw.isHit(0.2) ? {} : left))
    },
  ],
  [
    'no string',
    (draw) => {
      const wrong = draw.oneOf([null, 1, 0.5, true, [], {}, draw.upTo(1e6)])
      const [, path, body] = GOOD[1]!
      return sent('POST', path, JSON.stringify({ ...body, [draw.oneOf(Object.keys(body))]: wrong }))
    },
  ],
  [
    'return_existing is null',
    (draw) => {
      const [, path, body] = GOOD[1]!
      const return_existing = draw.oneOf([null, null, [], {}, null])
      return sent('POST', path, JSON.stringify({ ...body, return_existing }))
    },
  ],
  [
    'model_id is no UUID',
    (draw) => {
      const [, path, body] = draw.oneOf(GOOD.slice(4))
      const at = draw.upTo(35)
      const model_id = draw.oneOf([
        draw.text('abcxyz-0123', draw.upTo(20)),
        UUID.slice(0, at),
        `${UUID.slice(0, at)}g${UUID.slice(at + 1)}`,
      ])
      return sent('POST', path, JSON.stringify({ ...body, model_id }))
    },
  ],
  ['limit below 1', (draw) => limited(String(-draw.upTo(50)), draw)],
  ['limit above 100', (draw) => limited(String(101 + draw.upTo(1000)), draw)],
  ['limit is no number', (draw) => limited(draw.text('abcxyz', draw.upTo(4)), draw)],
  [
    'order is neither',
    (draw) => listed(CHECKPOINTS, `order=${draw.oneOf(['', 'up', 'ASC', draw.text('adesc', 4)])}`),
  ],
  [
    'step is no integer',
    (draw) => {
      const steps = [draw.upTo(9), raw(`${draw.upTo(99)}.${1 + draw.upTo(98)}`), '2', raw('1.0')]
      return sent('DELETE', CHECKPOINTS, bodyText({ steps: steps.slice(draw.upTo(1)) }))
    },
  ],
  [
    'exception without its fields',
    (draw) => {
      const fields = { type: "<class 'ValueError'>", message: 'no', traceback: 'Traceback …' }
      const left = Object.fromEntries(Object.entries(fields).filter(() => draw.isHit(0.5)))
      const exceptions = [draw.oneOf([{}, left]), {}, fields].slice(0, 1 + draw.upTo(2))
      return grouped({ exceptions }, draw)
    },
  ],
  [
    'no object where one is needed',
    (draw) => {
      const wrong = draw.oneOf([null, [], 'x', 1, true, [{}]])
      return draw.isHit(0.5)
        ? grouped({ [draw.oneOf(['metadata', 'metrics'])]: wrong }, draw)
        : gathered({ [draw.oneOf(['metadata', 'metrics', 'exchanges'])]: wrong }, draw)
    },
  ],
  [
    'metric of no kind',
    (draw) => {
      const metrics = { a: draw.oneOf(['x', '1.5.0', '', 'é']), b: draw.oneOf([1, null, [], 'y']) }
      return draw.isHit(0.5) ? grouped({ metrics }, draw) : gathered({ metrics }, draw)
    },
  ],
  [
    'assistant_turns is neither',
    (draw) => {
      const assistant_turns = draw.oneOf(['first', 'ALL', '', null, 1, [], draw.text('alst', 4)])
      const metric_logging = draw.oneOf([undefined, null, {}, { enabled: draw.oneOf([1, null]) }])
      const [method, path, body] = GOOD[5]!
      return sent(
        method,
        path,
        JSON.stringify({ ...body, config: { assistant_turns, metric_logging } }),
      )
    },
  ],
  [
    'message of no kind',
    (draw) => {
      const message = {
        role: draw.oneOf(['critic', 'USER', '', null, 1, 'assistants']),
        content: draw.oneOf(['x', null, 1, [], [{ type: 'text' }], [{ type: 'image_url' }], {}]),
        ...(draw.isHit(0.3) && { tool_calls: draw.oneOf([null, [], [{}], 'x']) }),
        ...(draw.isHit(0.3) && { name: draw.oneOf(['n', null, 1]) }),
        ...(draw.isHit(0.2) && { finish_reason: 'stop', index: draw.oneOf([0, null, '0', 1.5]) }),
      }
      return gathered({ messages_and_choices: [message] }, draw)
    },
  ],
]

export const documentedRefusals: Categories = Object.fromEntries(
  refusals.map(([row, recipe]) => [`refusal: ${row}`, { count: COUNT, recipe }]),
)

function sent(method: string, path: string, body: string): ReturnType<Recipe> {
  return { method, path, headers: JSON_TYPE, body }
}

/** A log call or a job with one group. */
function grouped(group: object, draw: Draw): ReturnType<Recipe> {
  const [method, path, body] = draw.oneOf(GOOD.slice(3, 5))
  return sent(method, path, JSON.stringify({ ...body, trajectory_groups: [group] }))
}

/** A log call or a job with one trajectory. */
function gathered(trajectory: object, draw: Draw): ReturnType<Recipe> {
  return grouped({ trajectories: [trajectory] }, draw)
}

function limited(limit: string, draw: Draw): ReturnType<Recipe> {
  return listed(draw.isHit(0.5) ? CHECKPOINTS : `${JOBS}/${UUID}/events`, `limit=${limit}`)
}

function listed(path: string, query: string): ReturnType<Recipe> {
  return { method: 'GET', path: `${path}?${query}`, headers: KEY }
}
