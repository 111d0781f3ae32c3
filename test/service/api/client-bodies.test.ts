import { expect, it } from 'vitest'
import { createModel, listEvents } from '../../support/trainer.js'
import type { Answer } from '../../support/api-client.js'
import { describeTransports, type Api } from '../../support/transports.js'

/** Request bodies as the newest Python client sends them, without empty and default values. */

const model = 'wandb-artifact:///local-team/my-project/my-model:step2'
const times = {
  start_time: '2026-11-22T03:16:49.306589Z',
  end_time: '2026-11-22T03:16:50.266608Z',
  model,
}
const messages = [{ role: 'user', content: 'hello' }]

/** A captured HTTP call of each wire format. */
const exchanges = {
  chat_completions: {
    ...times,
    request: { messages, model, logprobs: true, max_tokens: 5, return_token_ids: true },
    response: {
      id: 'chatcmpl-1',
      choices: [
        {
          finish_reason: 'stop',
          index: 0,
          logprobs: {
            content: [
              { token: 'token_id:21', bytes: [72, 105], logprob: -0.1, top_logprobs: [] },
              { token: 'token_id:22', bytes: [33], logprob: -0.2, top_logprobs: [] },
            ],
            refusal: null,
          },
          message: { content: 'Hi!', refusal: null, role: 'assistant', tool_calls: [] },
          stop_reason: null,
          token_ids: [21, 22],
        },
      ],
      created: 1_700_000_000,
      model,
      object: 'chat.completion',
      usage: { completion_tokens: 2, prompt_tokens: 3, total_tokens: 5 },
      prompt_logprobs: null,
      prompt_token_ids: [11, 12, 13],
    },
  },
  completions: {
    ...times,
    request: { model, prompt: 'hello', logprobs: 1, max_tokens: 5 },
    response: {
      id: 'cmpl-1',
      choices: [
        {
          finish_reason: 'stop',
          index: 0,
          logprobs: {
            text_offset: [0, 2],
            token_logprobs: [-0.1, -0.2],
            tokens: ['token_id:21', 'token_id:22'],
            top_logprobs: [{ 'token_id:21': -0.1 }, { 'token_id:22': -0.2 }],
          },
          text: 'Hi!',
          token_ids: [21, 22],
        },
      ],
      object: 'text_completion',
    },
  },
  responses: {
    ...times,
    request: { input: 'hello', max_output_tokens: 5, model },
    response: {
      id: 'resp_1',
      created_at: 1_700_000_000.5,
      output: [{ id: 'msg_1', content: [], role: 'assistant', type: 'message' }],
      token_generations: [
        {
          prompt_token_ids: [11, 12, 13],
          output_indices: [0],
          output_tokens: [
            { token_id: 21, logprob: -0.1, text: 'Hi' },
            { token_id: 22, logprob: -0.2, text: '!' },
          ],
        },
      ],
    },
  },
  messages: {
    ...times,
    request: { model, messages, max_tokens: 5 },
    response: {
      id: 'msg_1',
      content: [{ text: 'Hi!', type: 'text' }],
      role: 'assistant',
      token_ids: [21, 22],
      logprobs: [-0.1, -0.2],
    },
  },
}

const tail = {
  reward: 1,
  metrics: { duration: 0.17, correct: true },
  metadata: { q: 'x', nested: { a: [1, null] } },
}

/** All keys of `experimental_config`, as a plain `train()` sends them. */
const config = {
  advantage_balance: 0,
  allow_training_without_logprobs: false,
  epsilon: null,
  epsilon_high: null,
  importance_sampling_level: 'token',
  kimi_k2_tau: null,
  kl_penalty_coef: 0,
  kl_penalty_reference_step: null,
  kl_penalty_source: 'current_learner',
  kl_penalty_step_lag: null,
  kl_ref_adapter_path: null,
  learning_rate: 5e-6,
  logprob_calculation_chunk_size: 1024,
  loss_fn: 'cispo',
  mask_prob_ratio: false,
  max_negative_advantage_importance_sampling_weight: null,
  normalize_advantages: true,
  num_trajectories_learning_rate_multiplier_power: 0,
  packed_sequence_length: null,
  plot_tensors: false,
  ppo: false,
  precalculate_logprobs: false,
  scale_learning_rate_by_reward_std_dev: false,
  scale_rewards: true,
  truncated_importance_sampling: null,
}

const choice = {
  finish_reason: 'stop',
  index: 0,
  logprobs: {
    content: [{ token: 'token_id:21', bytes: [72], logprob: -0.1, top_logprobs: [] }],
    refusal: null,
  },
  message: {
    content: 'H',
    refusal: null,
    role: 'assistant',
    annotations: null,
    audio: null,
    function_call: null,
    tool_calls: null,
    reasoning: null,
  },
  stop_reason: null,
  token_ids: [21],
  prompt_token_ids: [11, 12, 13],
  art_completion_tokens: 1,
}

async function train(api: Api, trajectory_groups: readonly object[]) {
  const { id: model_id } = await createModel(api)
  const body = { model_id, trajectory_groups, experimental_config: config }
  const answer = await api.post('/preview/training-jobs', body)
  if (answer.status !== 200) return { ...answer, events: [] }
  api.emulator.clock.advance(60_000)
  return { ...answer, events: await listEvents(api, answer.body.id) }
}

function typesOf({ events }: { events: readonly { type: string }[] }): string[] {
  return events.map(({ type }) => type)
}

