import type { Draw } from '../../../support/draw.js'
import { calls, choice, message, spoil, type Call } from '../bodies.js'
import { extremeNumber, numberLike, scalar, value } from '../odd.js'
import { escaped, json, type Family, type Known, type Sent } from '../request.js'
import { Fields, Items, Leaf, placesIn, textOf, tree, type Tree } from '../tree.js'

/** Bodies that are JSON, with wrong values in them. */

const send = ({ method, target }: Call, body: Tree): Sent => json(method, target, body)

/** A call with trajectories whose messages are these. */
function withMessages(draw: Draw, known: Known, messages: Items): Sent {
  const call = calls[draw.oneOf(['log', 'job'])]!(draw, known, 0)
  const field = draw.isHit(0.8) ? 'messages_and_choices' : 'additional_histories'
  const histories = tree([{ messages_and_choices: messages }])
  for (const place of placesIn(call.body)) {
    if (place.step === field) place.replace(field === 'additional_histories' ? histories : messages)
  }
  return send(call, call.body)
}

/** Messages of callers, spoiled. */
export const messages: Family = (draw, known) => {
  const spoiled = spoil(tree(message(draw)), draw)
  const others = draw.isHit(0.3) ? [spoil(tree(message(draw)), draw)] : []
  return withMessages(draw, known, new Items([spoiled, ...others]))
}

/** Answers of models among messages, spoiled. */
export const choices: Family = (draw, known) => {
  const spoiled = spoil(tree(choice(draw)), draw)
  const others = draw.isHit(0.3) ? [tree(message(draw))] : []
  return withMessages(draw, known, new Items([...others, spoiled]))
}

/** Whole bodies of trajectories, spoiled anywhere. */
export const trajectories: Family = (draw, known) => {
  const call = calls[draw.oneOf(['log', 'job'])]!(draw, known, 0)
  for (const place of placesIn(call.body)) {
    // Their places would be most of all.
    if (place.step === 'messages_and_choices' && draw.isHit(0.8)) place.replace(new Items([]))
  }
  return send(call, spoil(call.body, draw))
}

/** The fields of calls, in a table of calls. */
const FIELDS = Object.entries({
  model: ['project', 'name', 'base_model', 'return_existing'],
  team: ['entity', 'return_existing'],
  again: ['return_existing'],
  log: [
    'split',
    'reward',
    'initial_policy_version',
    'final_policy_version',
    'start_time',
    'metrics',
    'metadata',
    'logs',
    'exchanges',
    'tools',
  ],
  job: ['experimental_config', 'reward', 'start_time'],
  sft: [
    'batch_size',
    'learning_rate',
    'assistant_turns',
    'metric_logging',
    'enabled',
    'target_training_step',
    'training_data_url',
    'config',
  ],
  chat: ['model', 'messages'],
}).flatMap(([call, fields]) => fields.map((field) => [call, field] as const))

/** One field of one type with one odd value. */
export const scalars: Family = (draw, known, index) => {
  if (draw.isHit(0.25)) return steps(draw, known, index)
  const [name, field] = draw.oneOf(FIELDS)
  const call = calls[name]!(draw, known, index)
  const places = placesIn(call.body).filter(({ step }) => step === field)
  if (places.length > 0) draw.oneOf(places).replace(oddFor(field, draw))
  // A second problem shows that the first one did not end the search.
  if (draw.isHit(0.3)) return send(call, spoil(call.body, draw))
  return send(call, call.body)
}

function oddFor(field: string, draw: Draw): Tree {
  if (['metrics', 'metadata', 'exchanges'].includes(field) && draw.isHit(0.7)) {
    return new Fields(Array.from({ length: 1 + draw.upTo(3) }, () => [odd(draw), value(draw)]))
  }
  if (['experimental_config', 'config'].includes(field) && draw.isHit(0.8)) {
    const names = draw.oneOf([CONFIG, SFT])
    return new Fields(
      Array.from({ length: 1 + draw.upTo(3) }, () => [draw.oneOf(names), scalar(draw)]),
    )
  }
  return draw.isHit(0.3) ? tree(numberLike(draw)) : value(draw, 1)
}

const odd = (draw: Draw): string => draw.oneOf(['a', '10', '2', 'b', '__proto__', '', '0', '01'])
const SFT = ['batch_size', 'learning_rate', 'assistant_turns', 'metric_logging']
const CONFIG = [
  'learning_rate',
  'epsilon',
  'kl_penalty_reference_step',
  'kl_penalty_step_lag',
  'logprob_calculation_chunk_size',
  'ppo',
  'plot_tensors',
  'loss_fn',
  'kl_penalty_source',
  'kl_ref_adapter_path',
  'advantage_balance',
]

/** Their numbers come back in the answer. */
const steps: Family = (draw, known) => {
  const { method, target } = calls['steps']!(draw, known, 0)
  const items = Array.from({ length: 1 + draw.upTo(3) }, () =>
    draw.oneOf<() => Tree>([
      () => new Leaf(extremeNumber(draw)),
      () => tree(numberLike(draw)),
      () => tree(1 + draw.upTo(1000)),
      () => scalar(draw),
    ])(),
  )
  return json(method, target, new Fields([['steps', new Items(items)]]))
}

