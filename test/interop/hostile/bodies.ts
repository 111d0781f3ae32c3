import type { Draw } from '../../support/draw.js'
import { key, scalar, value } from './odd.js'
import type { Known } from './request.js'
import { Fields, Items, Leaf, placesIn, tree, type Place, type Plain, type Tree } from './tree.js'

/** Good bodies, which families then spoil. */

export interface Call {
  readonly method: string
  readonly target: string
  readonly body: Tree
}

const MODELS = '/v1/preview/models'

export const calls: Readonly<Record<string, (draw: Draw, known: Known, index: number) => Call>> = {
  model: (_draw, _known, index) =>
    call('POST', MODELS, {
      project: 'p',
      name: `m${index}`,
      base_model: 'b',
      return_existing: true,
    }),
  again: () =>
    call('POST', MODELS, {
      project: 'known',
      name: 'model',
      base_model: 'b',
      return_existing: true,
    }),
  team: (_draw, _known, index) =>
    call('POST', MODELS, { entity: 'é', project: 'p', name: `t${index}`, base_model: 'b' }),
  steps: (_draw, { model }) =>
    call('DELETE', `${MODELS}/${model}/checkpoints`, { steps: [11, 12, 13] }),
  log: (draw, { model }) =>
    call('POST', `${MODELS}/${model}/log`, { split: 'val', trajectory_groups: [group(draw)] }),
  job: (draw, { model }) =>
    call('POST', '/v1/preview/training-jobs', {
      model_id: model,
      trajectory_groups: [group(draw)],
      experimental_config: config(draw),
    }),
  sft: (_draw, { model }) =>
    call('POST', '/v1/preview/sft-training-jobs', {
      model_id: model,
      training_data_url: 'artifact:///none',
      config: {
        batch_size: 2,
        learning_rate: [0.5, 1],
        assistant_turns: 'all',
        metric_logging: { enabled: true, target_training_step: 1 },
      },
      experimental_config: { a: 1 },
    }),
  chat: () =>
    call('POST', '/v1/chat/completions', {
      model: 'unknown',
      messages: [{ role: 'user', content: 'hi' }],
    }),
}

function call(method: string, target: string, body: Plain): Call {
  return { method, target, body: tree(body) }
}

function config(draw: Draw): Plain {
  const all: Readonly<Record<string, Plain>> = {
    learning_rate: 1e-5,
    epsilon: 0.2,
    kl_penalty_reference_step: 3,
    ppo: true,
    scale_rewards: false,
    loss_fn: 'cispo',
    importance_sampling_level: 'token',
    kl_penalty_source: 'sample',
    num_trajectories_learning_rate_multiplier_power: 1,
    packed_sequence_length: 2048,
    kl_ref_adapter_path: 'x',
  }
  const chosen = Object.entries(all).filter(() => draw.isHit(0.5))
  return Object.fromEntries(chosen)
}

function group(draw: Draw): Plain {
  return {
    trajectories: Array.from({ length: 1 + draw.upTo(1) }, () => trajectory(draw)),
    exceptions: [{ type: 'E', message: 'm', traceback: 't' }],
    metadata: { a: [1, { b: null }] },
    metrics: { m: 1.5, 10: 2, n: true },
    logs: ['one'],
  }
}

function trajectory(draw: Draw): Plain {
  return {
    messages_and_choices: [
      ...Array.from({ length: 1 + draw.upTo(1) }, () => message(draw)),
      choice(draw),
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: {}, strict: true } }],
    additional_histories: [{ messages_and_choices: [message(draw)] }],
    reward: 0.5,
    initial_policy_version: 1,
    final_policy_version: null,
    metrics: { a: 1, 2: 2.5 },
    metadata: { k: 'v', n: 3 },
    logs: [],
    start_time: '2026-11-23T04:05:06Z',
    exchanges: { chat_completions: [] },
  }
}

export function message(draw: Draw): Plain {
  return draw.oneOf(MESSAGES)
}

const TOOL_CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const CUSTOM_CALL = { id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } }
const MESSAGES: readonly Plain[] = [
  { role: 'system', content: 's' },
  { role: 'developer', content: [{ type: 'text', text: 't' }], name: 'd' },
  { role: 'user', content: 'u', name: 'n' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 't' },
      { type: 'image_url', image_url: { url: 'u', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'd', format: 'wav' } },
      { type: 'file', file: { file_id: 'f' } },
    ],
  },
  { role: 'assistant', content: 'a', refusal: null, audio: { id: 'i' }, function_call: null },
  { role: 'assistant', content: null, tool_calls: [TOOL_CALL, CUSTOM_CALL] },
  {
    role: 'assistant',
    content: [
      { type: 'refusal', refusal: 'r' },
      { type: 'text', text: 't' },
    ],
  },
  { role: 'tool', content: 'c', tool_call_id: 't' },
  { role: 'function', content: null, name: 'f' },
]

export function choice(draw: Draw): Plain {
  const token = {
    token: 't',
    bytes: [116],
    logprob: -0.5,
    top_logprobs: [{ token: 'u', logprob: -1 }],
  }
  return {
    finish_reason: draw.oneOf(['stop', 'length', 'tool_calls']),
    index: 0,
    logprobs: { content: [token], refusal: null },
    message: {
      role: 'assistant',
      content: 'hello',
      tool_calls: draw.isHit(0.5) ? [TOOL_CALL, CUSTOM_CALL] : null,
      annotations: [
        {
          type: 'url_citation',
          url_citation: { end_index: 1, start_index: 0, title: 't', url: 'u' },
        },
      ],
      audio: { id: 'i', data: 'd', expires_at: 1, transcript: 't' },
    },
    token_ids: [1, 2],
  }
}

/** Spoils one to four places. */
export function spoil(root: Tree, draw: Draw): Tree {
  const holder = new Items([root])
  for (let left = 1 + (draw.isHit(0.5) ? 0 : draw.upTo(3)); left > 0; left--) {
    const places = placesIn(holder)
    // The whole body is one of many places.
    spoilAt(places[draw.upTo(places.length - 1)]!, draw)
    if (holder.items.length === 0) return new Leaf('null')
  }
  return holder.items[0]!
}

function spoilAt(place: Place, draw: Draw): void {
  draw.oneOf(ACTS)(place, draw)
}

type Act = (place: Place, draw: Draw) => void

const replace: Act = (place, draw) => place.replace(scalar(draw))
const fill: Act = (place, draw) => place.replace(value(draw))
const remove: Act = (place) => place.remove()
const repeat: Act = (place, draw) => place.repeat(scalar(draw))
const wrap: Act = (place, draw) =>
  place.replace(draw.isHit(0.5) ? new Items([place.value]) : new Fields([[key(draw), place.value]]))
const add: Act = ({ value: target }, draw) => {
  if (target instanceof Fields) {
    target.fields.splice(draw.upTo(target.fields.length), 0, [key(draw), value(draw)])
  } else if (target instanceof Items) {
    target.items.splice(draw.upTo(target.items.length), 0, value(draw))
  }
}

const ACTS: readonly Act[] = [
  replace,
  replace,
  replace,
  replace,
  fill,
  remove,
  repeat,
  wrap,
  add,
  add,
]