describeTransports('a job of the newest client', (open) => {
  it.each(Object.entries(exchanges))('trains on exchanges of %s', async (wire, item) => {
    const trained = await train(await open(), [
      { trajectories: [{ exchanges: { [wire]: [item] }, ...tail }, { reward: 0 }] },
    ])
    const steps = ['gradient_step', 'gradient_step']
    expect(typesOf(trained)).toEqual(['training_started', ...steps, 'training_ended'])
    const figures = { reward: 0.5, num_trajectories: 2, num_trainable_tokens: 2 }
    expect(trained.events[1]!.data).toMatchObject(figures)
  })

  it('trains on choices with all fields of a chat answer, also in additional histories', async () => {
    const history = { messages_and_choices: [...messages, choice] }
    const trained = await train(await open(), [
      { trajectories: [{ ...history, additional_histories: [history], ...tail }, { reward: 0 }] },
    ])
    expect(trained.events[1]!.data).toMatchObject({ num_trainable_tokens: 2 })
  })

  it('can have groups with only exceptions, metadata, metrics and logs', async () => {
    const exceptions = [{ type: "<class 'ValueError'>", message: 'no', traceback: 'Traceback …' }]
    const metadata = { deep: [{ er: null }] }
    const trained = await train(await open(), [
      { exceptions, metadata, metrics: { tries: 2, fast: true }, logs: ['one'] },
      { trajectories: [{ reward: 1 }, {}], metrics: { tries: 4, fast: true } },
      { trajectories: [{ reward: 1 }, {}], metrics: { tries: 1 } },
    ])
    expect(trained.events[1]!.data).toMatchObject({
      num_groups_submitted: 3,
      num_trajectories: 4,
      exception_rate: 0.2,
      group_metric_tries: 2.5,
      group_metric_fast: 1,
    })
  })

  it('can have an empty group, which adds no step', async () => {
    const trained = await train(await open(), [{}])
    expect(trained.events[0]!.data).toEqual({ num_sequences: 0 })
    expect(typesOf(trained)).toEqual(['training_started', 'training_ended'])
  })

  it('is refused with the message of the framework if a field is invalid', async () => {
    const api = await open()
    const refused = await train(api, [
      {
        trajectories: [{ exchanges: [] }],
        exceptions: [{}],
        metadata: null,
        metrics: { a: 'x' },
        logs: [1],
      },
    ])
    expect(refused.status).toBe(422)
    expect(problemsOf(refused)).toEqual([
      'trajectories.0.exchanges dict_type',
      'exceptions.0.type missing',
      'exceptions.0.message missing',
      'exceptions.0.traceback missing',
      'metadata dict_type',
      'metrics.a.float float_parsing',
      'metrics.a.int int_parsing',
      'metrics.a.bool bool_parsing',
      'logs.0 string_type',
    ])
  })
})

describeTransports('an SFT job of the newest client', (open) => {
  const url = 'wandb-artifact:///local-team/my-project/my-model-sft-data-df6a272b8bfd:v0'

  it('can have several turns and a place for its metrics', async () => {
    const api = await open({ scenario: 'sft' })
    const { id: model_id } = await createModel(api)
    const { status } = await api.post('/preview/sft-training-jobs', {
      model_id,
      training_data_url: url,
      config: {
        learning_rate: [5e-5, 1e-5],
        assistant_turns: 'last',
        metric_logging: { enabled: true, target_training_step: 5 },
      },
    })
    expect(status).toBe(200)
  })

  it.each([
    [{ assistant_turns: 'first' }, "assistant_turns: Input should be 'all' or 'last'"],
    [{ assistant_turns: null }, "assistant_turns: Input should be 'all' or 'last'"],
    [{ metric_logging: { enabled: null } }, 'enabled: Input should be a valid boolean'],
  ])('is refused with %j', async (wrong, said) => {
    const api = await open()
    const { id: model_id } = await createModel(api)
    const body = { model_id, training_data_url: url, config: wrong }
    const answer = await api.post('/preview/sft-training-jobs', body)
    expect(answer.status).toBe(422)
    const [{ loc, msg }] = answer.body.detail
    expect(`${loc.at(-1)}: ${msg}`).toBe(said)
  })
})

/** The place in the group, and the type of the error. */
function problemsOf({ body }: Answer): string[] {
  return body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => {
    return `${loc.slice(3).join('.')} ${type}`
  })
}

describeTransports('the policy of a KL penalty', (open) => {
  const path = (name: string): object => ({ kl_ref_adapter_path: name })
  const trajectories = [0, 1].map((reward) => ({
    messages_and_choices: [...messages, choice],
    reward,
  }))
  const trajectory_groups = [{ trajectories }]

  it.each<[object, string | undefined]>([
    [config, undefined],
    [{ kl_penalty_reference_step: 0 }, undefined],
    [{ kl_penalty_step_lag: 1 }, undefined],
    [path('artifact:///local-team/my-project/my-model:step0'), undefined],
    [
      { kl_penalty_reference_step: 7 },
      'kl_penalty_reference_step is 7, and the model has no such checkpoint',
    ],
    [{ kl_penalty_step_lag: 0 }, 'kl_penalty_step_lag is 0; the least is 1'],
    [
      { kl_penalty_reference_step: 0, kl_penalty_step_lag: 1 },
      'kl_penalty_reference_step and kl_penalty_step_lag exclude each other',
    ],
    [
      path('/adapters/reference'),
      'kl_ref_adapter_path is "/adapters/reference", and no checkpoint has this name',
    ],
  ])('%j trains, and the journal says what is odd: %s', async (experimental_config, hint) => {
    const api = await open()
    const { id: model_id } = await createModel(api)
    const body = { model_id, trajectory_groups, experimental_config }
    expect(await api.post('/preview/training-jobs', body)).toMatchObject({ status: 200 })
    expect(api.emulator.journal.entries.findLast((each) => each.kind === 'request')?.hint).toBe(
      hint,
    )
  })
})