const ID = '0d2f7a1e-5a6b-4c3d-8e9f-000000000001'

/** Ids of models and jobs, in a body and in a path. */
export const uuids: Family = (draw, { model, job }) => {
  const id = oddUuid(draw, draw.isHit(0.5) ? model : ID)
  if (draw.isHit(0.6)) {
    const name = draw.oneOf(['training-jobs', 'sft-training-jobs'])
    const body = new Fields([
      ['model_id', id],
      ['trajectory_groups', new Items([])],
      ['training_data_url', draw.isHit(0.5) ? tree('artifact:///none') : scalar(draw)],
    ])
    return json('POST', `/v1/preview/${name}`, body)
  }
  const source =
    id instanceof Leaf && id.source.startsWith('"') ? (JSON.parse(id.source) as string) : job
  const segment = escaped(source)
  const path = draw.oneOf([
    `models/${segment}/checkpoints`,
    `training-jobs/${segment}`,
    `training-jobs/${segment}/events`,
  ])
  return json('GET', `/v1/preview/${path}`, '')
}

function oddUuid(draw: Draw, id: string): Tree {
  const bare = id.replaceAll('-', '')
  const text = draw.oneOf<() => string>([
    () => id.toUpperCase(),
    () => bare,
    () => `{${id}}`,
    () => `urn:uuid:${id}`,
    () => `URN:UUID:${id}`,
    () => `(${id})`,
    () => ` ${id}`,
    () => id.slice(0, draw.upTo(id.length)),
    () => bare.slice(0, draw.upTo(bare.length)),
    () => id + draw.text('0-}a ', 1 + draw.upTo(2)),
    () => edited(id, draw),
    () => edited(bare, draw),
    () => edited(edited(id, draw), draw),
    () => draw.text('0123456789abcdef-', draw.upTo(45)),
    () => id.replace('-', '\u2010'),
    () => '',
  ])()
  return draw.isHit(0.1) ? scalar(draw) : tree(text)
}

function edited(text: string, draw: Draw): string {
  const at = draw.upTo(text.length)
  const put = draw.oneOf(['', '-', '--', draw.text('0123456789abcdefghGZ-{}é😀 ', 1)])
  return text.slice(0, at) + put + text.slice(at + draw.upTo(1))
}

/** The same value inside itself, from shallow to what no parser follows. */
export const nesting: Family = (draw, known, index) => {
  const depth = draw.oneOf([10, 100, 500, 900, 950, 1000, 1100, 3000, 20_000]) + draw.upTo(20)
  const [open, close] = draw.oneOf([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"a":', '}]'],
  ] as const)
  const nested = new Leaf(
    open.repeat(depth) + draw.oneOf(['1', '', '"x"', 'null']) + close.repeat(depth),
  )
  const call = calls[draw.oneOf(['model', 'log', 'steps', 'sft', 'chat'])]!(draw, known, index)
  const places = placesIn(call.body)
  draw.oneOf(places).replace(nested)
  // Half of it is refused for another reason too, so that the nested value has to be printed or not.
  if (draw.isHit(0.5)) draw.oneOf(placesIn(call.body)).remove()
  return send(call, call.body)
}

/** What only the text of a document shows. */
export const texts: Family = (draw, known, index) => {
  const call = calls[draw.oneOf(['model', 'model', 'steps', 'sft', 'log'])]!(draw, known, index)
  const body = draw.isHit(0.5) ? call.body : spoil(call.body, draw)
  const spacing = draw.oneOf(SPACINGS)
  let text = textOf(body, spacing)
  const kind = draw.oneOf(['cut', 'edit', 'edit', 'edit', 'around', 'none'])
  if (kind === 'cut') text = text.slice(0, draw.upTo(text.length))
  if (kind === 'around') text = draw.oneOf(AROUND) + text + draw.oneOf(AROUND)
  if (kind === 'edit') for (let left = draw.upTo(2); left >= 0; left--) text = misplace(text, draw)
  return json(call.method, call.target, text)
}

const SPACINGS = [
  { comma: ',', colon: ':' },
  { comma: ', ', colon: ': ' },
  { comma: ' ,\r\n\t', colon: ' :\t' },
]
const AROUND = ['', ' ', '\n', '\t', '\u000B', '\u00A0', '\u0000', '[', '1', '// x\n', '/**/', ';']
const TOKENS = [
  '',
  ',',
  ',,',
  ':',
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  '\\u12',
  '\\x',
  "'",
  '\n',
  '\u0001',
  '\u007F',
  'nul',
  'True',
  'None',
  'undefined',
  'NaN',
  '-NaN',
  '+1',
  '01',
  '-',
  '.5',
  '1.',
  '1e',
  '1e+',
  '0x1',
  '-Infinity',
  '--1',
  '1_0',
  '😀',
  'é',
  '\u2028',
  '#',
  '/* */',
  '-01',
  '1.e1',
  'Infinity',
  '١',
]

/** A token where it may not stand. */
function misplace(text: string, draw: Draw): string {
  const characters = Array.from(text)
  characters.splice(draw.upTo(characters.length), draw.upTo(2), draw.oneOf(TOKENS))
  return characters.join('')
}
